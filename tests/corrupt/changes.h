/* changes.h - changes to an assembly where its structure is: a field of the headers, of a section or of a directory; of
 * the metadata root, of a stream's header or of the table stream's; a cell, a row in place of another one; the length
 * or the text of a heap's entry; an element of a signature; an instruction, an operand or the header of a body; an
 * exception clause; where a field's data begins, and how long it is; some bytes anywhere. */
#ifndef TESTS_CORRUPT_CHANGES_H
#define TESTS_CORRUPT_CHANGES_H

#include "il/body.h"
#include "il/decode.h"
#include "input/image.h"

typedef struct mutant {
    uint64_t *random;
    const ilj_image *image; /* of what `data` was before it was changed */
    bytes old;              /* the bytes that image borrows */
    uint8_t *data;
    size_t size;
} mutant;

enum { MOST_CHANGES = 6 };

static uint32_t next_random(uint64_t *random) {
    *random ^= *random << 13;
    *random ^= *random >> 7;
    *random ^= *random << 17;
    return (uint32_t)(*random >> 16);
}

static uint32_t below(mutant *m, uint32_t end) {
    return end ? next_random(m->random) % end : 0;
}

static size_t place_of(const mutant *m, const uint8_t *in_seed) {
    return (size_t)(in_seed - m->old.data);
}

static uint32_t get(const mutant *m, size_t at, unsigned width) {
    return width == 1 ? m->data[at] : width == 2 ? load_u16(m->data + at) : load_u32(m->data + at);
}

static void put(mutant *m, size_t at, unsigned width, uint32_t value) {
    if (at + width > m->size)
        return;
    if (width == 1)
        m->data[at] = (uint8_t)value;
    else if (width == 2)
        store_u16(m->data + at, (uint16_t)value);
    else
        store_u32(m->data + at, value);
}

/* A value that is near, at an edge, or any. */
static uint32_t other(mutant *m, uint32_t old) {
    static const uint32_t edges[] = {0,      1,      0x7F,    0x80,       0xFF,       0x100,
                                     0x7FFF, 0xFFFF, 0x10000, 0x7FFFFFFF, 0x80000000, 0xFFFFFFFF};
    switch (below(m, 6)) {
    case 0:
        return old + 1 + below(m, 4);
    case 1:
        return old - 1 - below(m, 4);
    case 2:
        return edges[below(m, sizeof edges / sizeof edges[0])];
    case 3:
        return old ^ (1u << below(m, 32));
    case 4:
        return old * 2;
    default:
        old = below(m, UINT32_MAX);
        return old >> below(m, 32);
    }
}

/* Random numbers are drawn one statement after the other: the order of arguments is the compiler's choice. */
static void change_field(mutant *m, size_t at, unsigned width) {
    if (at + width <= m->size)
        put(m, at, width, other(m, get(m, at, width)));
}

/* A field of one of two widths, somewhere from `at` on. */
static void change_within(mutant *m, size_t at, uint32_t size, unsigned wide) {
    at += below(m, size);
    unsigned width = below(m, 2) ? 1 : wide;
    change_field(m, at, width);
}

/* ---- The changes --------------------------------------------------------------------------------------------------
 */

static void change_headers(mutant *m) {
    const pe_image *pe = &m->image->pe;
    size_t spans[][2] = {
        {pe->pe_offset + 4, pe->sections_offset},
        {pe->sections_offset, pe->sections_offset + (size_t)pe->section_count * 40},
        {pe->directories_offset, pe->directories_offset + (size_t)pe->directory_count * 8},
        {pe->cli.file_offset, (size_t)pe->cli.file_offset + PE_CLI_HEADER_BYTES},
    };
    size_t *span = spans[below(m, 4)];
    unsigned width = 2u << below(m, 2);
    change_field(m, span[0] + below(m, (uint32_t)(span[1] - span[0])) / width * width, width);
}

static void change_streams(mutant *m) {
    const md_view *v = &m->image->metadata;
    const md_stream *s = &v->streams[below(m, v->stream_count)];
    size_t root = place_of(m, v->metadata.data), tables = place_of(m, v->table_stream.data);
    switch (below(m, 4)) {
    case 0:
        change_field(m, root + below(m, 8) * 4, 4);
        break;
    case 1:
        change_field(m, root + s->header_offset + below(m, 2) * 4, 4);
        break;
    case 2:
        change_field(m, root + s->header_offset + 8 + below(m, 8), 1);
        break;
    default:
        change_within(m, tables, v->tables_offset, 4);
    }
}

