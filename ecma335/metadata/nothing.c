#include "metadata/nothing.h"

#include "base/buffer.h"

static const char version[] = "v4.0.30319"; /* with its terminator padded to 12 bytes */

/* The streams in the order of the file: their names, padded, and sizes. */
static const struct {
    const char *name;
    uint32_t name_bytes, size;
} streams[] = {{"#~", 4, 56}, {"#Strings", 12, 12}, {"#US", 4, 4}, {"#GUID", 8, 16}, {"#Blob", 8, 4}};
enum { STREAMS = sizeof streams / sizeof streams[0], VERSION_BYTES = 12, MODULE_NAME_AT = 1 };

/* Tables that are sorted by their keys (II.22), a bit each, as compilers name them whether they have rows or not. */
#define SORTED_TABLES 0x000016003325FA00u

static void root(buffer *b) {
    buffer_string(b, "BSJB");
    buffer_u16(b, 1);
    buffer_u16(b, 1);
    buffer_u32(b, 0);
    buffer_u32(b, VERSION_BYTES);
    buffer_string(b, version);
    buffer_align(b, 4);
    buffer_u16(b, 0);
    buffer_u16(b, STREAMS);
    uint32_t offset = (uint32_t)b->size;
    for (unsigned i = 0; i < STREAMS; i++)
        offset += 8 + streams[i].name_bytes;
    for (unsigned i = 0; i < STREAMS; i++) {
        buffer_u32(b, offset);
        buffer_u32(b, streams[i].size);
        buffer_string(b, streams[i].name);
        buffer_append_zeros(b, streams[i].name_bytes - strlen(streams[i].name));
        offset += streams[i].size;
    }
}

static void tables(buffer *b) {
    buffer_u32(b, 0);
    buffer_append(b, (uint8_t[]){2, 0, 0, 1}, 4); /* version, narrow heaps, reserved */
    uint64_t valid = 1u << MD_TABLE_Module | 1u << MD_TABLE_TypeDef;
    buffer_u32(b, (uint32_t)valid);
    buffer_u32(b, (uint32_t)(valid >> 32));
    buffer_u32(b, (uint32_t)SORTED_TABLES);
    buffer_u32(b, (uint32_t)(SORTED_TABLES >> 32));
    buffer_u32(b, 1); /* row of Module */
    buffer_u32(b, 1); /* row of TypeDef */
    buffer_u32(b, 0); /* Module: Generation, Name */
    buffer_u16(b, 1); /* Mvid */
    buffer_u32(b, 0);
    buffer_u32(b, 0); /* TypeDef: Flags */
    buffer_u16(b, MODULE_NAME_AT);
    buffer_u32(b, 0); /* TypeNamespace, Extends */
    buffer_u16(b, 1); /* FieldList */
    buffer_u16(b, 1); /* MethodList */
}

ecma_status md_nothing_open(md_view *view, arena *a, diag *d) {
    buffer b = BUFFER_INIT;
    root(&b);
    tables(&b);
    buffer_align(&b, 4);
    buffer_append(&b, "\0<Module>\0\0", 12);
    buffer_append_zeros(&b, 4 + 16 + 4);
    uint8_t *copy = b.failed ? NULL : arena_alloc(a, b.size);
    if (copy)
        memcpy(copy, b.data, b.size);
    bytes metadata = bytes_of(copy, b.size);
    buffer_clear(&b);
    return copy ? md_view_open(view, metadata, a, d) : diag_no_memory(d);
}
