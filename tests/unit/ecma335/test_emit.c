/* Metadata with additions, where they change how wide columns are: heaps that cross 64 KiB by what is added, tables
 * that cross what a 2-byte index can name. Each output is read again, cell by cell. */
#include "unit.h"

#include "made_metadata.h"
#include "metadata/edit.h"
#include "metadata/emit.h"

#include <stdlib.h>

typedef struct written {
    buffer out;
    md_view view;
    arena arena;
} written;

static void open_view(md_view *view, bytes metadata, arena *a) {
    diag d = {0};
    assert_int_equal(md_view_open(view, metadata, a, &d), ECMA_OK);
}

/* With long runs borrowed it is the same, and their places are not touched. */
static void assert_same_borrowed(const md_plan *plan, const md_edit *edit, const uint8_t *whole) {
    md_borrowed borrowed = {0};
    uint8_t *p = malloc(plan->size);
    uint32_t end = 0;
    assert_non_null(p);
    memset(p, 0xCC, plan->size);
    md_emit_write(plan, edit, p, &borrowed);
    for (uint32_t i = 0; i < borrowed.count; i++) {
        const borrowed_run *r = &borrowed.runs[i];
        assert_true(r->offset >= end && r->size >= MD_BORROWED_BYTES && r->size <= plan->size - r->offset);
        end = r->offset + r->size;
        for (uint32_t k = 0; k < r->size; k++)
            assert_int_equal(p[r->offset + k], 0xCC);
        memcpy(p + r->offset, r->data, r->size);
    }
    assert_memory_equal(p, whole, plan->size);
    free(p);
}

static void write_edit(written *w, const md_edit *edit) {
    diag d = {0};
    md_plan plan;
    *w = (written){0};
    assert_int_equal(md_emit_plan(&plan, edit, &d), ECMA_OK);
    uint8_t *p = buffer_extend(&w->out, plan.size);
    assert_non_null(p);
    memset(p, 0xCC, plan.size); /* every byte is written */
    md_emit_write(&plan, edit, p, NULL);
    assert_same_borrowed(&plan, edit, p);
    open_view(&w->view, buffer_bytes(&w->out), &w->arena);
}

static void clear_written(written *w) {
    buffer_clear(&w->out);
    arena_clear(&w->arena);
}

/* All old cells and heap bytes are there, but for the columns given new values. */
static void assert_old_kept(const md_view *old, const md_view *new) {
    for (unsigned t = 0; t < MD_TABLE_SPACE; t++)
        for (uint32_t row = 1; row <= old->tables[t].row_count; row++)
            for (unsigned c = 0; c < md_tables[t].column_count; c++) {
                md_column column = md_tables[t].first_column + c;
                if (md_cell(old, column, row) != md_cell(new, column, row))
                    fail_msg("%s row %u, %s: %u became %u", md_tables[t].name, row, md_columns[column].name,
                             md_cell(old, column, row), md_cell(new, column, row));
            }
    const bytes heaps[][2] = {
        {old->strings, new->strings}, {old->blobs, new->blobs}, {old->user_strings, new->user_strings}};
    for (unsigned i = 0; i < 3; i++)
        assert_true(heaps[i][0].size <= heaps[i][1].size &&
                    (heaps[i][0].size == 0 || memcmp(heaps[i][0].data, heaps[i][1].data, heaps[i][0].size) == 0));
    assert_true(bytes_equal(old->guids, new->guids));
}

static void begin(made *m) {
    made_init(m);
    buffer_append_zeros(&m->guids, 16);
    uint32_t nothing = MADE_BLOB(m, 0, 0, 1);
    MADE_ROW(m, Module, 0, made_string(m, "M.dll"), 1, 0, 0);
    MADE_ROW(m, TypeRef, 6, made_string(m, "Object"), made_string(m, "System"));
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(m, TypeDef, 1, made_string(m, "Class"), 0, 5, 1, 1);
    MADE_ROW(m, MethodDef, 0x2050, 0, 0x96, made_string(m, "Method"), nothing, 1);
    MADE_ROW(m, MemberRef, 9, made_string(m, ".ctor"), nothing);
    MADE_ROW(m, Constant, 8, 0, 1 << 2 | 1, nothing); /* the one table with columns of one byte */
    MADE_ROW(m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(m, "mscorlib"), 0, 0);
}

