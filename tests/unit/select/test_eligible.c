/* Why methods are left out, over an image made by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "made_metadata.h"
#include "select/eligible.h"

static void begin(made *m) {
    made_init(m);
    MADE_ROW(m, Module, 0, made_string(m, "M.dll"), 0, 0, 0);
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(m, TypeDef, 0, made_string(m, "Type"), 0, 0, 1, 2);
}

static void add_method(made *m, uint32_t rva, uint32_t impl_flags, uint32_t flags) {
    MADE_ROW(m, MethodDef, rva, impl_flags, flags, 0, 0, 1);
}

static void open_made(ilj_image *image, made *m) {
    diag d = {0};
    *image = (ilj_image){0};
    assert_int_equal(md_view_open(&image->metadata, made_finish(m), &image->arena, &d), ECMA_OK);
    assert_true(md_index_build(&image->index, &image->metadata, &image->arena));
}

static void end(ilj_image *image, made *m) {
    arena_clear(&image->arena);
    made_clear(m);
}

static void each_kind_of_method_has_its_reason(void **state) {
    (void)state;
    static const struct {
        uint32_t rva, impl_flags, flags;
        ilj_reason reason;
    } rows[] = {
        {0x2050, 0, 0x16, ILJ_INSTRUMENT}, /* the only one in <Module> */
        {0x2050, 0, 0x86, ILJ_INSTRUMENT},
        {0x2050, 0x2000, 0x86, ILJ_INSTRUMENT}, /* runtime-async */
        {0x2050, 0x0008, 0x86, ILJ_INSTRUMENT}, /* noinlining */
        {0, 0, 0x5C6, ILJ_ABSTRACT},
        {0, 0x80, 0x2016, ILJ_EXTERN},
        {0, 3, 0x1C6, ILJ_RUNTIME},
        {0, 0x1000, 0x16, ILJ_INTERNAL_CALL},
        {0, 0x1003, 0x16, ILJ_INTERNAL_CALL}, /* constructors of COM interop types */
        {0x2050, 5, 0x16, ILJ_UNMANAGED},
        {0x2050, 1, 0x16, ILJ_UNMANAGED},
        {0x2050, 2, 0x16, ILJ_UNMANAGED},
        {0, 0x10, 0x16, ILJ_NO_BODY},
        {0, 0, 0x86, ILJ_NO_BODY},
    };
    enum { COUNT = sizeof rows / sizeof rows[0] };
    made m;
    ilj_image image;
    begin(&m);
    for (unsigned i = 0; i < COUNT; i++)
        add_method(&m, rows[i].rva, rows[i].impl_flags, rows[i].flags);
    open_made(&image, &m);
    for (unsigned i = 0; i < COUNT; i++)
        assert_int_equal(select_method(&image, i + 1), rows[i].reason);
    assert_false(select_reference_assembly(&image));
    end(&image, &m);
}

static void add_assembly(made *m, uint32_t flags) {
    MADE_ROW(m, Assembly, 0x8004, 1, 0, 0, 0, flags, 0, made_string(m, "M"), 0);
}

static void add_attribute(made *m, const char *name, md_token parent) {
    uint32_t type = MADE_ROW(m, TypeRef, 0, made_string(m, name), made_string(m, "System.Runtime.CompilerServices"));
    uint32_t constructor =
        MADE_ROW(m, MemberRef, md_coded_encode(MD_CODED_MemberRefParent, md_token_of(MD_TABLE_TypeRef, type)),
                 made_string(m, ".ctor"), 0);
    MADE_ROW(m, CustomAttribute, md_coded_encode(MD_CODED_HasCustomAttribute, parent),
             md_coded_encode(MD_CODED_CustomAttributeType, md_token_of(MD_TABLE_MemberRef, constructor)), 0);
}

static void reference_assembly_is_known_by_attribute_or_flag(void **state) {
    (void)state;
    static const struct {
        uint32_t flags;
        const char *attribute;
        md_token parent;
        bool expected;
    } rows[] = {
        {0, "ReferenceAssemblyAttribute", 0x20000001, true},
        {0, "ReferenceAssemblyAttribute", 0x00000001, false}, /* on the module */
        {0, "ExtensionAttribute", 0x20000001, false},
        {0x70, "ExtensionAttribute", 0x20000001, true},
        {0x10, "ExtensionAttribute", 0x20000001, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        made m;
        ilj_image image;
        begin(&m);
        add_assembly(&m, rows[i].flags);
        add_attribute(&m, rows[i].attribute, rows[i].parent);
        open_made(&image, &m);
        assert_int_equal(select_reference_assembly(&image), rows[i].expected);
        end(&image, &m);
    }
}

static void every_reason_has_its_own_text(void **state) {
    (void)state;
    for (int a = 0; a < ILJ_REASON_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(ilj_reason_text((ilj_reason)a), ilj_reason_text((ilj_reason)b));
    assert_string_equal(ilj_reason_text(ILJ_REASON_COUNT), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(each_kind_of_method_has_its_reason),
        cmocka_unit_test(reference_assembly_is_known_by_attribute_or_flag),
        cmocka_unit_test(every_reason_has_its_own_text),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
