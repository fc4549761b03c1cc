/* Metadata views over bytes made by hand: what compilers never write, and what is broken. */
#define _GNU_SOURCE
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "made_metadata.h"

static void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)severity;
    snprintf(user, 300, "%u %s", (unsigned)code, text);
}

static ecma_status open_told(md_view *view, bytes metadata, arena *a, char *told) {
    diag d = {.sink = keep, .user = told, .file = "M"};
    told[0] = 0;
    ecma_status status = md_view_open(view, metadata, a, &d);
    assert_int_equal(d.errors, status == ECMA_OK ? 0 : 1);
    return status;
}

static void begin(made *m) {
    made_init(m);
    buffer_append_zeros(&m->guids, 16);
    MADE_ROW(m, Module, 0, made_string(m, "M.dll"), 1, 0, 0);
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(m, TypeDef, 1, made_string(m, "Type"), made_string(m, "Space"), 6, 1, 2);
    for (uint32_t i = 0; i < 4; i++)
        MADE_ROW(m, MethodDef, 0x2050 + i, i, 0x86, made_string(m, "M"), MADE_BLOB(m, 0, 0, 1), 1);
}

/* A view over `m`, which must open. */
static md_view open_made(made *m, arena *a) {
    md_view view;
    char told[300];
    if (open_told(&view, made_finish(m), a, told))
        fail_msg("%s", told);
    return view;
}

static void rows_read_back_in_every_width(void **state) {
    (void)state;
    static const uint8_t sizes[] = {0,
                                    MD_HEAP_STRINGS_WIDE,
                                    MD_HEAP_GUID_WIDE,
                                    MD_HEAP_BLOB_WIDE,
                                    MD_HEAP_STRINGS_WIDE | MD_HEAP_GUID_WIDE | MD_HEAP_BLOB_WIDE,
                                    MD_HEAP_EXTRA_DATA,
                                    MD_HEAP_EXTRA_DATA | MD_HEAP_BLOB_WIDE};
    for (size_t i = 0; i < sizeof sizes; i++) {
        made m;
        arena a = ARENA_INIT;
        begin(&m);
        m.heap_sizes = sizes[i];
        m.uncompressed = i % 2;
        md_view view = open_made(&m, &a);
        assert_int_equal(view.uncompressed, i % 2);
        assert_int_equal(view.extra_data, sizes[i] & MD_HEAP_EXTRA_DATA ? 0x12345678 : 0);
        assert_int_equal(view.column_width[MD_MethodDef_Name], sizes[i] & MD_HEAP_STRINGS_WIDE ? 4 : 2);
        assert_int_equal(view.column_width[MD_MethodDef_Signature], sizes[i] & MD_HEAP_BLOB_WIDE ? 4 : 2);
        assert_int_equal(view.column_width[MD_Module_Mvid], sizes[i] & MD_HEAP_GUID_WIDE ? 4 : 2);
        assert_string_equal(md_name(&view, MD_TypeDef_TypeName, 2), "Type");
        assert_true(md_name_is(&view, MD_TypeDef_TypeNamespace, 2, "Space"));
        assert_int_equal(md_row_count(&view, MD_TABLE_MethodDef), 4);
        assert_int_equal(md_cell(&view, MD_MethodDef_RVA, 4), 0x2053);
        assert_int_equal(md_cell(&view, MD_MethodDef_ImplFlags, 3), 2);
        assert_int_equal(md_cell_token(&view, MD_TypeDef_Extends, 2), 0x1B000001);
        assert_int_equal(md_cell_token(&view, MD_TypeDef_Extends, 1), 0);
        bytes blob;
        assert_true(md_try_blob(&view, md_cell(&view, MD_MethodDef_Signature, 4), &blob));
        assert_int_equal(blob.size, 3);
        for (unsigned c = 0; c < MD_COLUMN_COUNT; c++) {
            md_cells cells = md_cells_of(&view, (md_column)c);
            assert_int_equal(cells.row_count, md_row_count(&view, md_columns[c].table));
            for (uint32_t row = 1; row <= cells.row_count; row++)
                assert_int_equal(md_cells_take(&cells), md_cell(&view, (md_column)c, row));
        }
        arena_clear(&a);
        made_clear(&m);
    }
}

