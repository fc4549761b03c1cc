/* made_native.h - the assembly of made_assembly.h with native code that can stay: a ReadyToRun header and all tables
 * that are read, in a last section of their own, written by hand as the format's description has them.
 *
 * Methods 1 to 4 have entries, 2 and 3 an instantiation each; 2 has inlined 1, and 4 has inlined 2. */
#ifndef TESTS_MADE_NATIVE_H
#define TESTS_MADE_NATIVE_H

#include "made_assembly.h"

enum {
    NATIVE_PE = 0x80,
    NATIVE_OPTIONAL = NATIVE_PE + 24,
    NATIVE_CLI = MADE_HEADERS,
    NATIVE_BYTES = 0x400,
    /* Within the section. */
    NATIVE_VERSION = 4,
    NATIVE_FLAGS = 8,
    NATIVE_SECTIONS = 16, /* five headers of 12 bytes, in this order: */
    NATIVE_IMPORTS = 0x60,
    NATIVE_FUNCTIONS = 0x90,
    NATIVE_METHODS = 0xC0,
    NATIVE_INSTANCES = 0xE0,
    NATIVE_INLINING = 0x100,
    NATIVE_SIGNATURE = 0x84, /* of a fixup: the entry of method 1 */
    NATIVE_SLOTS = 0x300,
    NATIVE_CODE = 0x310,
};

static inline void made_native_sections(uint8_t *d, uint32_t rva) {
    static const struct {
        uint32_t type, at, size;
    } sections[] = {{101, NATIVE_IMPORTS, 20},
                    {102, NATIVE_FUNCTIONS, 32},
                    {103, NATIVE_METHODS, 13},
                    {109, NATIVE_INSTANCES, 27},
                    {119, NATIVE_INLINING, 28}};
    memcpy(d, "RTR", 4);
    store_u16(d + NATIVE_VERSION, 16);
    store_u32(d + NATIVE_FLAGS, 0x41);
    store_u32(d + 12, 5);
    for (unsigned i = 0; i < 5; i++) {
        uint8_t *header = d + NATIVE_SECTIONS + 12 * i;
        store_u32(header, sections[i].type);
        store_u32(header + 4, rva + sections[i].at);
        store_u32(header + 8, sections[i].size);
    }
}

static inline void made_native_tables(uint8_t *d, uint32_t rva) {
    /* Four entries below one another: 1 and 3 without slots, 2 with its own, 4 with those of 2, four bytes before. */
    static const uint8_t methods[] = {0x20, 0x01, 0x02, 0x02, 0x2E, 0x16, 0x00, 0x0A, 0x00, 0x16, 0x08, 0x1E, 0x08};
    static const uint8_t instances[] = {0x00, 2, 6, 0x10, 0x18, 0x20, 0x20};
    /* flags, row, one argument: int; the entry */
    static const uint8_t first[] = {0x04, 2, 1, 0x08, 1 << 2}, second[] = {0x04, 3, 1, 0x08, 2 << 2};
    static const uint8_t inlining[] = {0x00, 2, 6, 0x30, 0x18, 0x40, 0x24};
    /* how many numbers; the inlinee's row * 4, its module, the inliner's row * 2 */
    static const uint8_t into_2[] = {3 << 1, 4 << 1, 0, 4 << 1}, into_4[] = {3 << 1, 8 << 1, 0, 8 << 1};
    memcpy(d + NATIVE_METHODS, methods, sizeof methods);
    memcpy(d + NATIVE_INSTANCES, instances, sizeof instances);
    memcpy(d + NATIVE_INSTANCES + 0x10, first, sizeof first);
    memcpy(d + NATIVE_INSTANCES + 0x16, second, sizeof second);
    memcpy(d + NATIVE_INLINING, inlining, sizeof inlining);
    memcpy(d + NATIVE_INLINING + 0x10, into_2, sizeof into_2);
    memcpy(d + NATIVE_INLINING + 0x18, into_4, sizeof into_4);
    uint8_t *imports = d + NATIVE_IMPORTS;
    store_u32(imports, rva + NATIVE_SLOTS);
    store_u32(imports + 4, 8);
    imports[11] = 4;
    store_u32(imports + 12, rva + 0x78);
    store_u32(d + 0x78, rva + 0x80);
    store_u32(d + 0x7C, rva + NATIVE_SIGNATURE);
    memcpy(d + 0x80, "\x1A\x01", 2);                 /* the module */
    memcpy(d + NATIVE_SIGNATURE, "\x13\x00\x01", 3); /* MethodEntry, no flags, row 1 */
    for (uint32_t i = 0; i < 4; i++)
        store_u32(d + NATIVE_FUNCTIONS + 8 * i, rva + NATIVE_CODE + 16 * i);
}

/* Returns the section's RVA; *offset: its place in the file. */
static inline uint32_t made_native(buffer *out, uint32_t *offset) {
    made_assembly(out);
    uint32_t at = (uint32_t)out->size, rva = load_u32(out->data + NATIVE_OPTIONAL + 56);
    buffer_append_zeros(out, NATIVE_BYTES);
    uint8_t *o = out->data, *s = o + NATIVE_OPTIONAL + 224 + 40;
    store_u16(o + NATIVE_PE + 4, 0x14C ^ 0x7B79);
    store_u16(o + NATIVE_PE + 6, 2);
    store_u32(o + NATIVE_OPTIONAL + 56, rva + 0x2000);
    memcpy(s, ".native", 7);
    store_u32(s + 8, NATIVE_BYTES);
    store_u32(s + 12, rva);
    store_u32(s + 16, NATIVE_BYTES);
    store_u32(s + 20, at);
    store_u32(s + 36, 0x42000040);
    store_u32(o + NATIVE_CLI + 16, 4);
    store_u32(o + NATIVE_CLI + 64, rva);
    store_u32(o + NATIVE_CLI + 68, 76);
    made_native_sections(o + at, rva);
    made_native_tables(o + at, rva);
    *offset = at;
    return rva;
}

#endif
