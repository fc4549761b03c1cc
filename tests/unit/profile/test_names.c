/* C#-like names and the index after them, over metadata made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_metadata.h"
#include "metadata/names.h"

/* TypeDef: 1 <Module>, 2 Space.Outer`1<T>, 3 Inner`1<T, U> in 2, 4 Plain in 3 (repeats T, U), 5 Space.Flat.
 * TypeRef: 1 System.Collections.Generic.List`1, 2 System.Nullable`1, 3 Dictionary`2, 4 Enumerator in 3, 5 Decimal.
 * The GenericParam rows stand out of order on purpose. */
typedef struct world {
    made m;
    arena arena;
    md_view view;
    md_index index;
} world;

static uint32_t add_method(made *m, const char *name, uint32_t signature) {
    uint32_t param = made_rows(m, MD_TABLE_Param) + 1;
    return MADE_ROW(m, MethodDef, 0, 0, 0, made_string(m, name), signature, param);
}

static uint32_t coded(md_coded kind, md_table_id table, uint32_t row) {
    return md_coded_encode(kind, md_token_of(table, row));
}

static void add_generic(made *m, uint32_t number, md_table_id owner, uint32_t row, const char *name) {
    MADE_ROW(m, GenericParam, number, 0, coded(MD_CODED_TypeOrMethodDef, owner, row), made_string(m, name));
}

static void add_typeref(made *m, uint32_t scope, const char *space, const char *name) {
    MADE_ROW(m, TypeRef, scope, made_string(m, name), made_string(m, space));
}

static void world_begin(world *w) {
    *w = (world){0};
    made *m = &w->m;
    made_init(m);
    MADE_ROW(m, Module, 0, made_string(m, "M.dll"), 0, 0, 0);
    uint32_t assembly = coded(MD_CODED_ResolutionScope, MD_TABLE_AssemblyRef, 1);
    add_typeref(m, assembly, "System.Collections.Generic", "List`1");
    add_typeref(m, assembly, "System", "Nullable`1");
    add_typeref(m, assembly, "System.Collections.Generic", "Dictionary`2");
    add_typeref(m, coded(MD_CODED_ResolutionScope, MD_TABLE_TypeRef, 3), "", "Enumerator");
    add_typeref(m, assembly, "System", "Decimal");
    static const char *const types[][2] = {
        {"", "<Module>"}, {"Space", "Outer`1"}, {"", "Inner`1"}, {"", "Plain"}, {"Space", "Flat"}};
    for (unsigned i = 0; i < 5; i++)
        MADE_ROW(m, TypeDef, 0, made_string(m, types[i][1]), made_string(m, types[i][0]), 0, 1,
                 i < 2   ? 1
                 : i < 3 ? 2
                         : 3);
    MADE_ROW(m, NestedClass, 3, 2);
    MADE_ROW(m, NestedClass, 4, 3);
    add_generic(m, 1, MD_TABLE_TypeDef, 4, "U");
    add_generic(m, 0, MD_TABLE_MethodDef, 2, "V");
    add_generic(m, 1, MD_TABLE_TypeDef, 3, "U");
    add_generic(m, 0, MD_TABLE_TypeDef, 2, "T");
    add_generic(m, 0, MD_TABLE_TypeDef, 4, "T");
    add_generic(m, 0, MD_TABLE_TypeDef, 3, "T");
    /* Method 1 of Outer, 2 of Inner, the rest added by the tests belong to Flat. */
    add_method(m, ".ctor", MADE_BLOB(m, 0x20, 1, 0x01, 0x13, 0));
    add_method(m, "Mix", MADE_BLOB(m, 0x30, 1, 3, 0x01, 0x13, 1, 0x1E, 0, 0x1D, 0x13, 0));
}

static void world_open(world *w) {
    diag d = {0};
    assert_int_equal(md_view_open(&w->view, made_finish(&w->m), &w->arena, &d), ECMA_OK);
    assert_true(md_index_build(&w->index, &w->view, &w->arena));
}

