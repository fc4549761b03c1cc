/* made_image.h - a PE32 image around metadata made by hand: headers, one section with CLI header, bodies, metadata. */
#ifndef TESTS_MADE_IMAGE_H
#define TESTS_MADE_IMAGE_H

#include "made_metadata.h"

enum {
    MADE_HEADERS = 0x200, /* bytes, and the section's file offset */
    MADE_RVA = 0x2000,    /* of the section */
    MADE_BODIES = MADE_RVA + 72,
};

/* `bodies` begins at RVA MADE_BODIES. The image is appended to `out`. */
static inline void made_image(buffer *out, bytes metadata, bytes bodies) {
    size_t start = out->size;
    buffer text = BUFFER_INIT;
    uint32_t metadata_rva = (uint32_t)((MADE_BODIES + bodies.size + 3) & ~(size_t)3);
    buffer_u32(&text, 72);
    buffer_u16(&text, 2);
    buffer_u16(&text, 5);
    buffer_u32(&text, metadata_rva);
    buffer_u32(&text, (uint32_t)metadata.size);
    buffer_u32(&text, 1); /* ILOnly */
    buffer_append_zeros(&text, 72 - text.size);
    buffer_append(&text, bodies.data, bodies.size);
    buffer_align(&text, 4);
    buffer_append(&text, metadata.data, metadata.size);
    uint32_t size = (uint32_t)text.size, raw_size = (size + 0x1FFu) & ~0x1FFu;

    buffer_append(out, "MZ", 2);
    buffer_append_zeros(out, 0x3A);
    buffer_u32(out, 0x80);
    buffer_append_zeros(out, 0x40);
    buffer_append(out, "PE\0\0", 4);
    buffer_u16(out, 0x14C);
    buffer_u16(out, 1);
    buffer_append_zeros(out, 12);
    buffer_u16(out, 224);
    buffer_u16(out, 0x2102);
    size_t optional = out->size;
    buffer_append_zeros(out, 224 + 40);
    buffer_append_zeros(out, start + MADE_HEADERS - out->size);
    if (!out->failed) {
        uint8_t *o = out->data + optional;
        store_u16(o, 0x10B);
        store_u32(o + 28, 0x400000);
        store_u32(o + 32, 0x2000);
        store_u32(o + 36, 0x200);
        store_u32(o + 56, MADE_RVA + ((size + 0x1FFFu) & ~0x1FFFu));
        store_u32(o + 60, MADE_HEADERS);
        store_u16(o + 68, 3);
        store_u32(o + 92, 16);
        store_u32(o + 96 + 14 * 8, MADE_RVA);
        store_u32(o + 96 + 14 * 8 + 4, 72);
        uint8_t *s = o + 224;
        memcpy(s, ".text", 5);
        store_u32(s + 8, size);
        store_u32(s + 12, MADE_RVA);
        store_u32(s + 16, raw_size);
        store_u32(s + 20, MADE_HEADERS);
        store_u32(s + 36, 0x60000020);
    }
    buffer_append(out, text.data, text.size);
    buffer_append_zeros(out, raw_size - size);
    buffer_clear(&text);
}

enum { MADE_SAMPLES = 3 };

