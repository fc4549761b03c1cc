/* The kinds of other assemblies' types, by the signatures of a module made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_metadata.h"
#include "metadata/type_kinds.h"

enum { TYPES = 9 };

/* TypeDefOrRefOrSpecEncoded of a TypeRef (II.23.2.8). */
#define REF(row) ((row) << 2 | 1)

static void find(uint8_t kinds[TYPES + 1], made *m) {
    arena memory = {0};
    md_view view;
    diag d = {0};
    memset(kinds, 0, TYPES + 1);
    assert_int_equal(md_view_open(&view, made_finish(m), &memory, &d), ECMA_OK);
    md_find_type_kinds(&view, kinds);
    arena_clear(&memory);
}

static void begin(made *m) {
    made_init(m);
    MADE_ROW(m, Module, 0, made_string(m, "M.dll"), 0, 0, 0);
    for (uint32_t i = 0; i < TYPES; i++)
        MADE_ROW(m, TypeRef, 0, made_string(m, "T"), 0);
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
}

static void each_kind_of_signature_tells(void **state) {
    (void)state;
    made m;
    uint8_t kinds[TYPES + 1];
    begin(&m);
    MADE_ROW(&m, Field, 0, made_string(&m, "f"), MADE_BLOB(&m, 0x06, 0x11, REF(1))); /* valuetype 1 */
    MADE_ROW(&m, MethodDef, 0, 0, 0, made_string(&m, "m"), MADE_BLOB(&m, 0, 1, 0x12, REF(2), 0x10, 0x11, REF(3)), 1);
    MADE_ROW(&m, MemberRef, 0, made_string(&m, "r"), MADE_BLOB(&m, 0x06, 0x1D, 0x11, REF(4))); /* valuetype 4[] */
    MADE_ROW(&m, StandAloneSig, MADE_BLOB(&m, 0x07, 2, 0x08, 0x45, 0x11, REF(5)));             /* int32, pinned 5 */
    MADE_ROW(&m, TypeSpec, MADE_BLOB(&m, 0x15, 0x11, REF(6), 1, 0x11, REF(7)));                /* 6<7> */
    MADE_ROW(&m, MethodSpec, 0, MADE_BLOB(&m, 0x0A, 1, 0x11, REF(8)));
    find(kinds, &m);
    const uint8_t expected[] = {0,
                                MD_KIND_VALUE_TYPE,
                                MD_KIND_CLASS,
                                MD_KIND_VALUE_TYPE,
                                MD_KIND_VALUE_TYPE,
                                MD_KIND_VALUE_TYPE,
                                MD_KIND_VALUE_TYPE,
                                MD_KIND_VALUE_TYPE,
                                MD_KIND_VALUE_TYPE,
                                0};
    assert_memory_equal(kinds, expected, sizeof expected);
    made_clear(&m);
}

static void types_behind_shapes_and_modifiers_are_seen(void **state) {
    (void)state;
    made m;
    uint8_t kinds[TYPES + 1];
    begin(&m);
    /* An array of rank 2 with sizes and bounds, then one more local. */
    MADE_ROW(&m, StandAloneSig, MADE_BLOB(&m, 0x07, 2, 0x14, 0x11, REF(1), 2, 2, 3, 4, 2, 0, 0, 0x11, REF(2)));
    /* modopt(3) and a pointer to a function that takes a 4 and gives a 5; !0, !!1; then 6. */
    MADE_ROW(
        &m, StandAloneSig,
        MADE_BLOB(&m, 0x07, 4, 0x20, REF(3), 0x1B, 0, 1, 0x11, REF(5), 0x11, REF(4), 0x13, 0, 0x1E, 1, 0x11, REF(6)));
    find(kinds, &m);
    const uint8_t expected[] = {0, 2, 2, 0, 2, 2, 2, 0, 0, 0};
    assert_memory_equal(kinds, expected, sizeof expected);
    made_clear(&m);
}

static void malformed_signatures_tell_what_stands_before_the_fault(void **state) {
    (void)state;
    made m;
    uint8_t kinds[TYPES + 1];
    begin(&m);
    MADE_ROW(&m, StandAloneSig, MADE_BLOB(&m, 0x07, 9, 0x11, REF(1), 0x11));
    MADE_ROW(&m, StandAloneSig, MADE_BLOB(&m, 0x07, 1, 0x11, REF(30)));             /* there is no such row */
    MADE_ROW(&m, TypeSpec, MADE_BLOB(&m, 0x14, 0x11, REF(2), 1, 0xDF, 0xFF, 0xFF)); /* sizes without end */
    uint8_t deep[400];
    memset(deep, 0x15, sizeof deep); /* an instantiation of an instantiation of … */
    MADE_ROW(&m, TypeSpec, made_blob(&m, deep, sizeof deep));
    find(kinds, &m);
    const uint8_t expected[] = {0, 2, 2, 0, 0, 0, 0, 0, 0, 0};
    assert_memory_equal(kinds, expected, sizeof expected);
    made_clear(&m);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_signature_tells),
        cmocka_unit_test(types_behind_shapes_and_modifiers_are_seen),
        cmocka_unit_test(malformed_signatures_tell_what_stands_before_the_fault),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