static void missing_rows_read_as_zero(void **state) {
    (void)state;
    made m;
    arena a = ARENA_INIT;
    begin(&m);
    md_view view = open_made(&m, &a);
    assert_int_equal(md_cell(&view, MD_MethodDef_RVA, 0), 0);
    assert_int_equal(md_cell(&view, MD_MethodDef_RVA, 5), 0);
    assert_int_equal(md_cell(&view, MD_MethodDef_RVA, UINT32_MAX), 0);
    assert_int_equal(md_cell(&view, MD_Property_Name, 1), 0);
    assert_false(md_row_exists(&view, MD_TABLE_MethodDef, 0));
    assert_false(md_row_exists(&view, MD_TABLE_MethodDef, 5));
    arena_clear(&a);
    made_clear(&m);
}

static void index_widens_at_65536_rows(void **state) {
    (void)state;
    uint32_t rows[MD_TABLE_SPACE] = {0};
    rows[MD_TABLE_TypeDef] = 0xFFFF;
    assert_int_equal(md_column_width_for(MD_NestedClass_NestedClass, rows, 0), 2);
    rows[MD_TABLE_TypeDef] = 0x10000;
    assert_int_equal(md_column_width_for(MD_NestedClass_NestedClass, rows, 0), 4);
    /* A list goes through its Ptr table, which may have more rows than what it points to. */
    rows[MD_TABLE_MethodDef] = 1;
    rows[MD_TABLE_MethodPtr] = 0x10000;
    assert_int_equal(md_column_width_for(MD_TypeDef_MethodList, rows, 0), 4);
    assert_int_equal(md_column_width_for(MD_MethodPtr_Method, rows, 0), 2);
}

/* Every column that is a coded index, at the limit of every table it can name. */
static void coded_index_widens_when_the_tag_leaves_too_few_bits(void **state) {
    (void)state;
    unsigned columns = 0;
    for (unsigned c = 0; c < MD_COLUMN_COUNT; c++) {
        if (md_columns[c].kind != MD_KIND_CODED)
            continue;
        columns++;
        const md_coded_schema *coded = &md_codeds[md_columns[c].argument];
        for (unsigned tag = 0; tag < coded->table_count; tag++) {
            uint32_t rows[MD_TABLE_SPACE] = {0};
            if (coded->tables[tag] == MD_TABLE_NONE)
                continue;
            rows[coded->tables[tag]] = (0x10000u >> coded->bits) - 1;
            assert_int_equal(md_column_width_for((md_column)c, rows, 0), 2);
            rows[coded->tables[tag]]++;
            assert_int_equal(md_column_width_for((md_column)c, rows, 0), 4);
        }
    }
    assert_true(columns >= 14);
}

static void wide_rows_read_behind_65536_others(void **state) {
    (void)state;
    made m;
    arena a = ARENA_INIT;
    begin(&m);
    for (uint32_t i = 0; i < 0x10000; i++)
        MADE_ROW(&m, Field, i & 0xFFFF, 1, 0);
    made_set(&m, MD_TypeDef_FieldList, 2, 0x10000);
    md_view view = open_made(&m, &a);
    assert_int_equal(view.column_width[MD_TypeDef_FieldList], 4);
    assert_int_equal(md_cell(&view, MD_TypeDef_FieldList, 2), 0x10000);
    assert_int_equal(md_cell(&view, MD_Field_Flags, 0x10000), 0xFFFF);
    md_run run = md_list(&view, MD_TypeDef_FieldList, 2);
    assert_int_equal(run.first, 0x10000);
    assert_int_equal(run.end, 0x10001);
    assert_int_equal(md_cell(&view, MD_MethodDef_RVA, 1), 0x2050);
    arena_clear(&a);
    made_clear(&m);
}

