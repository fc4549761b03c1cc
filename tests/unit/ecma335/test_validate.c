/* Whole-image checks: one changed cell, one message. With file names as arguments: how many of them are accepted. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "input/image.h"
#include "made_metadata.h"
#include "metadata/validate.h"

static void keep(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)severity;
    snprintf(user, 300, "%s %u %s", file, (unsigned)code, text);
}

/* Two types with two methods and a field, all as it should be. */
static void begin(made *m) {
    made_init(m);
    buffer_append_zeros(&m->guids, 16);
    uint32_t signature = MADE_BLOB(m, 0, 0, 1);
    MADE_ROW(m, Module, 0, made_string(m, "M.dll"), 1, 0, 0);
    MADE_ROW(m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(m, "mscorlib"), 0, 0);
    MADE_ROW(m, TypeRef, 6, made_string(m, "Object"), made_string(m, "System"));
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(m, TypeDef, 0, made_string(m, "Type"), 0, 5, 1, 1);
    MADE_ROW(m, Field, 6, made_string(m, "field"), MADE_BLOB(m, 6, 8));
    MADE_ROW(m, MethodDef, 0x2050, 0, 0x16, made_string(m, "One"), signature, 1);
    MADE_ROW(m, MethodDef, 0x2050, 0, 0x16, made_string(m, "Two"), signature, 2);
    MADE_ROW(m, Param, 0, 1, made_string(m, "p"));
    MADE_ROW(m, MemberRef, 9, made_string(m, ".ctor"), signature);
    buffer_append(&m->strings, "open", 4); /* no terminator */
}

static ecma_status validate(made *m, char *told) {
    arena a = ARENA_INIT;
    md_view view;
    diag d = {.sink = keep, .user = told, .file = "M"};
    told[0] = 0;
    assert_int_equal(md_view_open(&view, made_finish(m), &a, &d), ECMA_OK);
    ecma_status status = md_validate(&view, &d);
    arena_clear(&a);
    return status;
}

static void sound_metadata_is_accepted_in_silence(void **state) {
    (void)state;
    made m;
    char told[300];
    begin(&m);
    assert_int_equal(validate(&m, told), ECMA_OK);
    assert_string_equal(told, "");
    made_clear(&m);
}

