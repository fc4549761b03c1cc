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

#endif