static void runs_end_where_the_next_begins(void **state) {
    (void)state;
    made m;
    arena a = ARENA_INIT;
    begin(&m);
    md_view view = open_made(&m, &a);
    md_run run = md_list(&view, MD_TypeDef_MethodList, 1);
    assert_int_equal(run.end - run.first, 1);
    run = md_list(&view, MD_TypeDef_MethodList, 2);
    assert_int_equal(run.end - run.first, 3);
    assert_int_equal(md_run_row(&view, &run, run.first), 2);
    arena_clear(&a);
    /* A range that leads outside the table is cut. */
    made_set(&m, MD_TypeDef_MethodList, 1, 0);
    made_set(&m, MD_TypeDef_MethodList, 2, 100);
    view = open_made(&m, &a);
    run = md_list(&view, MD_TypeDef_MethodList, 1);
    assert_int_equal(run.first, run.end);
    run = md_list(&view, MD_TypeDef_MethodList, 2);
    assert_int_equal(run.first, run.end);
    run = md_list(&view, MD_TypeDef_MethodList, 99);
    assert_int_equal(run.first, run.end);
    arena_clear(&a);
    made_clear(&m);
}

static void runs_go_through_ptr_tables(void **state) {
    (void)state;
    made m;
    arena a = ARENA_INIT;
    begin(&m);
    m.uncompressed = true;
    for (uint32_t i = 0; i < 4; i++)
        MADE_ROW(&m, MethodPtr, 4 - i);
    MADE_ROW(&m, EncLog, 0x06000001, 0);
    MADE_ROW(&m, EncMap, 0x06000001);
    md_view view = open_made(&m, &a);
    md_run run = md_list(&view, MD_TypeDef_MethodList, 2);
    assert_int_equal(run.table, MD_TABLE_MethodDef);
    assert_int_equal(md_run_row(&view, &run, run.first), 3);
    assert_int_equal(md_run_row(&view, &run, run.end - 1), 1);
    assert_int_equal(md_cell(&view, MD_EncLog_Token, 1), 0x06000001);
    arena_clear(&a);
    made_clear(&m);
}

static void heap_entries_stay_within_their_heap(void **state) {
    (void)state;
    made m;
    arena a = ARENA_INIT;
    begin(&m);
    buffer_append(&m.strings, "open", 4);
    buffer_append(&m.blobs,
                  "\x05"
                  "ab",
                  3);
    buffer_append(&m.blobs, "\xE0", 1); /* no length begins so */
    buffer_append(&m.user_strings, "\x81", 1);
    uint32_t strings = (uint32_t)m.strings.size, blobs = (uint32_t)m.blobs.size, user = (uint32_t)m.user_strings.size;
    md_view view = open_made(&m, &a);
    bytes found;
    assert_true(md_try_string(&view, 0, &found));
    assert_int_equal(found.size, 0);
    assert_false(md_try_string(&view, strings - 4, &found));
    assert_false(md_try_string(&view, strings, &found));
    assert_false(md_try_string(&view, UINT32_MAX, &found));
    assert_true(md_try_blob(&view, 0, &found));
    assert_false(md_try_blob(&view, blobs - 4, &found));
    assert_false(md_try_blob(&view, blobs - 1, &found));
    assert_false(md_try_blob(&view, UINT32_MAX, &found));
    assert_false(md_try_user_string(&view, user - 1, &found));
    assert_true(md_try_guid(&view, 1, &found));
    assert_false(md_try_guid(&view, 0, &found));
    assert_false(md_try_guid(&view, 2, &found));
    arena_clear(&a);
    made_clear(&m);
}

