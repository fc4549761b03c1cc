/* odd_metadata.c - writes an assembly again with metadata that no compiler makes:
 *
 *   odd_metadata VARIANT IN OUT
 *
 * pointers: #- with Ptr tables, each run of members in reverse; extra: #- with the extra-data flag;
 * edited: #- with EncLog and EncMap, as Edit-and-Continue leaves them; unsorted: attributes in reverse, no table marked
 * as sorted; twice: each attribute and constant twice; strings, blobs, guids: the heap filled up to what 2 bytes can
 * name; typerefs, memberrefs, typedefs, assemblyrefs, signatures: the table filled up to where a column widens;
 * text: #US filled up to 64 bytes below 16 MiB; streams: an unknown stream.
 * The new metadata stands at the end of the last section; the old stays where it was, unused. */
#include "made_metadata.h"
#include "pe/image.h"

#include <stdio.h>

static void die(const char *text) {
    fprintf(stderr, "odd_metadata: %s\n", text);
    exit(2);
}

static void read_file(buffer *b, const char *path) {
    FILE *f = fopen(path, "rb");
    uint8_t part[65536];
    if (!f)
        die("the input cannot be read");
    for (size_t got; (got = fread(part, 1, sizeof part, f)) > 0;)
        buffer_append(b, part, got);
    fclose(f);
}

static void copy(made *m, const md_view *view) {
    *m = (made){.heap_sizes = view->heap_sizes, .sorted = view->sorted};
    buffer_append(&m->strings, view->strings.data, view->strings.size);
    buffer_append(&m->blobs, view->blobs.data, view->blobs.size);
    buffer_append(&m->user_strings, view->user_strings.data, view->user_strings.size);
    buffer_append(&m->guids, view->guids.data, view->guids.size);
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        for (uint32_t row = 1; row <= view->tables[t].row_count; row++)
            for (unsigned c = 0; c < md_tables[t].column_count; c++)
                buffer_u32(&m->cells[t], md_cell(view, md_tables[t].first_column + c, row));
}

/* ---- Variants ---------------------------------------------------------------------------------------------------- */

/* A Ptr table for the lists of `column`: the run of each owner in reverse. */
static void point(made *m, const md_view *view, md_column column, md_table_id pointers) {
    md_table_id owner = md_columns[column].table;
    for (uint32_t row = 1; row <= view->tables[owner].row_count; row++) {
        md_run run = md_list(view, column, row);
        for (uint32_t at = run.end; at-- > run.first;)
            made_row(m, pointers, &at, 1);
    }
}

static void reverse(buffer *cells, size_t row_bytes) {
    uint8_t row[64];
    for (size_t a = 0, b = cells->size - row_bytes; cells->size && a < b; a += row_bytes, b -= row_bytes) {
        memcpy(row, cells->data + a, row_bytes);
        memcpy(cells->data + a, cells->data + b, row_bytes);
        memcpy(cells->data + b, row, row_bytes);
    }
}

static void each_twice(made *m, md_table_id table) {
    buffer old = m->cells[table];
    size_t row_bytes = (size_t)md_tables[table].column_count * 4;
    m->cells[table] = (buffer)BUFFER_INIT;
    for (size_t at = 0; at < old.size; at += row_bytes) {
        buffer_append(&m->cells[table], old.data + at, row_bytes);
        buffer_append(&m->cells[table], old.data + at, row_bytes);
    }
    buffer_clear(&old);
}

static void fill_heap(buffer *heap, size_t size) {
    if (heap->size < size)
        buffer_append_zeros(heap, size - heap->size);
}

/* The last row again and again, until there are `rows`. */
static void fill_table(made *m, md_table_id table, uint32_t rows) {
    uint32_t cells[16], count = md_tables[table].column_count;
    if (!made_rows(m, table))
        die("the table to fill is empty");
    for (uint32_t c = 0; c < count; c++)
        cells[c] = load_u32(m->cells[table].data + m->cells[table].size - (size_t)(count - c) * 4);
    while (made_rows(m, table) < rows)
        made_row(m, table, cells, count);
}

/* Types that have nothing, after all others. */
static void fill_types(made *m, uint32_t rows) {
    uint32_t fields = made_rows(m, MD_TABLE_Field) + 1, methods = made_rows(m, MD_TABLE_MethodDef) + 1;
    char name[16];
    while (made_rows(m, MD_TABLE_TypeDef) < rows) {
        snprintf(name, sizeof name, "T%u", made_rows(m, MD_TABLE_TypeDef));
        MADE_ROW(m, TypeDef, 0xA0, made_string(m, name), 0, 0, fields, methods);
    }
}

