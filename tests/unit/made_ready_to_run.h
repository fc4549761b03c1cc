/* made_ready_to_run.h - the assembly of made_assembly.h as if it had been precompiled: a second section with a
 * ReadyToRun header, native code, a debug directory and native resources. */
#ifndef TESTS_MADE_READY_TO_RUN_H
#define TESTS_MADE_READY_TO_RUN_H

#include "made_assembly.h"

enum {
    MADE_R2R_PE = 0x80,
    MADE_R2R_OPTIONAL = MADE_R2R_PE + 24,
    MADE_R2R_DIRECTORIES = MADE_R2R_OPTIONAL + 96,
    MADE_R2R_CLI = MADE_HEADERS,
    MADE_R2R_BYTES = 0x200,
    /* Within the second section. */
    MADE_R2R_HEADER = 0,
    MADE_R2R_FLAGS = 8,
    MADE_R2R_CODE = 0x10,
    MADE_R2R_DEBUG = 0x80, /* two entries: a map of the native code, CodeView */
    MADE_R2R_CODEVIEW = 0x100,
    MADE_R2R_RESOURCES = 0x140, /* a directory, one entry, its leaf, 8 bytes of data */
    MADE_R2R_LEAF = MADE_R2R_RESOURCES + 24,
    MADE_R2R_RESOURCE = MADE_R2R_LEAF + 16,
};

static inline void made_directory(buffer *b, unsigned index, uint32_t rva, uint32_t size) {
    store_u32(b->data + MADE_R2R_DIRECTORIES + index * 8, rva);
    store_u32(b->data + MADE_R2R_DIRECTORIES + index * 8 + 4, size);
}

static inline void made_debug_entry(uint8_t *p, uint32_t type, uint32_t size, uint32_t rva, uint32_t offset) {
    store_u32(p + 12, type);
    store_u32(p + 16, size);
    store_u32(p + 20, rva);
    store_u32(p + 24, offset);
}

/* Makes what made_image made a precompiled image. Returns where the second section lies: its RVA, and its offset in the
 * file. */
static inline uint32_t made_precompiled(buffer *out, uint32_t *offset) {
    uint32_t at = (uint32_t)out->size, rva = load_u32(out->data + MADE_R2R_OPTIONAL + 56);
    buffer_append_zeros(out, MADE_R2R_BYTES);
    uint8_t *o = out->data, *s = o + MADE_R2R_OPTIONAL + 224 + 40, *d = o + at;
    store_u16(o + MADE_R2R_PE + 4, 0x14C ^ 0x7B79);
    store_u16(o + MADE_R2R_PE + 6, 2);
    store_u32(o + MADE_R2R_OPTIONAL + 56, rva + 0x2000);
    memcpy(s, ".data", 5);
    store_u32(s + 8, MADE_R2R_BYTES);
    store_u32(s + 12, rva);
    store_u32(s + 16, MADE_R2R_BYTES);
    store_u32(s + 20, at);
    store_u32(s + 36, 0xC0000040);
    memcpy(d, "RTR", 4);
    store_u16(d + 4, 9);
    store_u32(d + MADE_R2R_FLAGS, 1);
    memset(d + MADE_R2R_CODE, 0xCC, MADE_R2R_DEBUG - MADE_R2R_CODE);
    made_debug_entry(d + MADE_R2R_DEBUG, 21, 16, rva + MADE_R2R_CODE, at + MADE_R2R_CODE);
    made_debug_entry(d + MADE_R2R_DEBUG + 28, 2, 32, rva + MADE_R2R_CODEVIEW, at + MADE_R2R_CODEVIEW);
    memcpy(d + MADE_R2R_CODEVIEW, "RSDS................1...M.pdb", 30);
    store_u16(d + MADE_R2R_RESOURCES + 14, 1);
    store_u32(d + MADE_R2R_RESOURCES + 16, 16);
    store_u32(d + MADE_R2R_RESOURCES + 20, 24);
    store_u32(d + MADE_R2R_LEAF, rva + MADE_R2R_RESOURCE);
    store_u32(d + MADE_R2R_LEAF + 4, 8);
    memcpy(d + MADE_R2R_RESOURCE, "resource", 8);
    made_directory(out, 2, rva + MADE_R2R_RESOURCES, MADE_R2R_RESOURCE + 8 - MADE_R2R_RESOURCES);
    made_directory(out, 3, rva + MADE_R2R_CODE, 12);
    made_directory(out, 6, rva + MADE_R2R_DEBUG, 56);
    store_u32(o + MADE_R2R_CLI + 16, 4);
    store_u32(o + MADE_R2R_CLI + 64, rva);
    store_u32(o + MADE_R2R_CLI + 68, 16);
    *offset = at;
    return rva;
}

static inline uint32_t made_ready_to_run(buffer *out, uint32_t *offset) {
    made_assembly(out);
    return made_precompiled(out, offset);
}

#endif