static void world_end(world *w) {
    made_clear(&w->m);
    arena_clear(&w->arena);
}

static void assert_text(buffer *b, const char *expected) {
    buffer_u8(b, 0);
    assert_false(b->failed);
    assert_string_equal((const char *)b->data, expected);
    buffer_clear(b);
}

static void type_name_replaces_arity_by_own_parameters(void **state) {
    (void)state;
    world w;
    buffer b = BUFFER_INIT;
    world_begin(&w);
    world_open(&w);
    md_append_type_name(&b, &w.view, &w.index, 2, MD_NAME_FULL);
    assert_text(&b, "Space.Outer<T>");
    md_append_type_name(&b, &w.view, &w.index, 3, MD_NAME_FULL);
    assert_text(&b, "Space.Outer<T>.Inner<U>");
    md_append_type_name(&b, &w.view, &w.index, 4, MD_NAME_FULL);
    assert_text(&b, "Space.Outer<T>.Inner<U>.Plain");
    md_append_type_name(&b, &w.view, &w.index, 4, MD_NAME_ENCLOSING);
    assert_text(&b, "Outer<T>.Inner<U>.Plain");
    md_append_type_name(&b, &w.view, &w.index, 3, 0);
    assert_text(&b, "Inner<U>");
    md_append_type_name(&b, &w.view, &w.index, 99, MD_NAME_FULL);
    assert_text(&b, "?");
    world_end(&w);
}

static void own_parameters_leave_out_those_of_enclosing_types(void **state) {
    (void)state;
    world w;
    world_begin(&w);
    world_open(&w);
    md_generics own = md_generic_params(&w.view, &w.index, md_token_of(MD_TABLE_TypeDef, 3));
    assert_int_equal(own.count, 1);
    assert_string_equal(md_name(&w.view, MD_GenericParam_Name, own.rows[0]), "U");
    assert_int_equal(md_generic_params(&w.view, &w.index, md_token_of(MD_TABLE_TypeDef, 4)).count, 0);
    assert_int_equal(md_all_generic_params(&w.index, md_token_of(MD_TABLE_TypeDef, 4)).count, 2);
    assert_int_equal(md_generic_params(&w.view, &w.index, md_token_of(MD_TABLE_MethodDef, 2)).count, 1);
    assert_int_equal(md_generic_params(&w.view, &w.index, md_token_of(MD_TABLE_MethodDef, 1)).count, 0);
    assert_int_equal(md_generic_params(&w.view, &w.index, 0x06FFFFFF).count, 0);
    world_end(&w);
}

static void method_name_has_generics_and_parameters_of_its_owner(void **state) {
    (void)state;
    world w;
    buffer b = BUFFER_INIT;
    world_begin(&w);
    world_open(&w);
    md_append_full_method_name(&b, &w.view, &w.index, 1);
    assert_text(&b, "Space.Outer<T>.ctor(T)");
    md_append_full_method_name(&b, &w.view, &w.index, 2);
    assert_text(&b, "Space.Outer<T>.Inner<U>.Mix<V>(U, V, T[])");
    md_append_method_name(&b, &w.view, &w.index, 1);
    assert_text(&b, ".ctor(T)");
    world_end(&w);
}