/* Offset 0 stands for an empty blob where there is no heap; any other offset leads outside. */
static void without_a_blob_heap_only_offset_0_is_a_blob(void **state) {
    (void)state;
    made m;
    arena a = ARENA_INIT;
    begin(&m);
    md_view view = open_made(&m, &a);
    bytes found = {(const uint8_t *)"x", 1};
    const bytes heap = view.blobs;
    view.blobs = (bytes){0};
    assert_true(md_try_blob(&view, 0, &found));
    assert_int_equal(found.size, 0);
    assert_false(md_try_blob(&view, 1, &found));
    view.blobs = bytes_of((const uint8_t *)"\2ab", 3); /* no compiler's; what stands there is read */
    assert_true(md_try_blob(&view, 0, &found));
    assert_int_equal(found.size, 2);
    assert_memory_equal(found.data, "ab", 2);
    view.blobs = heap;
    arena_clear(&a);
    made_clear(&m);
}

static void every_cut_is_refused_with_one_line(void **state) {
    (void)state;
    made m;
    begin(&m);
    buffer whole = BUFFER_INIT;
    bytes metadata = made_finish(&m);
    buffer_append(&whole, metadata.data, metadata.size);
    for (size_t size = 0; size < metadata.size; size++) {
        md_view view;
        arena a = {.one_by_one = true};
        char told[300];
        uint8_t *cut = malloc(size ? size : 1);
        memcpy(cut, whole.data, size);
        /* The last stream's padding may go; nothing else may. */
        if (open_told(&view, bytes_of(cut, size), &a, told) == ECMA_OK)
            assert_true(metadata.size - size < 4);
        else
            assert_true(told[0] != 0);
        arena_clear(&a);
        free(cut);
    }
    buffer_clear(&whole);
    made_clear(&m);
}

static size_t find(bytes b, const char *text, size_t size) {
    for (size_t at = 0; at + size <= b.size; at++)
        if (memcmp(b.data + at, text, size) == 0)
            return at;
    fail_msg("%s not found", text);
    return 0;
}