/* A table that has rows; MD_TABLE_SPACE: none. */
static unsigned some_table(mutant *m) {
    const md_view *v = &m->image->metadata;
    for (unsigned i = 0; i < 1000; i++) {
        unsigned t = below(m, MD_TABLE_SPACE);
        if (v->tables[t].row_count)
            return t;
    }
    return MD_TABLE_SPACE;
}

static void change_cell(mutant *m) {
    const md_view *v = &m->image->metadata;
    unsigned t = some_table(m);
    if (t == MD_TABLE_SPACE)
        return;
    const md_table *table = &v->tables[t];
    unsigned column = md_tables[t].first_column + below(m, md_tables[t].column_count);
    size_t at =
        place_of(m, table->rows) + (size_t)below(m, table->row_count) * table->row_bytes + v->column_offset[column];
    unsigned width = v->column_width[column];
    uint32_t value = below(m, v->tables[md_columns[column].argument % MD_TABLE_SPACE].row_count + 2);
    switch (md_columns[column].kind) {
    case MD_KIND_ROW:
    case MD_KIND_LIST:
        put(m, at, width, value);
        break;
    case MD_KIND_CODED:
        value = below(m, 64) << md_codeds[md_columns[column].argument].bits;
        value |= below(m, 8);
        put(m, at, width, value);
        break;
    case MD_KIND_STRING:
        put(m, at, width, below(m, (uint32_t)v->strings.size + 2));
        break;
    case MD_KIND_BLOB:
        put(m, at, width, below(m, (uint32_t)v->blobs.size + 2));
        break;
    default:
        change_field(m, at, width);
    }
}

/* One row takes another one's place, or both change places. */
static void change_rows(mutant *m) {
    const md_view *v = &m->image->metadata;
    unsigned t = some_table(m);
    if (t == MD_TABLE_SPACE)
        return;
    const md_table *table = &v->tables[t];
    size_t first = place_of(m, table->rows);
    size_t a = first + (size_t)below(m, table->row_count) * table->row_bytes;
    size_t b = first + (size_t)below(m, table->row_count) * table->row_bytes;
    bool both = below(m, 2);
    for (uint32_t i = 0; i < table->row_bytes; i++) {
        uint8_t kept = m->data[a + i];
        m->data[a + i] = m->data[b + i];
        if (both)
            m->data[b + i] = kept;
    }
}

static void change_heap(mutant *m) {
    const md_view *v = &m->image->metadata;
    const bytes heaps[] = {v->strings, v->blobs, v->user_strings, v->guids};
    bytes heap = heaps[below(m, 4)];
    if (heap.size == 0)
        return;
    /* Lengths as II.24.2.4 packs them: the largest of each size, and none. */
    static const uint8_t lengths[] = {0x7F, 0x80, 0xBF, 0xC0, 0xDF, 0xE0, 0xFF, 0x00, 0x01};
    size_t at = place_of(m, heap.data) + below(m, (uint32_t)heap.size);
    if (below(m, 2))
        put(m, at, 1, lengths[below(m, sizeof lengths)]);
    else
        change_field(m, at, 1);
}

static void change_signature(mutant *m) {
    static const md_column columns[] = {
        MD_Field_Signature,    MD_MethodDef_Signature,      MD_MemberRef_Signature, MD_StandAloneSig_Signature,
        MD_TypeSpec_Signature, MD_MethodSpec_Instantiation, MD_Property_Type,       MD_CustomAttribute_Value};
    /* Elements (II.23.1.16) and calling conventions (II.23.2.1) with others after them. */
    static const uint8_t elements[] = {0x00, 0x01, 0x0E, 0x0F, 0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x1B, 0x1C,
                                       0x1D, 0x1E, 0x1F, 0x20, 0x30, 0x41, 0x45, 0x05, 0x06, 0x07, 0x08, 0x0A, 0xFF};
    const md_view *v = &m->image->metadata;
    md_column column = columns[below(m, sizeof columns / sizeof columns[0])];
    uint32_t rows = v->tables[md_columns[column].table].row_count;
    bytes blob;
    if (rows == 0 || !md_try_blob(v, md_cell(v, column, 1 + below(m, rows)), &blob) || blob.size == 0)
        return;
    size_t at = place_of(m, blob.data) + below(m, (uint32_t)blob.size);
    if (below(m, 3))
        put(m, at, 1, elements[below(m, sizeof elements)]);
    else
        change_field(m, at, 1);
}