/* Image `n` < MADE_SAMPLES, with something in most tables: 1 is uncompressed with Ptr tables, 2 has wide heaps. */
static inline void made_sample(buffer *out, unsigned n) {
    static const uint8_t bodies[] = {
        0x0E, 0x2A, 0,    0,                                         /* tiny: ret, then padding */
        0x13, 0x30, 2,    0, 26,   0,    0,  0, 1, 0,    0,    0x11, /* fat: 26 bytes, locals */
        0x72, 1,    0,    0, 0x70, 0x28, 1,  0, 0, 0x0A, 0x45, 1,    0, 0,  0,  0, 0, 0, 0, 0xDE, 3, 0x26, 0xDE,
        0,    0x2A, 0x2A, 0, 0,    1,    16, 0, 0, 0,    0,    0,    0, 21, 21, 0, 3, 1, 0, 0,    1, /* one small clause
                                                                                                      */
    };
    made m;
    made_init(&m);
    buffer_append_zeros(&m.guids, 16);
    buffer_append(&m.user_strings, "\5h\0i\0\0", 6);
    m.uncompressed = n == 1;
    m.heap_sizes = n == 2 ? MD_HEAP_STRINGS_WIDE | MD_HEAP_BLOB_WIDE | MD_HEAP_EXTRA_DATA : 0;
    uint32_t nothing = MADE_BLOB(&m, 0x20, 0, 1), generic = MADE_BLOB(&m, 0x30, 1, 2, 1, 0x1E, 0, 0x10, 0x13, 0);
    uint32_t list = MADE_BLOB(&m, 0x15, 0x12, 5, 1, 0x12, 6);
    MADE_ROW(&m, Module, 0, made_string(&m, "M.dll"), 1, 0, 0);
    MADE_ROW(&m, TypeRef, 6, made_string(&m, "List`1"), made_string(&m, "System.Collections.Generic"));
    MADE_ROW(&m, TypeDef, 0, made_string(&m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(&m, TypeDef, 0x100001, made_string(&m, "Outer`1"), made_string(&m, "Space"), 5, 1, 1);
    MADE_ROW(&m, TypeDef, 0x100002, made_string(&m, "<It>d__1"), 0, 6, 2, 3);
    MADE_ROW(&m, Field, 0x16, made_string(&m, "data"), MADE_BLOB(&m, 6, 0x11, 0x0C));
    MADE_ROW(&m, MethodDef, MADE_BODIES, 0, 0x1886, made_string(&m, ".ctor"), nothing, 1);
    MADE_ROW(&m, MethodDef, MADE_BODIES + 4, 0, 0x86, made_string(&m, "Mix"), generic, 1);
    MADE_ROW(&m, MethodDef, 0, 0, 0x5C6, made_string(&m, "MoveNext"), nothing, 2);
    if (n == 1) {
        for (uint32_t row = 1; row <= 3; row++)
            MADE_ROW(&m, MethodPtr, 4 - row);
        MADE_ROW(&m, ParamPtr, 1);
        MADE_ROW(&m, FieldPtr, 1);
    }
    MADE_ROW(&m, Param, 2, 2, made_string(&m, "p"));
    MADE_ROW(&m, InterfaceImpl, 3, 5);
    MADE_ROW(&m, MemberRef, 12, made_string(&m, "Add"), generic);
    MADE_ROW(&m, Constant, 8, 0, 4, nothing);
    MADE_ROW(&m, CustomAttribute, 46, 10, nothing);
    MADE_ROW(&m, ClassLayout, 1, 4, 3); /* of the data at the first body, up to the second */
    MADE_ROW(&m, StandAloneSig, MADE_BLOB(&m, 7, 2, 8, 0x1D, 0x14, 8, 2, 0, 0));
    MADE_ROW(&m, Property, 0, made_string(&m, "Size"), nothing);
    MADE_ROW(&m, MethodSemantics, 2, 2, 3);
    MADE_ROW(&m, MethodImpl, 3, 6, 3);
    MADE_ROW(&m, TypeSpec, list);
    MADE_ROW(&m, FieldRVA, MADE_BODIES, 1);
    MADE_ROW(&m, Assembly, 0x8004, 0x10001, 0, 0, 0, 0, 0, made_string(&m, "M"), 0);
    MADE_ROW(&m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(&m, "mscorlib"), 0, 0);
    MADE_ROW(&m, NestedClass, 3, 2);
    MADE_ROW(&m, GenericParam, 0, 0, 4, made_string(&m, "T"));
    MADE_ROW(&m, GenericParam, 0, 0, 5, made_string(&m, "U"));
    MADE_ROW(&m, MethodSpec, 4, MADE_BLOB(&m, 0x0A, 1, 8));
    made_image(out, made_finish(&m), bytes_of(bodies, sizeof bodies));
    made_clear(&m);
}

#endif