static void change(made *m, const md_view *view, const char *variant) {
    bool edited = !strcmp(variant, "edited");
    m->uncompressed = edited || !strcmp(variant, "pointers") || !strcmp(variant, "extra");
    if (!strcmp(variant, "pointers")) {
        point(m, view, MD_TypeDef_FieldList, MD_TABLE_FieldPtr);
        point(m, view, MD_TypeDef_MethodList, MD_TABLE_MethodPtr);
        point(m, view, MD_MethodDef_ParamList, MD_TABLE_ParamPtr);
        point(m, view, MD_EventMap_EventList, MD_TABLE_EventPtr);
        point(m, view, MD_PropertyMap_PropertyList, MD_TABLE_PropertyPtr);
    } else if (!strcmp(variant, "extra")) {
        m->heap_sizes |= MD_HEAP_EXTRA_DATA;
    } else if (!strcmp(variant, "unsorted")) {
        m->sorted = 0;
        reverse(&m->cells[MD_TABLE_CustomAttribute], (size_t)md_tables[MD_TABLE_CustomAttribute].column_count * 4);
    } else if (!strcmp(variant, "twice")) {
        each_twice(m, MD_TABLE_CustomAttribute);
        each_twice(m, MD_TABLE_Constant);
    } else if (!strcmp(variant, "strings")) {
        fill_heap(&m->strings, 0xFFFF);
    } else if (!strcmp(variant, "blobs")) {
        fill_heap(&m->blobs, 0xFFFF);
    } else if (!strcmp(variant, "guids")) {
        fill_heap(&m->guids, (size_t)0xFFFF * 16);
    } else if (!strcmp(variant, "typerefs")) {
        fill_table(m, MD_TABLE_TypeRef, 0x3FFF);
    } else if (!strcmp(variant, "memberrefs")) {
        fill_table(m, MD_TABLE_MemberRef, 0x1FFF);
    } else if (!strcmp(variant, "typedefs")) {
        fill_types(m, 0x3FFF);
    } else if (!strcmp(variant, "assemblyrefs")) {
        fill_table(m, MD_TABLE_AssemblyRef, 0x7FF);
    } else if (!strcmp(variant, "signatures")) {
        fill_table(m, MD_TABLE_StandAloneSig, 0x7FF);
    } else if (!strcmp(variant, "text")) {
        fill_heap(&m->user_strings, 0xFFFFFF - 64);
    } else if (!strcmp(variant, "streams")) {
        m->unknown = "#Unknown";
        buffer_append(&m->pdb, "what nobody knows", 17);
    } else if (edited) {
        for (uint32_t row = 1; row <= view->tables[MD_TABLE_MethodDef].row_count; row++) {
            MADE_ROW(m, EncLog, md_token_of(MD_TABLE_MethodDef, row), 0);
            MADE_ROW(m, EncMap, md_token_of(MD_TABLE_MethodDef, row));
        }
    } else {
        die("no such variant");
    }
    if (m->strings.size > 0xFFFF)
        m->heap_sizes |= MD_HEAP_STRINGS_WIDE;
}

/* ---- The image --------------------------------------------------------------------------------------------------- */

/* Puts the metadata at the end of the last section, which grows; so does the image. */
static void place(buffer *file, bytes metadata) {
    enum { SECTION_COUNT = 6, OPTIONAL_SIZE = 20, SECTION_HEADER = 40 };
    uint8_t *pe = file->data + load_u32(file->data + 0x3C);
    uint32_t alignment = load_u32(pe + 24 + 36), page = load_u32(pe + 24 + 32);
    size_t last = (size_t)(pe - file->data) + 24 + load_u16(pe + OPTIONAL_SIZE) +
                  (size_t)(load_u16(pe + SECTION_COUNT) - 1) * SECTION_HEADER;
    size_t size_of_image = (size_t)(pe - file->data) + 24 + 56;
    size_t directories = (size_t)(pe - file->data) + 24 + (load_u16(pe + 24) == 0x20B ? 112 : 96);
    uint32_t rva = load_u32(file->data + last + 12), raw = load_u32(file->data + last + 20);
    buffer_append_zeros(file, (alignment - file->size % alignment) % alignment);
    uint32_t start = (uint32_t)file->size;
    buffer_append(file, metadata.data, metadata.size);
    buffer_append_zeros(file, (alignment - file->size % alignment) % alignment);
    if (file->failed)
        die("no memory");
    uint32_t size = (uint32_t)file->size - raw, metadata_rva = rva + (start - raw);
    store_u32(file->data + last + 8, size);
    store_u32(file->data + last + 16, size);
    store_u32(file->data + size_of_image, (rva + size + page - 1) / page * page);
    uint32_t cli = load_u32(file->data + directories + 14 * 8);
    size_t first =
        (size_t)(load_u32(file->data + 0x3C)) + 24 + load_u16(file->data + load_u32(file->data + 0x3C) + OPTIONAL_SIZE);
    size_t cli_at = cli - load_u32(file->data + first + 12) + load_u32(file->data + first + 20);
    store_u32(file->data + cli_at + 8, metadata_rva);
    store_u32(file->data + cli_at + 12, (uint32_t)metadata.size);
}

int main(int argc, char **argv) {
    buffer file = BUFFER_INIT;
    arena a = ARENA_INIT;
    diag d = {0};
    pe_image image;
    md_view view;
    bytes metadata;
    made m;
    if (argc != 4)
        die("usage: odd_metadata VARIANT IN OUT");
    read_file(&file, argv[2]);
    if (pe_image_open(&image, buffer_bytes(&file), &a, &d) ||
        !pe_try_bytes(&image, image.cli.metadata.rva, image.cli.metadata.size, &metadata) ||
        md_view_open(&view, metadata, &a, &d))
        die("the input is no assembly");
    copy(&m, &view);
    change(&m, &view, argv[1]);
    place(&file, made_finish(&m));
    FILE *f = fopen(argv[3], "wb");
    if (!f || fwrite(file.data, 1, file.size, f) != file.size || fclose(f))
        die("the output cannot be written");
    made_clear(&m);
    arena_clear(&a);
    buffer_clear(&file);
    return 0;
}
