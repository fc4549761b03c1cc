/* code.h - a few instructions, written behind one another. */
#ifndef ILINJECT_CODE_H
#define ILINJECT_CODE_H

#include "base/buffer.h"

/* An opcode of one byte with a token or another operand of four bytes. */
static inline void code_token(buffer *b, uint8_t opcode, uint32_t token) {
    buffer_u8(b, opcode);
    buffer_u32(b, token);
}

static inline void code_call(buffer *b, uint32_t method) {
    enum { CALL = 0x28 };
    code_token(b, CALL, method);
}

/* ldloc, ldloca and stloc in their shortest forms (III.3.43, III.3.44, III.3.63): with the index in the opcode, in one
 * byte, in two. */
static inline void code_with_local(buffer *b, uint8_t with_byte, uint8_t wide, uint32_t local) {
    enum { WIDE = 0xFE };
    if (local < 256) {
        buffer_append(b, (uint8_t[]){with_byte, (uint8_t)local}, 2);
    } else {
        buffer_append(b, (uint8_t[]){WIDE, wide}, 2);
        buffer_u16(b, (uint16_t)local);
    }
}

static inline void code_load(buffer *b, uint32_t local) {
    enum { LDLOC_0 = 0x06, LDLOC_S = 0x11, LDLOC = 0x0C };
    if (local < 4)
        buffer_u8(b, (uint8_t)(LDLOC_0 + local));
    else
        code_with_local(b, LDLOC_S, LDLOC, local);
}

static inline void code_load_address(buffer *b, uint32_t local) {
    enum { LDLOCA_S = 0x12, LDLOCA = 0x0D };
    code_with_local(b, LDLOCA_S, LDLOCA, local);
}

static inline void code_store(buffer *b, uint32_t local) {
    enum { STLOC_0 = 0x0A, STLOC_S = 0x13, STLOC = 0x0E };
    if (local < 4)
        buffer_u8(b, (uint8_t)(STLOC_0 + local));
    else
        code_with_local(b, STLOC_S, STLOC, local);
}

static inline void code_constant(buffer *b, int32_t value) {
    enum { LDC_I4_0 = 0x16, LDC_I4_S = 0x1F, LDC_I4 = 0x20 };
    if (value >= -1 && value <= 8)
        buffer_u8(b, (uint8_t)(LDC_I4_0 + value));
    else if (value >= -128 && value <= 127)
        buffer_append(b, (uint8_t[]){LDC_I4_S, (uint8_t)value}, 2);
    else
        code_token(b, LDC_I4, (uint32_t)value);
}

/* ldarg, ldarga. */
static inline void code_load_argument(buffer *b, uint32_t argument, bool address) {
    enum { LDARG_0 = 0x02, LDARG_S = 0x0E, LDARGA_S = 0x0F, LDARG = 0x09, LDARGA = 0x0A };
    if (argument < 4 && !address)
        buffer_u8(b, (uint8_t)(LDARG_0 + argument));
    else
        code_with_local(b, address ? LDARGA_S : LDARG_S, address ? LDARGA : LDARG, argument);
}

/* br.s, brfalse.s or brtrue.s over what follows: code_branch, what it leads over, code_land. */
enum { CODE_BR_S = 0x2B, CODE_BRFALSE_S = 0x2C, CODE_BRTRUE_S = 0x2D };
static inline size_t code_branch(buffer *b, uint8_t opcode) {
    buffer_append(b, (uint8_t[]){opcode, 0}, 2);
    return b->size;
}

static inline void code_land(buffer *b, size_t from) {
    if (!b->failed)
        b->data[from - 1] = (uint8_t)(b->size - from);
}

#endif