/* The heap is filled to `size` bytes, then one string is added. */
static void string_crosses(size_t size, unsigned width_before, unsigned width_after) {
    made m;
    begin(&m);
    buffer_append_zeros(&m.strings, size - m.strings.size);
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    assert_int_equal(view.strings.size, size);
    assert_int_equal(view.column_width[MD_TypeDef_TypeName], width_before);
    md_edit edit;
    md_edit_init(&edit, &view);
    uint32_t name = md_edit_string(&edit, "New");
    assert_int_equal(name, size);
    md_token type = md_edit_row(&edit, MD_TABLE_TypeDef, (uint32_t[]){1, name, 0, 5, 1, 2});
    written w;
    write_edit(&w, &edit);
    assert_int_equal(w.view.column_width[MD_TypeDef_TypeName], width_after);
    assert_int_equal(w.view.column_width[MD_MethodDef_Signature], 2);
    assert_old_kept(&view, &w.view);
    assert_int_equal(md_token_row(type), 3);
    assert_string_equal(md_name(&w.view, MD_TypeDef_TypeName, 3), "New");
    assert_string_equal(md_name(&w.view, MD_TypeDef_TypeName, 2), "Class");
    clear_written(&w);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

static void strings_cross_64_KiB(void **state) {
    (void)state;
    string_crosses(0xFFF0, 2, 2);
    string_crosses(0xFFFB, 2, 2); /* 0xFFFF bytes: the last index that fits is below */
    string_crosses(0xFFFC, 2, 4); /* 0x10000 */
    string_crosses(0xFFFF, 2, 4);
}

static void blobs_cross_64_KiB(void **state) {
    (void)state;
    made m;
    begin(&m);
    buffer_append_zeros(&m.blobs, 0xFFFB - m.blobs.size); /* with the new one, 0x10000 */
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    md_edit edit;
    md_edit_init(&edit, &view);
    uint32_t blob = md_edit_blob(&edit, bytes_of("\0\1\1\x0E", 4));
    md_edit_row(&edit, MD_TABLE_StandAloneSig, &blob);
    written w;
    write_edit(&w, &edit);
    assert_int_equal(view.column_width[MD_MethodDef_Signature], 2);
    assert_int_equal(w.view.column_width[MD_MethodDef_Signature], 4);
    assert_int_equal(w.view.column_width[MD_MethodDef_Name], 2);
    assert_old_kept(&view, &w.view);
    bytes found;
    assert_true(md_try_blob(&w.view, md_cell(&w.view, MD_StandAloneSig_Signature, 1), &found));
    assert_true(bytes_equal(found, bytes_of("\0\1\1\x0E", 4)));
    clear_written(&w);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

/* A heap that is wide by its flag, though it is small, stays so. */
static void a_wide_heap_stays_wide(void **state) {
    (void)state;
    made m;
    begin(&m);
    m.heap_sizes = MD_HEAP_STRINGS_WIDE | MD_HEAP_EXTRA_DATA;
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    md_edit edit;
    md_edit_init(&edit, &view);
    md_edit_row(&edit, MD_TABLE_TypeRef, (uint32_t[]){6, md_edit_string(&edit, "Added"), 0});
    written w;
    write_edit(&w, &edit);
    assert_int_equal(w.view.column_width[MD_TypeDef_TypeName], 4);
    assert_int_equal(w.view.extra_data, 0x12345678);
    assert_old_kept(&view, &w.view);
    assert_string_equal(md_name(&w.view, MD_TypeRef_TypeName, 2), "Added");
    clear_written(&w);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

/* `table` gets rows until it has `rows`, then one more: the width of `column`, which names its rows, goes up. */
static void row_crosses(md_table_id table, const uint32_t *cells, uint32_t rows, md_column column) {
    made m;
    begin(&m);
    uint32_t column_count = md_tables[table].column_count;
    while (made_rows(&m, table) < rows)
        made_row(&m, table, cells, column_count);
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    assert_int_equal(view.column_width[column], 2);
    md_edit edit;
    md_edit_init(&edit, &view);
    assert_int_equal(md_token_row(md_edit_row(&edit, table, cells)), rows + 1);
    written w;
    write_edit(&w, &edit);
    assert_int_equal(w.view.column_width[column], 4);
    assert_int_equal(w.view.tables[table].row_count, rows + 1);
    assert_old_kept(&view, &w.view);
    for (unsigned c = 0; c < column_count; c++)
        assert_int_equal(md_cell(&w.view, md_tables[table].first_column + c, rows + 1), cells[c]);
    clear_written(&w);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

static void rows_cross_what_2_bytes_name(void **state) {
    (void)state;
    row_crosses(MD_TABLE_TypeRef, (uint32_t[]){6, 1, 0}, 0x3FFF, MD_TypeDef_Extends);        /* 2 bits of tag */
    row_crosses(MD_TABLE_TypeRef, (uint32_t[]){6, 1, 0}, 0x1FFF, MD_MemberRef_Class);        /* 3 bits */
    row_crosses(MD_TABLE_TypeRef, (uint32_t[]){6, 1, 0}, 0x7FF, MD_CustomAttribute_Parent);  /* 5 bits */
    row_crosses(MD_TABLE_MemberRef, (uint32_t[]){9, 1, 1}, 0x1FFF, MD_CustomAttribute_Type); /* 3 bits */
    row_crosses(MD_TABLE_MemberRef, (uint32_t[]){9, 1, 1}, 0x7FFF, MD_MethodSpec_Method);    /* 1 bit */
    row_crosses(MD_TABLE_AssemblyRef, (uint32_t[]){4, 0, 0, 0, 0, 0, 1, 0, 0}, 0x3FFF, MD_TypeRef_ResolutionScope);
    row_crosses(MD_TABLE_MethodDef, (uint32_t[]){0, 0, 0x96, 1, 1, 1}, 0xFFFF, MD_TypeDef_MethodList);
    row_crosses(MD_TABLE_Field, (uint32_t[]){0x16, 1, 1}, 0xFFFF, MD_TypeDef_FieldList);
    row_crosses(MD_TABLE_TypeDef, (uint32_t[]){1, 1, 0, 5, 1, 2}, 0xFFFF, MD_NestedClass_EnclosingClass);
    row_crosses(MD_TABLE_ManifestResource, (uint32_t[]){0, 2, 1, 0}, 0x7FF, MD_CustomAttribute_Parent);
}

/* The byte after a string is 1 where a character has any bit in its upper byte, or is one of these (II.24.2.4). */
static void a_user_string_says_whether_it_needs_more_than_8_bits(void **state) {
    (void)state;
    static const uint8_t special[] = {0x01, 0x02, 0x03, 0x04, 0x05, 0x06, 0x07, 0x08, 0x0E, 0x0F,
                                      0x10, 0x11, 0x12, 0x13, 0x14, 0x15, 0x16, 0x17, 0x18, 0x19,
                                      0x1A, 0x1B, 0x1C, 0x1D, 0x1E, 0x1F, 0x27, 0x2D, 0x7F};
    made m;
    begin(&m);
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    md_edit edit;
    md_edit_init(&edit, &view);
    for (uint32_t u = 0; u <= 0x101; u++) {
        const uint16_t text[] = {'a', (uint16_t)u, 'b'};
        uint32_t at = md_edit_user_string(&edit, text, 3) & 0xFFFFFF;
        const uint8_t *entry = edit.user_strings.data + (at - view.user_strings.size);
        const uint8_t expected[] = {7,
                                    'a',
                                    0,
                                    (uint8_t)u,
                                    (uint8_t)(u >> 8),
                                    'b',
                                    0,
                                    u > 0xFF || (u && memchr(special, (int)u, sizeof special))};
        assert_memory_equal(entry, expected, sizeof expected);
    }
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

static void user_strings_stop_at_24_bits(void **state) {
    (void)state;
    made m;
    begin(&m);
    buffer_append_zeros(&m.user_strings, MD_USER_STRINGS_MAX_BYTES - 12 - m.user_strings.size);
    md_view view;
    arena a = ARENA_INIT;
    diag d = {0};
    open_view(&view, made_finish(&m), &a);
    md_edit edit;
    md_plan plan;
    md_edit_init(&edit, &view);
    const uint16_t text[] = {'a', 0x263A};
    assert_int_equal(md_edit_user_string(&edit, text, 2), 0x70000000 | (MD_USER_STRINGS_MAX_BYTES - 12));
    assert_int_equal(md_emit_plan(&plan, &edit, &d), ECMA_OK);
    assert_int_equal(md_edit_user_string(&edit, text, 2), 0); /* its end could still be named, but not what follows */
    assert_int_equal(md_emit_plan(&plan, &edit, &d), ECMA_UNSUPPORTED);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

static void a_last_string_without_its_end_gets_one(void **state) {
    (void)state;
    made m;
    begin(&m);
    buffer_append(&m.strings, "open", 4);
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    md_edit edit;
    md_edit_init(&edit, &view);
    uint32_t name = md_edit_string(&edit, "New");
    md_edit_row(&edit, MD_TABLE_TypeRef, (uint32_t[]){6, name, name - 5});
    written w;
    write_edit(&w, &edit);
    assert_string_equal(md_name(&w.view, MD_TypeRef_TypeName, 2), "New");
    assert_string_equal(md_name(&w.view, MD_TypeRef_TypeNamespace, 2), "open");
    clear_written(&w);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

/* #- with Ptr tables: a new method gets its pointer, and list ends count pointers. */
static void added_methods_get_their_pointers(void **state) {
    (void)state;
    made m;
    begin(&m);
    m.uncompressed = true;
    MADE_ROW(&m, MethodPtr, 1);
    MADE_ROW(&m, MethodPtr, 1);
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    md_edit edit;
    md_edit_init(&edit, &view);
    assert_int_equal(md_edit_list_end(&edit, MD_TABLE_MethodDef), 3);
    md_edit_row(&edit, MD_TABLE_TypeDef, (uint32_t[]){1, 1, 0, 5, 1, 3});
    md_edit_row(&edit, MD_TABLE_MethodDef, (uint32_t[]){0, 0, 0x96, 1, 1, 1});
    written w;
    write_edit(&w, &edit);
    md_run run = md_list(&w.view, MD_TypeDef_MethodList, 3);
    assert_int_equal(run.end - run.first, 1);
    assert_int_equal(md_run_row(&w.view, &run, run.first), 2);
    clear_written(&w);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

static void new_RVAs_and_the_MVID_go_where_they_belong(void **state) {
    (void)state;
    made m;
    begin(&m);
    MADE_ROW(&m, FieldRVA, 0x2060, 1);
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    md_edit edit;
    md_edit_init(&edit, &view);
    md_edit_row(&edit, MD_TABLE_MethodDef, (uint32_t[]){0, 0, 0x96, 1, 1, 1});
    static const uint32_t methods[] = {0x3000, 0x3100}, fields[] = {0x4000};
    edit.columns[MD_MethodDef_RVA] = methods;
    edit.columns[MD_FieldRVA_RVA] = fields;
    edit.set_mvid = true;
    memset(edit.mvid, 0xAB, sizeof edit.mvid);
    written w;
    write_edit(&w, &edit);
    assert_int_equal(md_cell(&w.view, MD_MethodDef_RVA, 1), 0x3000);
    assert_int_equal(md_cell(&w.view, MD_MethodDef_RVA, 2), 0x3100);
    assert_int_equal(md_cell(&w.view, MD_FieldRVA_RVA, 1), 0x4000);
    assert_int_equal(md_cell(&w.view, MD_FieldRVA_Field, 1), 1);
    bytes guid;
    assert_true(md_try_guid(&w.view, 1, &guid));
    assert_memory_equal(guid.data, edit.mvid, 16);
    clear_written(&w);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

/* A last stream may end anywhere (II.24.2.2 asks for headers on 4-byte steps): zeros stand after it. */
static void the_bytes_behind_the_last_stream_are_zeros(void **state) {
    (void)state;
    made m;
    begin(&m);
    md_view view;
    arena a = ARENA_INIT;
    open_view(&view, made_finish(&m), &a);
    md_stream *last = &view.streams[view.stream_count - 1];
    last->size = (last->size & ~3u) - 3;
    md_edit edit;
    md_edit_init(&edit, &view);
    diag d = {0};
    md_plan plan;
    assert_int_equal(md_emit_plan(&plan, &edit, &d), ECMA_OK);
    uint8_t *p = malloc(plan.size);
    assert_non_null(p);
    memset(p, 0xCC, plan.size);
    md_emit_write(&plan, &edit, p, NULL);
    assert_int_equal(plan.size % 4, 0);
    assert_memory_equal(p + plan.size - 3, "\0\0\0", 3);
    assert_memory_equal(p + plan.size - 3 - last->size, view.metadata.data + last->offset, last->size);
    free(p);
    md_edit_clear(&edit);
    arena_clear(&a);
    made_clear(&m);
}

/* A blob takes up to four bytes for its size (II.24.2.4), and a heap ends at the largest size that those can name. */
static void a_heap_ends_at_its_limit(void **state) {
    (void)state;
    enum { BLOB_BYTES = 0x4000, WHOLE = BLOB_BYTES + 4 };
    static const uint8_t blob[BLOB_BYTES];
    for (uint32_t missing = 0; missing < 3; missing++) {
        /* Only the size of what is there is asked for. */
        md_view view = {.blobs = {NULL, MD_HEAP_MAX_BYTES - WHOLE + missing}};
        md_edit edit;
        md_edit_init(&edit, &view);
        uint32_t offset = md_edit_blob(&edit, bytes_of(blob, sizeof blob));
        assert_int_equal(edit.over_limit, missing > 0);
        assert_int_equal(offset, missing > 0 ? 0 : MD_HEAP_MAX_BYTES - WHOLE);
        assert_int_equal(edit.blobs.size, missing > 0 ? 0 : WHOLE);
        md_edit_clear(&edit);
    }
}

/* Rows of a sorted table stand among those that were there, after the ones with an equal key, in long tables and short
 * ones, and where the table's columns become wider. */
static void rows_of_a_sorted_table_stand_in_its_order(void **state) {
    (void)state;
    static const uint32_t added[][3] = {{0, 90, 0}, {7, 91, 0}, {7, 92, 0}, {40, 93, 0}, {0xFFFF, 94, 0}};
    enum { ADDED = sizeof added / sizeof added[0], LONG = 5000 };
    const struct {
        uint32_t rows, used; /* of the table, and of those to be added */
        bool grows;          /* a heap, so that columns become wider */
    } cases[] = {{0, ADDED, false}, {1, ADDED, false},   {20, ADDED, false}, {LONG, ADDED, false},
                 {LONG, 1, false},  {LONG, ADDED, true}, {20, ADDED, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        made m;
        md_view view;
        md_edit edit;
        written w;
        arena a = ARENA_INIT;
        begin(&m);
        if (cases[i].grows)
            buffer_append_zeros(&m.blobs, 0xFFFF - m.blobs.size);
        for (uint32_t row = 1; row <= cases[i].rows; row++) /* 3 3 7 7 11 11 … */
            MADE_ROW(&m, CustomAttribute, (row - 1) / 2 * 4 + 3, 10, 1);
        open_view(&view, made_finish(&m), &a);
        md_edit_init(&edit, &view);
        if (cases[i].grows)
            md_edit_blob(&edit, bytes_of((const uint8_t *)"new", 3));
        assert_true(md_edit_in_order(&edit, MD_TABLE_CustomAttribute));
        for (uint32_t k = 0; k < cases[i].used; k++)
            md_edit_row(&edit, MD_TABLE_CustomAttribute, added[k]);
        write_edit(&w, &edit);
        assert_int_equal(md_row_count(&w.view, MD_TABLE_CustomAttribute), cases[i].rows + cases[i].used);
        uint32_t last = 0, old = 0, own = 0;
        for (uint32_t row = 1; row <= md_row_count(&w.view, MD_TABLE_CustomAttribute); row++) {
            uint32_t key = md_cell(&w.view, MD_CustomAttribute_Parent, row),
                     type = md_cell(&w.view, MD_CustomAttribute_Type, row);
            assert_true(key >= last);
            last = key;
            if (type == 10) { /* an old one, in its order, before added ones of the same key only if it was there */
                assert_int_equal(key, old / 2 * 4 + 3);
                assert_true(own == 0 || added[own - 1][0] < key);
                old++;
            } else {
                assert_int_equal(type, 90 + own);
                own++;
            }
        }
        assert_int_equal(old, cases[i].rows);
        assert_int_equal(own, cases[i].used);
        md_edit_clear(&edit);
        clear_written(&w);
        arena_clear(&a);
        made_clear(&m);
    }
}

static void a_sorted_table_in_no_order_is_known(void **state) {
    (void)state;
    static const struct {
        uint32_t keys[3];
        bool in_order;
    } rows[] = {{{3, 3, 4}, true}, {{4, 3, 4}, false}, {{3, 5, 4}, false}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m;
        md_view view;
        md_edit edit;
        arena a = ARENA_INIT;
        begin(&m);
        for (int k = 0; k < 3; k++)
            MADE_ROW(&m, CustomAttribute, rows[i].keys[k], 10, 1);
        open_view(&view, made_finish(&m), &a);
        md_edit_init(&edit, &view);
        assert_int_equal(md_edit_in_order(&edit, MD_TABLE_CustomAttribute), rows[i].in_order);
        md_edit_clear(&edit);
        arena_clear(&a);
        made_clear(&m);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rows_of_a_sorted_table_stand_in_its_order),
        cmocka_unit_test(a_sorted_table_in_no_order_is_known),
        cmocka_unit_test(strings_cross_64_KiB),
        cmocka_unit_test(a_heap_ends_at_its_limit),
        cmocka_unit_test(the_bytes_behind_the_last_stream_are_zeros),
        cmocka_unit_test(blobs_cross_64_KiB),
        cmocka_unit_test(a_wide_heap_stays_wide),
        cmocka_unit_test(rows_cross_what_2_bytes_name),
        cmocka_unit_test(a_user_string_says_whether_it_needs_more_than_8_bits),
        cmocka_unit_test(user_strings_stop_at_24_bits),
        cmocka_unit_test(a_last_string_without_its_end_gets_one),
        cmocka_unit_test(added_methods_get_their_pointers),
        cmocka_unit_test(new_RVAs_and_the_MVID_go_where_they_belong),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
