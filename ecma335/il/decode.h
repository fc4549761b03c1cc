/* decode.h - walking the instructions of a body, for dumps and analyses. */
#ifndef ECMA335_IL_DECODE_H
#define ECMA335_IL_DECODE_H

#include "il/body.h"
#include "il/opcode.h"

/* A decoded instruction. Offsets are from the first byte of the code. */
typedef struct il_instruction {
    uint32_t offset;
    uint32_t size;
    il_opcode opcode;
    il_operand_kind operand; /* says which of the following is meant */
    union {
        int64_t integer;    /* ShortInlineI (signed), InlineI, InlineI8; ShortInlineVar and InlineVar (unsigned) */
        uint64_t real_bits; /* ShortInlineR (32 bits), InlineR (64): IEEE 754, the bits as they stand */
        uint32_t token;     /* InlineMethod, InlineField, InlineType, InlineTok, InlineString, InlineSig */
        uint32_t target;    /* ShortInlineBrTarget, InlineBrTarget: an offset within the code */
        uint32_t arm_count; /* InlineSwitch: see il_switch_target */
    };
    const uint8_t *arms; /* InlineSwitch: borrowed from the code */
} il_instruction;

/* `at` is the offset of the next instruction. A fault stops the cursor for good. */
typedef struct il_cursor {
    bytes code;
    uint32_t at;
    il_fault fault;
} il_cursor;

static inline il_cursor il_cursor_of(bytes code) {
    return (il_cursor){code, 0, {NULL, 0}};
}

/* Steps to the next instruction; false at the end of the code, or at a fault, which cursor->fault.what then names: an
 * undefined opcode, an instruction that runs past the end, a branch or arm that leads outside the code. (One that leads
 * into the middle of an instruction is not seen here; il_edit_begin does.) */
bool il_next(il_cursor *cursor, il_instruction *instruction);

/* Where arm `index` < arm_count of a switch leads: an offset within the code. */
static inline uint32_t il_switch_target(const il_instruction *instruction, uint32_t index) {
    return instruction->offset + instruction->size + load_u32(instruction->arms + (size_t)index * 4);
}

#endif
