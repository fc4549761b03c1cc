/* emit.h - instructions appended to a buffer, each in its shortest form.
 *
 *     il_emit_ldloc(&code, 0);                        ldloc.0
 *     size_t from = il_emit_branch(&code, IL_OP_brfalse_s);
 *     il_emit_call(&code, token);                     call token
 *     il_emit_land(&code, from);                      the branch leads here
 *     il_emit(&code, IL_OP_ret);                      ret
 *
 * No function here fails: memory that runs out is remembered in the buffer. Encodings come from
 * opcodes.def by way of opcode.h. */
#ifndef ECMA335_IL_EMIT_H
#define ECMA335_IL_EMIT_H

#include "base/buffer.h"
#include "il/body.h"
#include "il/opcode.h"

/* Appends an instruction without an operand, or an encoding to which the caller appends the operand. */
static inline void il_emit(buffer *code, il_encoding op) {
    if (op > 0xFF)
        buffer_append(code, (uint8_t[]){IL_WIDE, (uint8_t)op}, 2);
    else
        buffer_u8(code, (uint8_t)op);
}

/* An instruction with a token or another operand of four bytes. */
static inline void il_emit_token(buffer *code, il_encoding op, uint32_t token) {
    uint8_t *to = buffer_extend(code, op > 0xFF ? 6 : 5);
    if (!to)
        return;
    if (op > 0xFF)
        *to++ = IL_WIDE;
    *to = (uint8_t)op;
    store_u32(to + 1, token);
}

static inline void il_emit_call(buffer *code, uint32_t method) {
    il_emit_token(code, IL_OP_call, method);
}

/* An instruction that names a local or an argument: in one byte, else in two (III.3.43). */
static inline void il_emit_indexed(buffer *code, il_encoding narrow, il_encoding wide, uint32_t index) {
    if (index < 256) {
        buffer_append(code, (uint8_t[]){(uint8_t)narrow, (uint8_t)index}, 2);
    } else {
        il_emit(code, wide);
        buffer_u16(code, (uint16_t)index);
    }
}

/* III.3.43 */
static inline void il_emit_ldloc(buffer *code, uint32_t local) {
    if (local < 4)
        il_emit(code, (il_encoding)(IL_OP_ldloc_0 + local));
    else
        il_emit_indexed(code, IL_OP_ldloc_s, IL_OP_ldloc, local);
}

/* III.3.44 */
static inline void il_emit_ldloca(buffer *code, uint32_t local) {
    il_emit_indexed(code, IL_OP_ldloca_s, IL_OP_ldloca, local);
}

/* III.3.63 */
static inline void il_emit_stloc(buffer *code, uint32_t local) {
    if (local < 4)
        il_emit(code, (il_encoding)(IL_OP_stloc_0 + local));
    else
        il_emit_indexed(code, IL_OP_stloc_s, IL_OP_stloc, local);
}

/* III.3.38; `this` is argument 0 */
static inline void il_emit_ldarg(buffer *code, uint32_t argument) {
    if (argument < 4)
        il_emit(code, (il_encoding)(IL_OP_ldarg_0 + argument));
    else
        il_emit_indexed(code, IL_OP_ldarg_s, IL_OP_ldarg, argument);
}

/* III.3.39 */
static inline void il_emit_ldarga(buffer *code, uint32_t argument) {
    il_emit_indexed(code, IL_OP_ldarga_s, IL_OP_ldarga, argument);
}

/* III.3.40 */
static inline void il_emit_ldc_i4(buffer *code, int32_t value) {
    if (value >= -1 && value <= 8)
        il_emit(code, (il_encoding)(IL_OP_ldc_i4_0 + value));
    else if (value >= -128 && value <= 127)
        buffer_append(code, (uint8_t[]){IL_OP_ldc_i4_s, (uint8_t)value}, 2);
    else
        il_emit_token(code, IL_OP_ldc_i4, (uint32_t)value);
}

/* A branch forward with an operand of one byte: il_emit_branch, at most 127 bytes that it leads
 * over, then il_emit_land with the value that il_emit_branch returned. */
static inline size_t il_emit_branch(buffer *code, il_encoding op) {
    buffer_append(code, (uint8_t[]){(uint8_t)op, 0}, 2);
    return code->size;
}

static inline void il_emit_land(buffer *code, size_t from) {
    if (!code->failed)
        code->data[from - 1] = (uint8_t)(code->size - from);
}

/* The same with an operand of four bytes, over any length. */
static inline size_t il_emit_long_branch(buffer *code, il_encoding op) {
    il_emit_token(code, op, 0);
    return code->size;
}

static inline void il_emit_long_land(buffer *code, size_t from) {
    if (!code->failed)
        store_u32(code->data + from - 4, (uint32_t)(code->size - from));
}

/* A whole body with one small typed clause (II.25.4.3, II.25.4.6): its head, in an empty buffer, then the code.
 * `locals` is their StandAloneSig; they are initialized. */
enum { IL_EMIT_HEAD_BYTES = 12 };
static inline void il_emit_head(buffer *body, uint8_t max_stack, uint32_t locals) {
    enum { HEAD_WORDS = IL_EMIT_HEAD_BYTES / 4 << 4 };
    buffer_append(body, (uint8_t[]){IL_FAT_FORMAT | IL_INIT_LOCALS | IL_MORE_SECTS, HEAD_WORDS, max_stack, 0}, 4);
    buffer_u32(body, 0); /* the code's size: il_emit_catch */
    buffer_u32(body, locals);
}

/* Ends it, after the code: the handler from `catch_at` to `end` catches `type` from `try_at` to `catch_at`. Offsets are
 * those of the buffer. */
static inline void il_emit_catch(buffer *body, size_t try_at, size_t catch_at, size_t end, uint32_t type) {
    enum { SMALL_CLAUSE_BYTES = 12 };
    if (!body->failed)
        store_u32(body->data + 4, (uint32_t)body->size - IL_EMIT_HEAD_BYTES);
    buffer_align(body, 4);
    buffer_append(body, (uint8_t[]){IL_SECT_EH_TABLE, 4 + SMALL_CLAUSE_BYTES, 0, 0}, 4);
    buffer_u16(body, IL_CLAUSE_EXCEPTION);
    buffer_u16(body, (uint16_t)(try_at - IL_EMIT_HEAD_BYTES));
    buffer_u8(body, (uint8_t)(catch_at - try_at));
    buffer_u16(body, (uint16_t)(catch_at - IL_EMIT_HEAD_BYTES));
    buffer_u8(body, (uint8_t)(end - catch_at));
    buffer_u32(body, type);
}

#endif
