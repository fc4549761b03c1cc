/* opcode.h - what is known of each instruction, expanded from opcodes.def (III, VI.C.2). */
#ifndef ECMA335_IL_OPCODE_H
#define ECMA335_IL_OPCODE_H

#include <stdint.h>

/* An instruction by its identifier in opcodes.def: IL_ldarg_0, IL_br_s … */
typedef enum il_opcode {
    IL_none = 0, /* no instruction: an encoding that the standard does not define */
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form) IL_##identifier,
#include "il/opcodes.def"
#undef OPCODE
    IL_OPCODE_END,
} il_opcode;

/* An instruction's encoding (VI.C.2): IL_OP_call is 0x28, IL_OP_rethrow 0xFE1A, with IL_WIDE as its first
 * byte. */
typedef enum il_encoding {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form) IL_OP_##identifier = (encoding),
#include "il/opcodes.def"
#undef OPCODE
    IL_WIDE = 0xFE,
} il_encoding;

/* The place of an encoding in il_opcode_of_encoding and tables like it. */
#define IL_INDEX_OF(encoding) (((encoding) > 0xFF ? 256 : 0) + ((encoding)&0xFF))

/* Kinds of operand, with the bytes they take. After the count that InlineSwitch names here stand its 4-byte arms. */
#define IL_OPERANDS(X)                                                                                                 \
    X(InlineNone, 0)                                                                                                   \
    X(ShortInlineVar, 1)                                                                                               \
    X(InlineVar, 2)                                                                                                    \
    X(ShortInlineI, 1)                                                                                                 \
    X(InlineI, 4)                                                                                                      \
    X(InlineI8, 8)                                                                                                     \
    X(ShortInlineR, 4)                                                                                                 \
    X(InlineR, 8)                                                                                                      \
    X(InlineMethod, 4)                                                                                                 \
    X(InlineField, 4)                                                                                                  \
    X(InlineType, 4)                                                                                                   \
    X(InlineTok, 4)                                                                                                    \
    X(InlineString, 4)                                                                                                 \
    X(InlineSig, 4)                                                                                                    \
    X(ShortInlineBrTarget, 1)                                                                                          \
    X(InlineBrTarget, 4)                                                                                               \
    X(InlineSwitch, 4)

typedef enum il_operand_kind {
#define X(kind, size) IL_##kind,
    IL_OPERANDS(X)
#undef X
} il_operand_kind;

/* Stack behaviours, with the number of items they pop or push. IL_VARIABLE: the operand's signature, or the method's
 * own, says how many. */
#define IL_VARIABLE 0xFF
#define IL_POPS(X)                                                                                                     \
    X(Pop0, 0)                                                                                                         \
    X(Pop1, 1)                                                                                                         \
    X(Pop1_Pop1, 2)                                                                                                    \
    X(PopI, 1)                                                                                                         \
    X(PopI_Pop1, 2)                                                                                                    \
    X(PopI_PopI, 2)                                                                                                    \
    X(PopI_PopI8, 2)                                                                                                   \
    X(PopI_PopR4, 2)                                                                                                   \
    X(PopI_PopR8, 2)                                                                                                   \
    X(PopI_PopI_PopI, 3)                                                                                               \
    X(PopRef, 1)                                                                                                       \
    X(PopRef_Pop1, 2)                                                                                                  \
    X(PopRef_PopI, 2)                                                                                                  \
    X(PopRef_PopI_PopI, 3)                                                                                             \
    X(PopRef_PopI_PopI8, 3)                                                                                            \
    X(PopRef_PopI_PopR4, 3)                                                                                            \
    X(PopRef_PopI_PopR8, 3)                                                                                            \
    X(PopRef_PopI_PopRef, 3)                                                                                           \
    X(PopRef_PopI_Pop1, 3)                                                                                             \
    X(VarPop, IL_VARIABLE)
#define IL_PUSHES(X)                                                                                                   \
    X(Push0, 0)                                                                                                        \
    X(Push1, 1)                                                                                                        \
    X(Push1_Push1, 2)                                                                                                  \
    X(PushI, 1)                                                                                                        \
    X(PushI8, 1)                                                                                                       \
    X(PushR4, 1)                                                                                                       \
    X(PushR8, 1)                                                                                                       \
    X(PushRef, 1)                                                                                                      \
    X(VarPush, IL_VARIABLE)

typedef enum il_stack_behaviour {
#define X(behaviour, items) IL_##behaviour,
    IL_POPS(X) IL_PUSHES(X)
#undef X
} il_stack_behaviour;

/* Where control goes after an instruction. */
#define IL_FLOWS(X) X(next) X(branch) X(cond_branch) X(call) X(return ) X(throw) X(meta) X(break)
typedef enum il_flow_kind {
#define X(flow) IL_FLOW_##flow,
    IL_FLOWS(X)
#undef X
} il_flow_kind;

typedef struct il_opcode_facts {
    const char *name;  /* as the standard spells it */
    uint16_t encoding; /* one byte, or 0xFExx */
    uint8_t size;      /* bytes of the encoding */
    uint8_t operand_size;
    uint8_t operand; /* il_operand_kind */
    uint8_t flow;    /* il_flow_kind */
    uint8_t pop;     /* il_stack_behaviour */
    uint8_t push;
    uint8_t pops; /* items, or IL_VARIABLE */
    uint8_t pushes;
    uint8_t long_form; /* il_opcode; IL_none when it has no longer form */
} il_opcode_facts;

/* By il_opcode. The row of IL_none has no name. */
extern const il_opcode_facts il_opcodes[IL_OPCODE_END];

/* By encoding: the one byte at 0…255, the byte after 0xFE at 256…511; IL_none where nothing is defined. */
extern const uint8_t il_opcode_of_encoding[512];

/* By il_opcode: of a branch with a 4-byte operand the same branch with 1 byte, il_opcode; else IL_none. */
extern const uint8_t il_short_forms[];

/* By il_operand_kind and il_stack_behaviour: the name, for dumps and tests ("InlineMethod", "PopRef_PopI"). */
extern const char *const il_operand_names[];
extern const char *const il_stack_behaviour_names[];
extern const char *const il_flow_names[];

/* Whether the instruction only says how the next one is meant (III.2). */
static inline int il_is_prefix(il_opcode opcode) {
    return il_opcodes[opcode].flow == IL_FLOW_meta;
}

/* The same offset. A compiler does not see that it is: otherwise a loop that steps over most instructions works out
 * the address of each, for the few that are looked at. */
static inline uint32_t il_hidden(uint32_t offset) {
    __asm__("" : "+r"(offset));
    return offset;
}

#endif