/* Each row is a parameter list: a method signature of one void-returning static method, and what it reads as. */
static void every_signature_element_reads_as_in_csharp(void **state) {
    (void)state;
    static const struct {
        uint8_t size;
        uint8_t signature[40];
        const char *expected;
    } rows[] = {
        {3, {0, 0, 1}, ""},
        {9, {0, 6, 1, 2, 3, 4, 5, 6, 7}, "bool, char, sbyte, byte, short, ushort"},
        {10, {0, 7, 1, 8, 9, 10, 11, 12, 13, 14}, "int, uint, long, ulong, float, double, string"},
        {7, {0, 4, 1, 0x18, 0x19, 0x1C, 0x16}, "nint, nuint, object, TypedReference"},
        {8, {0, 1, 1, 0x14, 8, 2, 0, 0}, "int[,]"},
        {9, {0, 1, 1, 0x1D, 0x14, 8, 2, 0, 0}, "int[][,]"},
        {9, {0, 1, 1, 0x14, 0x1D, 8, 3, 0, 0}, "int[,,][]"},
        {8, {0, 1, 1, 0x14, 8, 1, 0, 0}, "int[*]"},
        {6, {0, 1, 1, 0x1D, 0x0F, 5}, "byte*[]"},
        {7, {0, 1, 1, 0x0F, 0x1D, 0x1D, 2}, "bool[][]*"},
        {5, {0, 1, 1, 0x10, 5}, "ref byte"},
        {8, {0, 1, 1, 0x15, 0x12, 0x05, 1, 8}, "List<int>"},
        {8, {0, 1, 1, 0x15, 0x11, 0x09, 1, 8}, "int?"},
        {9, {0, 1, 1, 0x15, 0x12, 0x0D, 2, 14, 8}, "Dictionary<string, int>"},
        {9, {0, 1, 1, 0x15, 0x11, 0x11, 2, 14, 8}, "Dictionary<string, int>.Enumerator"},
        {12, {0, 1, 1, 0x15, 0x12, 0x05, 1, 0x15, 0x12, 0x05, 1, 0x1C}, "List<List<object>>"},
        {5, {0, 1, 1, 0x11, 0x15}, "decimal"},
        {5, {0, 1, 1, 0x12, 0x10}, "Outer`1.Inner`1.Plain"},
        {6, {0, 1, 1, 0x20, 0x05, 8}, "int"},
        {8, {0, 1, 1, 0x1F, 0x05, 0x10, 0x1C}, "ref object"},
        {9, {0, 1, 1, 0x1B, 0, 2, 1, 8, 14}, "delegate*<int, string, void>"},
        {8, {0, 1, 1, 0x1B, 9, 1, 8, 8}, "delegate* unmanaged<int, int>"},
        {8, {0, 1, 1, 0x1B, 2, 1, 8, 8}, "delegate* unmanaged[Stdcall]<int, int>"},
        {7, {0, 2, 1, 0x13, 3, 0x1E, 7}, "!3, !!7"},
        {4, {5, 1, 1, 8}, "int, __arglist"},
        {5, {0, 1, 1, 0x45, 8}, "int"},
        {4, {0, 1, 1, 0x7F}, "?"},
        {4, {0, 9, 1, 8}, "?"},
        {5, {0, 1, 1, 0x12, 0x7D}, "?"},
    };
    enum { COUNT = sizeof rows / sizeof rows[0] };
    world w;
    world_begin(&w);
    for (unsigned i = 0; i < COUNT; i++)
        add_method(&w.m, "M", made_blob(&w.m, rows[i].signature, rows[i].size));
    world_open(&w);
    for (unsigned i = 0; i < COUNT; i++) {
        buffer b = BUFFER_INIT;
        md_append_parameters(&b, &w.view, &w.index, 3 + i);
        assert_text(&b, rows[i].expected);
    }
    world_end(&w);
}

static void by_reference_parameters_follow_their_flags(void **state) {
    (void)state;
    world w;
    buffer b = BUFFER_INIT;
    world_begin(&w);
    add_method(&w.m, "M", MADE_BLOB(&w.m, 0, 4, 1, 0x10, 8, 0x10, 8, 0x10, 8, 0x10, 8));
    MADE_ROW(&w.m, Param, 0, 0, 0); /* of the return value */
    MADE_ROW(&w.m, Param, 2, 1, 0);
    MADE_ROW(&w.m, Param, 1, 2, 0);
    MADE_ROW(&w.m, Param, 3, 4, 0);
    world_open(&w);
    md_append_parameters(&b, &w.view, &w.index, 3);
    assert_text(&b, "out int, in int, ref int, ref int");
    world_end(&w);
}