/* Some method's body; false where there is none. */
static bool some_body(mutant *m, il_body *body, const uint8_t **start) {
    const ilj_image *image = m->image;
    uint32_t rows = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    for (unsigned i = 0; i < 20 && rows; i++) {
        uint32_t rva = md_cell(&image->metadata, MD_MethodDef_RVA, 1 + below(m, rows));
        bytes from;
        il_fault fault;
        if (rva && pe_try_bytes_from(&image->pe, rva, &from) && il_body_try_read(body, from, &fault)) {
            *start = from.data;
            return true;
        }
    }
    return false;
}

static void change_body(mutant *m) {
    il_body body;
    const uint8_t *start;
    if (!some_body(m, &body, &start))
        return;
    if (below(m, 4) == 0) {
        change_within(m, place_of(m, start), body.header_size, 2);
        return;
    }
    /* An instruction: the opcode, or what stands after it. */
    il_cursor cursor = il_cursor_of(body.code);
    il_instruction one = {0};
    for (uint32_t left = below(m, body.code.size < 400 ? (uint32_t)body.code.size : 400);
         il_next(&cursor, &one) && left > 0; left--)
        continue;
    size_t at = place_of(m, body.code.data) + one.offset;
    static const uint8_t opcodes[] = {0x00, 0x25, 0x26, 0x27, 0x28, 0x29, 0x2A, 0x2B, 0x38, 0x45,
                                      0x6F, 0x73, 0x7A, 0xDC, 0xDD, 0xDE, 0xFE, 0x24, 0xC6};
    if (one.size == 1 || below(m, 2))
        put(m, at, 1, below(m, 2) ? opcodes[below(m, sizeof opcodes)] : below(m, 256));
    else
        change_within(m, at + 1, one.size - 1, 4);
}

static void change_clause(mutant *m) {
    il_body body;
    const uint8_t *start;
    for (unsigned i = 0; i < 20; i++)
        if (some_body(m, &body, &start) && body.clause_count > 0) {
            const il_section *s = &body.sections[below(m, body.section_count)];
            uint32_t size = s->clause_count * (s->fat ? 24 : 12);
            if (below(m, 4) == 0)
                change_field(m, place_of(m, s->clauses) - 4 + below(m, 4), 1);
            else if (s->fat)
                change_field(m, place_of(m, s->clauses) + below(m, size) / 4 * 4, 4);
            else
                change_within(m, place_of(m, s->clauses), size, 2);
            return;
        }
}

/* A field's data comes to lie before, in or after a body, the metadata, the resources or other data, or grows. */
static void change_data(mutant *m) {
    const ilj_image *image = m->image;
    const md_view *v = &image->metadata;
    uint32_t fields = md_row_count(v, MD_TABLE_FieldRVA), methods = md_row_count(v, MD_TABLE_MethodDef),
             layouts = md_row_count(v, MD_TABLE_ClassLayout);
    if (fields == 0)
        return;
    const md_table *data = &v->tables[MD_TABLE_FieldRVA], *sizes = &v->tables[MD_TABLE_ClassLayout];
    uint32_t way = below(m, layouts ? 6 : 4), row = below(m, fields), rva;
    if (way >= 4) {
        size_t at = place_of(m, sizes->rows) + (size_t)below(m, layouts) * sizes->row_bytes;
        put(m, at + v->column_offset[MD_ClassLayout_ClassSize], 4, below(m, 1u << (4 + below(m, 10))));
        return;
    }
    if (way == 0)
        rva = methods ? md_cell(v, MD_MethodDef_RVA, 1 + below(m, methods)) : 0;
    else if (way == 1)
        rva = image->pe.cli.metadata.rva;
    else if (way == 2)
        rva = image->pe.cli.resources.rva + image->pe.cli.resources.size;
    else
        rva = md_cell(v, MD_FieldRVA_RVA, 1 + below(m, fields));
    rva += below(m, 8);
    rva -= below(m, 32);
    put(m, place_of(m, data->rows) + (size_t)row * data->row_bytes + v->column_offset[MD_FieldRVA_RVA], 4, rva);
}

static void change_bytes(mutant *m) {
    size_t at = below(m, (uint32_t)m->size);
    for (uint32_t i = 1 + below(m, 8); i > 0; i--)
        change_field(m, at + below(m, 32), 1);
}

static void change(mutant *m) {
    static void (*const ways[])(mutant *) = {
        change_headers,   change_streams, change_cell, change_cell,   change_rows, change_heap, change_signature,
        change_signature, change_body,    change_body, change_clause, change_data, change_bytes};
    for (uint32_t i = 1 + below(m, MOST_CHANGES); i > 0; i--)
        ways[below(m, sizeof ways / sizeof ways[0])](m);
}

#endif
