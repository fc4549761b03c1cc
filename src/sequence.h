/* sequence.h - a few instructions in a place of fixed size. */
#ifndef ILINJECT_SEQUENCE_H
#define ILINJECT_SEQUENCE_H

#include "base/buffer.h"

/* A few instructions without a branch out of them; sequence_begin makes it empty. */
typedef struct sequence {
    uint8_t code[40];
    uint32_t size;
} sequence;

static inline void sequence_begin(sequence *s) {
    s->size = 0;
}

static inline void sequence_u8(sequence *s, unsigned byte) {
    s->code[s->size++] = (uint8_t)byte;
}

static inline void sequence_token(sequence *s, unsigned opcode, uint32_t token) {
    sequence_u8(s, opcode);
    store_u32(s->code + s->size, token);
    s->size += 4;
}

static inline void sequence_constant(sequence *s, uint32_t value) {
    enum { LDC_I4_0 = 0x16, LDC_I4_S = 0x1F, LDC_I4 = 0x20 };
    if (value <= 8) {
        sequence_u8(s, LDC_I4_0 + value);
    } else if (value <= 127) {
        sequence_u8(s, LDC_I4_S);
        sequence_u8(s, value);
    } else {
        sequence_token(s, LDC_I4, value);
    }
}

/* ldloc and stloc in their shortest forms (III.3.43, III.3.63): opcodes with the index in them, with one byte, with
 * two. */
static inline void sequence_local(sequence *s, unsigned first_short, unsigned with_byte, unsigned wide,
                                  uint32_t local) {
    enum { WIDE = 0xFE };
    if (local < 4) {
        sequence_u8(s, first_short + local);
    } else if (local < 256) {
        sequence_u8(s, with_byte);
        sequence_u8(s, local);
    } else {
        sequence_u8(s, WIDE);
        sequence_u8(s, wide);
        sequence_u8(s, local & 0xFF);
        sequence_u8(s, local >> 8);
    }
}

static inline void sequence_load(sequence *s, uint32_t local) {
    sequence_local(s, 0x06, 0x11, 0x0C, local);
}

static inline void sequence_store(sequence *s, uint32_t local) {
    sequence_local(s, 0x0A, 0x13, 0x0E, local);
}

/* ldloca (III.3.44) */
static inline void sequence_load_address(sequence *s, uint32_t local) {
    if (local < 256) {
        sequence_u8(s, 0x12);
        sequence_u8(s, local);
    } else {
        sequence_u8(s, 0xFE);
        sequence_u8(s, 0x0D);
        sequence_u8(s, local & 0xFF);
        sequence_u8(s, local >> 8);
    }
}

static inline void sequence_append(buffer *b, const sequence *s) {
    buffer_append(b, s->code, s->size);
}

#endif