static void cyclic_nesting_ends(void **state) {
    (void)state;
    world w;
    buffer b = BUFFER_INIT;
    world_begin(&w);
    MADE_ROW(&w.m, NestedClass, 2, 4); /* 4 in 3 in 2 in 4 */
    MADE_ROW(&w.m, NestedClass, 5, 5);
    MADE_ROW(&w.m, NestedClass, 1, 77);
    world_open(&w);
    for (uint32_t type = 1; type <= 5; type++) {
        uint32_t at = type, steps = 0;
        while ((at = md_enclosing_type(&w.index, at)) != 0)
            assert_true(++steps < 5);
    }
    md_append_type_name(&b, &w.view, &w.index, 5, MD_NAME_FULL);
    assert_text(&b, "Space.Flat");
    world_end(&w);
}

static void type_specs_that_name_each_other_end(void **state) {
    (void)state;
    world w;
    buffer b = BUFFER_INIT;
    world_begin(&w);
    /* TypeSpec 1 = Dictionary<TypeSpec 1, TypeSpec 1>: twice as much at every level. */
    uint32_t spec = MADE_BLOB(&w.m, 0x15, 0x12, 0x0D, 2, 0x12, 0x06, 0x12, 0x06);
    MADE_ROW(&w.m, TypeSpec, spec);
    world_open(&w);
    md_append_type_token(&b, &w.view, &w.index, 0x1B000001, 0, 0, MD_NAME_FULL);
    assert_true(b.size > 100 && b.size < 20000);
    buffer_clear(&b);
    world_end(&w);
}

static void long_names_are_cut(void **state) {
    (void)state;
    world w;
    buffer b = BUFFER_INIT;
    world_begin(&w);
    char name[5000];
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    add_method(&w.m, name, MADE_BLOB(&w.m, 0, 0, 1));
    world_open(&w);
    md_append_method_name(&b, &w.view, &w.index, 3);
    assert_int_equal(b.size, 1023 + 2);
    buffer_clear(&b);
    world_end(&w);
}

static void index_finds_owners_through_method_ptr(void **state) {
    (void)state;
    world w;
    world_begin(&w);
    add_method(&w.m, "Third", MADE_BLOB(&w.m, 0, 0, 1));
    w.m.uncompressed = true;
    MADE_ROW(&w.m, MethodPtr, 3); /* Outer has method 3, Inner method 1, Flat (from position 3) method 2 */
    MADE_ROW(&w.m, MethodPtr, 1);
    MADE_ROW(&w.m, MethodPtr, 2);
    for (uint32_t type = 4; type <= 5; type++)
        made_set(&w.m, MD_TypeDef_MethodList, type, 3);
    world_open(&w);
    assert_int_equal(md_method_type(&w.index, 3), 2);
    assert_int_equal(md_method_type(&w.index, 1), 3);
    assert_int_equal(md_method_type(&w.index, 2), 5);
    assert_int_equal(md_method_type(&w.index, 0), 0);
    assert_int_equal(md_method_type(&w.index, 4), 0);
    world_end(&w);
}

static void index_finds_accessors_and_explicit_implementations(void **state) {
    (void)state;
    world w;
    world_begin(&w);
    MADE_ROW(&w.m, Property, 0, made_string(&w.m, "Size"), 0);
    MADE_ROW(&w.m, MethodSemantics, MD_SEMANTICS_GETTER, 2, coded(MD_CODED_HasSemantics, MD_TABLE_Property, 1));
    MADE_ROW(&w.m, MethodSemantics, MD_SEMANTICS_SETTER, 2, coded(MD_CODED_HasSemantics, MD_TABLE_Property, 1));
    MADE_ROW(&w.m, MethodSemantics, MD_SEMANTICS_SETTER, 9, 0);
    MADE_ROW(&w.m, MethodImpl, 2, coded(MD_CODED_MethodDefOrRef, MD_TABLE_MethodDef, 1), 0);
    world_open(&w);
    assert_int_equal(md_method_semantics(&w.index, 2), 1);
    assert_string_equal(md_association_name(&w.view, 1), "Size");
    assert_string_equal(md_association_name(&w.view, 3), "");
    assert_int_equal(md_method_semantics(&w.index, 1), 0);
    assert_int_equal(md_method_impl(&w.index, 1), 1);
    assert_int_equal(md_method_impl(&w.index, 2), 0);
    world_end(&w);
}

