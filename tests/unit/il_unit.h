/* il_unit.h - bodies for tests: made from code and clauses, rewritten, taken apart again. */
#ifndef TESTS_UNIT_IL_UNIT_H
#define TESTS_UNIT_IL_UNIT_H

#include "unit.h"

#include <stdlib.h>

#include "il/edit.h"

#define CODE(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})

enum { NOP = 0x00, RET = 0x2A, BR_S = 0x2B, BR = 0x38, SWITCH = 0x45, LEAVE = 0xDD, LEAVE_S = 0xDE, CALL = 0x28 };

static const uint8_t enter_code[5] = {CALL, 1, 0, 0, 0x0A}, leave_code[5] = {CALL, 2, 0, 0, 0x0A};
#define ENTER bytes_of(enter_code, 5)
#define EXIT  bytes_of(leave_code, 5)

/* Appends a tiny body of `code` to the empty buffer. */
static inline void make_tiny(buffer *b, bytes code) {
    assert_true(code.size < 64);
    buffer_u8(b, (uint8_t)(code.size << 2 | IL_TINY_FORMAT));
    buffer_append(b, code.data, code.size);
}

/* Appends a fat body, its clauses in one section. */
static inline void make_fat(buffer *b, bytes code, const il_clause *clauses, uint32_t count, bool fat_section) {
    buffer_u16(b, (uint16_t)(0x3013 | (count ? IL_MORE_SECTS : 0)));
    buffer_u16(b, 8);
    buffer_u32(b, (uint32_t)code.size);
    buffer_u32(b, 0x11000001);
    buffer_append(b, code.data, code.size);
    if (count == 0)
        return;
    buffer_align(b, 4);
    uint32_t size = count * (fat_section ? 24 : 12) + 4;
    buffer_u32(b, (fat_section ? 0x41u : 0x01u) | size << 8);
    for (uint32_t i = 0; i < count; i++) {
        const il_clause *c = &clauses[i];
        if (fat_section) {
            buffer_u32(b, c->flags);
            buffer_u32(b, c->try_offset);
            buffer_u32(b, c->try_length);
            buffer_u32(b, c->handler_offset);
            buffer_u32(b, c->handler_length);
        } else {
            buffer_u16(b, (uint16_t)c->flags);
            buffer_u16(b, (uint16_t)c->try_offset);
            buffer_u8(b, (uint8_t)c->try_length);
            buffer_u16(b, (uint16_t)c->handler_offset);
            buffer_u8(b, (uint8_t)c->handler_length);
        }
        buffer_u32(b, c->class_token_or_filter_offset);
    }
}

static inline il_body read_body(const buffer *b) {
    il_body body;
    il_fault fault = {NULL, 0};
    if (!il_body_try_read(&body, buffer_bytes(b), &fault))
        fail_msg("not read: %s at %u", fault.what, fault.offset);
    assert_int_equal(body.size, b->size);
    return body;
}

/* A rewrite in progress: the old bytes, the edit, the new bytes. */
typedef struct rewrite {
    buffer in, out;
    il_edit edit;
    il_body body; /* after finish: the new one */
} rewrite;

static inline void begin(rewrite *r) {
    il_fault fault = {NULL, 0};
    il_edit_init(&r->edit);
    il_body body = read_body(&r->in);
    if (il_edit_begin(&r->edit, &body, &fault) != ECMA_OK)
        fail_msg("not understood: %s at %u", fault.what, fault.offset);
}

static inline void finish(rewrite *r) {
    il_fault fault = {NULL, 0};
    if (il_edit_encode(&r->edit, &r->out, &fault) != ECMA_OK)
        fail_msg("not encoded: %s", fault.what);
    r->body = read_body(&r->out);
}

static inline void drop(rewrite *r) {
    buffer_clear(&r->in);
    buffer_clear(&r->out);
    il_edit_clear(&r->edit);
}

/* Enter at the head and leave at every exit, as an instrumenter does it. */
static inline void instrument(rewrite *r) {
    assert_int_equal(il_insert(&r->edit, 0, IL_HEAD, ENTER), ECMA_OK);
    for (uint32_t i = 0; i < r->edit.exit_count; i++) {
        const il_exit *e = &r->edit.exits[i];
        il_place place = e->kind == IL_EXIT_AFTER_TAIL_CALL ? IL_APART : IL_BEFORE;
        assert_int_equal(il_insert(&r->edit, e->offset, place, EXIT), ECMA_OK);
    }
}

static inline void assert_code(const il_body *body, bytes expected) {
    assert_int_equal(body->code.size, expected.size);
    assert_memory_equal(body->code.data, expected.data, expected.size);
}

#endif