static void one_wrong_cell_is_told_with_token_column_value_and_clause(void **state) {
    (void)state;
    static const struct {
        md_column column;
        uint32_t row, value;
        const char *told;
    } rows[] = {
        {MD_Module_Name, 1, 0x4000,
         "M 202 Module 0x00000001: Name is 0x4000, expected the offset of a string that ends within #Strings "
         "(II.22.30)"},
        {MD_Module_Mvid, 1, 0, "Module 0x00000001: Mvid is 0x0, expected the index of a GUID within #GUID (II.22.30)"},
        {MD_Module_Mvid, 1, 2, "Mvid is 0x2"},
        {MD_TypeRef_ResolutionScope, 1, 10,
         "M 203 TypeRef 0x01000001: ResolutionScope is 0xa, expected a coded index of a row that exists (II.22.38)"},
        {MD_TypeRef_TypeName, 1, 0x4000, "TypeRef 0x01000001: TypeName is 0x4000"},
        {MD_TypeDef_TypeName, 2, 0x4000, "TypeDef 0x02000002: TypeName is 0x4000"},
        {MD_TypeDef_TypeNamespace, 2, 0x4000, "TypeNamespace is 0x4000"},
        {MD_TypeDef_Extends, 2, 7, "TypeDef 0x02000002: Extends is 0x7, expected a coded index"},
        {MD_TypeDef_FieldList, 2, 3,
         "TypeDef 0x02000002: FieldList is 0x3, expected 0x1 to 0x2: ascending, at most one past the last Field "
         "(II.22.37)"},
        {MD_TypeDef_MethodList, 1, 2, "TypeDef 0x02000002: MethodList is 0x1, expected 0x2 to 0x3: ascending"},
        {MD_TypeDef_MethodList, 2, 4, "MethodList is 0x4"},
        {MD_MethodDef_Name, 2, 0x4000, "MethodDef 0x06000002: Name is 0x4000"},
        {MD_MethodDef_Signature, 1, 0x4000,
         "M 202 MethodDef 0x06000001: Signature is 0x4000, expected the offset of a blob that ends within #Blob "
         "(II.22.26)"},
        {MD_MethodDef_ParamList, 2, 3, "MethodDef 0x06000002: ParamList is 0x3, expected 0x1 to 0x2"},
        {MD_MemberRef_Class, 1, 17, "MemberRef 0x0a000001: Class is 0x11"},
        {MD_MemberRef_Signature, 1, 0x4000, "MemberRef 0x0a000001: Signature is 0x4000"},
        {MD_AssemblyRef_Name, 1, 0x4000, "AssemblyRef 0x23000001: Name is 0x4000"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m;
        char told[300];
        begin(&m);
        made_set(&m, rows[i].column, rows[i].row, rows[i].value);
        assert_int_equal(validate(&m, told), ECMA_BAD_FILE);
        if (!strstr(told, rows[i].told))
            fail_msg("told: %s; expected: %s", told, rows[i].told);
        made_clear(&m);
    }
}

static void string_must_end_within_its_heap(void **state) {
    (void)state;
    made m;
    char told[300];
    begin(&m);
    made_set(&m, MD_MethodDef_Name, 1, (uint32_t)m.strings.size - 4);
    assert_int_equal(validate(&m, told), ECMA_BAD_FILE);
    assert_non_null(strstr(told, "MethodDef 0x06000001: Name"));
    made_clear(&m);
}

static void what_is_not_followed_may_be_wrong(void **state) {
    (void)state;
    made m;
    char told[300];
    begin(&m);
    MADE_ROW(&m, NestedClass, 99, 98);
    MADE_ROW(&m, GenericParam, 7, 0, 0x7FFF, 0x7FFF);
    MADE_ROW(&m, Constant, 0, 0, 0x7FFF, 0x7FFF);
    MADE_ROW(&m, DeclSecurity, 0, 0x7FFF, 0x7FFF);
    assert_int_equal(validate(&m, told), ECMA_OK);
    assert_string_equal(told, "");
    made_clear(&m);
}

static void second_module_row_is_a_warning(void **state) {
    (void)state;
    made m;
    char told[300];
    begin(&m);
    MADE_ROW(&m, Module, 0, 0x7FFF, 0x7FFF, 0, 0);
    assert_int_equal(validate(&m, told), ECMA_OK);
    assert_non_null(strstr(told, "M 208 table Module has 2 rows"));
    made_clear(&m);
}

static void module_and_first_type_must_exist(void **state) {
    (void)state;
    made m;
    char told[300];
    begin(&m);
    buffer_clear(&m.cells[MD_TABLE_Module]);
    assert_int_equal(validate(&m, told), ECMA_BAD_FILE);
    assert_non_null(strstr(told, "M 205 table Module has no row"));
    made_clear(&m);
    begin(&m);
    buffer_clear(&m.cells[MD_TABLE_TypeDef]);
    assert_int_equal(validate(&m, told), ECMA_BAD_FILE);
    assert_non_null(strstr(told, "table TypeDef has no row"));
    made_clear(&m);
}

static void lists_go_through_their_ptr_tables(void **state) {
    (void)state;
    made m;
    char told[300];
    begin(&m);
    m.uncompressed = true;
    MADE_ROW(&m, MethodPtr, 2);
    MADE_ROW(&m, MethodPtr, 1);
    MADE_ROW(&m, MethodPtr, 1);
    made_set(&m, MD_TypeDef_MethodList, 2, 4); /* one past the last of MethodPtr */
    assert_int_equal(validate(&m, told), ECMA_OK);
    made_set(&m, MD_MethodPtr_Method, 3, 3);
    assert_int_equal(validate(&m, told), ECMA_BAD_FILE);
    assert_non_null(strstr(told, "MethodPtr 0x05000003: Method is 0x3, expected a row that exists"));
    made_clear(&m);
}

static void print(void *user, const ilj_diagnostic *told) {
    (void)user;
    printf("%s: %s: %s\n", told->file, told->code, told->text);
}

/* "N accepted, N refused", native images not counted. */
static int validate_files(int count, char **paths) {
    unsigned accepted = 0, refused = 0;
    for (int i = 0; i < count; i++) {
        ilj_context *context = NULL;
        ilj_image *image = NULL;
        if (ilj_context_new(&context, print, NULL))
            return 1;
        if (ilj_image_open(&image, context, paths[i]) == ILJ_OK) {
            if (md_validate(&image->metadata, &image->diag) == ECMA_OK)
                accepted++;
            else
                refused++;
            ilj_image_free(image);
        }
        ilj_context_free(context);
    }
    printf("%u accepted, %u refused\n", accepted, refused);
    return refused != 0;
}

int main(int argc, char **argv) {
    if (argc > 1)
        return validate_files(argc - 1, argv + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sound_metadata_is_accepted_in_silence),
        cmocka_unit_test(one_wrong_cell_is_told_with_token_column_value_and_clause),
        cmocka_unit_test(string_must_end_within_its_heap),
        cmocka_unit_test(what_is_not_followed_may_be_wrong),
        cmocka_unit_test(second_module_row_is_a_warning),
        cmocka_unit_test(module_and_first_type_must_exist),
        cmocka_unit_test(lists_go_through_their_ptr_tables),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