static void members_are_named_by_any_token(void **state) {
    (void)state;
    world w;
    world_begin(&w);
    made *m = &w.m;
    uint32_t signature = MADE_BLOB(m, 0x30, 1, 2, 0x1E, 0, 0x13, 0, 0x10, 8);
    uint32_t field = MADE_BLOB(m, 6, 8);
    MADE_ROW(m, TypeSpec, MADE_BLOB(m, 0x15, 0x12, 0x05, 1, 0x13, 0)); /* List<!0> */
    MADE_ROW(m, ModuleRef, made_string(m, "native"));
    MADE_ROW(m, MemberRef, coded(MD_CODED_MemberRefParent, MD_TABLE_TypeSpec, 1), made_string(m, "Map"), signature);
    MADE_ROW(m, MemberRef, coded(MD_CODED_MemberRefParent, MD_TABLE_TypeRef, 5), made_string(m, ".ctor"),
             MADE_BLOB(m, 0x20, 0, 1));
    MADE_ROW(m, MemberRef, coded(MD_CODED_MemberRefParent, MD_TABLE_TypeRef, 4), made_string(m, "Count"), field);
    MADE_ROW(m, MemberRef, coded(MD_CODED_MemberRefParent, MD_TABLE_ModuleRef, 1), made_string(m, "call"),
             MADE_BLOB(m, 0, 0, 1));
    MADE_ROW(m, MemberRef, coded(MD_CODED_MemberRefParent, MD_TABLE_MethodDef, 1), made_string(m, "More"),
             MADE_BLOB(m, 5, 2, 1, 8, 0x41, 14));
    MADE_ROW(m, MemberRef, coded(MD_CODED_MemberRefParent, MD_TABLE_TypeRef, 99), 0x7FFF, 0x7FFF);
    MADE_ROW(m, MethodSpec, coded(MD_CODED_MethodDefOrRef, MD_TABLE_MemberRef, 1), MADE_BLOB(m, 0x0A, 1, 0x13, 0));
    MADE_ROW(m, MethodSpec, coded(MD_CODED_MethodDefOrRef, MD_TABLE_MethodDef, 2), MADE_BLOB(m, 0x0A, 2, 8, 14));
    MADE_ROW(m, Field, 0, made_string(m, "first"), field);
    MADE_ROW(m, Field, 0, made_string(m, "second"), field);
    for (uint32_t type = 4; type <= 5; type++)
        made_set(m, MD_TypeDef_FieldList, type, type - 2);
    world_open(&w);
    static const struct {
        md_token token;
        const char *expected;
    } rows[] = {
        {0x06000001, "Space.Outer<T>.ctor(T)"},
        {0x0A000001, "System.Collections.Generic.List<T>.Map(!0, ref int)"}, /* the T of the method it is used in */
        {0x0A000002, "System.Decimal.ctor()"},
        {0x0A000003, "System.Collections.Generic.Dictionary`2.Enumerator.Count"},
        {0x0A000004, "native.call()"},
        {0x0A000005, "Space.Outer<T>.More(int, string)"},
        {0x0A000006, "?.?(?)"},
        {0x2B000001, "System.Collections.Generic.List<T>.Map(!0, ref int)<T>"},
        {0x2B000002, "Space.Outer<T>.Inner<U>.Mix<V>(U, V, T[])<int, string>"},
        {0x04000001, "Space.Outer<T>.Inner<U>.first"},
        {0x04000002, "Space.Outer<T>.Inner<U>.Plain.second"},
        {0x0A000007, "?"},
        {0x04000003, "?"},
        {0x70000001, "?"},
        {0xFFFFFFFF, "?"},
        {0x02000002, "?"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        buffer b = BUFFER_INIT;
        md_append_member(&b, &w.view, &w.index, rows[i].token, 2, 1);
        assert_text(&b, rows[i].expected);
    }
    world_end(&w);
}

static void arity_is_a_backtick_and_digits_at_the_end(void **state) {
    (void)state;
    static const struct {
        const char *name;
        uint32_t arity;
        size_t length;
    } rows[] = {{"List`1", 1, 4}, {"A`12", 12, 1}, {"A`", 0, 2},   {"A`0", 0, 3},         {"`1", 1, 0},
                {"A1", 0, 2},     {"", 0, 0},      {"A`1b", 0, 4}, {"A`99999", 99999, 1}, {"A`100000", 0, 8}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t length;
        assert_int_equal(md_name_arity(bytes_of(rows[i].name, strlen(rows[i].name)), &length), rows[i].arity);
        assert_int_equal(length, rows[i].length);
    }
}

/* An instantiation is shown up to some 16 KiB of it, however long the file makes it. */
static void an_endless_instantiation_is_cut(void **state) {
    (void)state;
    enum { ARGUMENTS = 2000, NAME = 99, LEAST = 16384 };
    world w;
    char name[NAME + 1];
    buffer b = BUFFER_INIT, instantiation = BUFFER_INIT;
    world_begin(&w);
    memset(name, 'n', NAME);
    name[NAME] = 0;
    add_typeref(&w.m, coded(MD_CODED_ResolutionScope, MD_TABLE_AssemblyRef, 1), "", name);
    buffer_u8(&instantiation, 0x0A);
    buffer_compressed(&instantiation, ARGUMENTS);
    for (unsigned i = 0; i < ARGUMENTS; i++) {
        buffer_u8(&instantiation, 0x12);
        buffer_u8(&instantiation, 6 << 2 | 1);
    }
    MADE_ROW(&w.m, MethodSpec, coded(MD_CODED_MethodDefOrRef, MD_TABLE_MethodDef, 2),
             made_blob(&w.m, instantiation.data, instantiation.size));
    world_open(&w);
    md_append_member(&b, &w.view, &w.index, md_token_of(MD_TABLE_MethodDef, 2), 0, 0);
    size_t without = b.size;
    b.size = 0;
    md_append_member(&b, &w.view, &w.index, md_token_of(MD_TABLE_MethodSpec, 1), 0, 0);
    assert_true(b.size > without + LEAST && b.size < without + LEAST + 2 * (NAME + 2));
    assert_int_equal(b.data[b.size - 1], '>');
    buffer_clear(&b);
    buffer_clear(&instantiation);
    world_end(&w);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_name_replaces_arity_by_own_parameters),
        cmocka_unit_test(own_parameters_leave_out_those_of_enclosing_types),
        cmocka_unit_test(method_name_has_generics_and_parameters_of_its_owner),
        cmocka_unit_test(every_signature_element_reads_as_in_csharp),
        cmocka_unit_test(by_reference_parameters_follow_their_flags),
        cmocka_unit_test(cyclic_nesting_ends),
        cmocka_unit_test(type_specs_that_name_each_other_end),
        cmocka_unit_test(long_names_are_cut),
        cmocka_unit_test(index_finds_owners_through_method_ptr),
        cmocka_unit_test(index_finds_accessors_and_explicit_implementations),
        cmocka_unit_test(members_are_named_by_any_token),
        cmocka_unit_test(arity_is_a_backtick_and_digits_at_the_end),
        cmocka_unit_test(an_endless_instantiation_is_cut),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