/* One changed byte each, and what is said of it. */
static void broken_headers_are_told(void **state) {
    (void)state;
    static const struct {
        const char *anchor;
        size_t size;
        int offset; /* from the anchor's first byte */
        uint8_t value;
        const char *told;
    } rows[] = {
        {"BSJB", 4, 0, 'X', "200 metadata root: signature"},
        {"BSJB", 4, 14, 1, "200 metadata root: version string of 65548 bytes"},
        {"#~", 3, 0, 'X', "201 no table stream"},
        {"#~", 3, 1, '+', "201 no table stream"},
        {"#US", 4, 3, 'x', NULL}, /* #USx… runs into the next header's bytes, but ends */
        {"#Blob", 6, -5, 0xFF, "200 stream #Blob: "},
        {"#Strings", 9, -4, 0xFF, NULL}, /* 255 bytes fit: streams may overlap */
        {"#Strings", 9, -1, 0x7F, "200 stream #Strings: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m;
        md_view view;
        arena a = ARENA_INIT;
        char told[300];
        begin(&m);
        bytes metadata = made_finish(&m);
        m.out.data[find(metadata, rows[i].anchor, rows[i].size) + (size_t)rows[i].offset] = rows[i].value;
        ecma_status status = open_told(&view, metadata, &a, told);
        if (rows[i].told) {
            assert_int_equal(status, ECMA_BAD_FILE);
            if (strncmp(told, rows[i].told, strlen(rows[i].told)) != 0)
                fail_msg("told: %s; expected: %s", told, rows[i].told);
        }
        arena_clear(&a);
        made_clear(&m);
    }
}

static void unknown_tables_and_too_many_rows_are_refused(void **state) {
    (void)state;
    static const struct {
        size_t offset; /* from the table stream's start */
        uint8_t value;
        const char *told;
    } rows[] = {
        {8 + 5, 0x80, "201 table stream: Valid names table 0x2f"},
        {8 + 7, 0x01, "201 table stream: Valid names table 0x38"},
        {24 + 3, 0x01, "201 table Module: 16777217 rows"},
        {24 + 2, 0x01, "201 table Module: 65537 rows of "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m;
        md_view view;
        arena a = ARENA_INIT;
        char told[300];
        begin(&m);
        bytes metadata = made_finish(&m);
        size_t header = find(metadata, "#~", 3) - 8;
        m.out.data[load_u32(metadata.data + header) + rows[i].offset] = rows[i].value;
        assert_int_equal(open_told(&view, metadata, &a, told), ECMA_BAD_FILE);
        if (strncmp(told, rows[i].told, strlen(rows[i].told)) != 0)
            fail_msg("told: %s; expected: %s", told, rows[i].told);
        arena_clear(&a);
        made_clear(&m);
    }
}

static void coded_indexes_decode_and_encode(void **state) {
    (void)state;
    unsigned reserved = 0;
    for (unsigned kind = 0; kind < MD_CODED_COUNT; kind++)
        for (uint32_t value = 0; value < 1000; value++) {
            md_token token = md_coded_decode((md_coded)kind, value);
            if (token == 0xFFFFFFFF)
                reserved++;
            else
                assert_int_equal(md_coded_encode((md_coded)kind, token), value);
        }
    assert_true(reserved > 0);
    assert_int_equal(md_coded_decode(MD_CODED_CustomAttributeType, 0x10 | 2), 0x06000002);
    assert_int_equal(md_coded_decode(MD_CODED_CustomAttributeType, 0x10 | 4), 0xFFFFFFFF);
    assert_int_equal(md_coded_decode(MD_CODED_ResolutionScope, 7), 0x01000001);
}

/* The stream header's name stands after its offset and its size (II.24.2.2). */
static void streams_that_share_bytes_are_refused(void **state) {
    (void)state;
    for (int overlap = 0; overlap < 2; overlap++) {
        made m;
        arena a = ARENA_INIT;
        md_view view;
        char told[300];
        begin(&m);
        bytes whole = made_finish(&m);
        uint8_t *copy = malloc(whole.size);
        assert_non_null(copy);
        memcpy(copy, whole.data, whole.size);
        uint8_t *strings = memmem(copy, whole.size, "#Strings", 8);
        uint8_t *blobs = memmem(copy, whole.size, "#Blob", 5);
        assert_true(strings && blobs);
        assert_true(load_u32(strings - 4) > 0 && load_u32(blobs - 4) > 0);
        if (overlap)
            store_u32(blobs - 8, load_u32(strings - 8) + load_u32(strings - 4) - 1);
        ecma_status status = open_told(&view, bytes_of(copy, whole.size), &a, told);
        assert_int_equal(status, overlap ? ECMA_BAD_FILE : ECMA_OK);
        assert_true(!overlap || strstr(told, "share bytes"));
        free(copy);
        arena_clear(&a);
        made_clear(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_read_back_in_every_width),
        cmocka_unit_test(streams_that_share_bytes_are_refused),
        cmocka_unit_test(missing_rows_read_as_zero),
        cmocka_unit_test(index_widens_at_65536_rows),
        cmocka_unit_test(coded_index_widens_when_the_tag_leaves_too_few_bits),
        cmocka_unit_test(wide_rows_read_behind_65536_others),
        cmocka_unit_test(runs_end_where_the_next_begins),
        cmocka_unit_test(runs_go_through_ptr_tables),
        cmocka_unit_test(heap_entries_stay_within_their_heap),
        cmocka_unit_test(without_a_blob_heap_only_offset_0_is_a_blob),
        cmocka_unit_test(every_cut_is_refused_with_one_line),
        cmocka_unit_test(broken_headers_are_told),
        cmocka_unit_test(unknown_tables_and_too_many_rows_are_refused),
        cmocka_unit_test(coded_indexes_decode_and_encode),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
