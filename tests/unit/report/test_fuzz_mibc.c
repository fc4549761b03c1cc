/* The fuzz target of startup profiles, driven plainly, and what it does not judge: signatures that are copied,
 * arguments that become System.__Canon, an image from nothing. */
#include "unit.h"

#include "../../fuzz/fuzz_mibc.c"
#include "fuzz_unit.h"
#include "made_assembly.h"
#include "metadata/emit.h"
#include "metadata/nothing.h"

enum { SAMPLES = MADE_SAMPLES + 1 };

static void sample(buffer *b, unsigned n) {
    if (n < MADE_SAMPLES)
        made_sample(b, n);
    else
        made_assembly(b);
}

static void samples_give_a_record_for_each_method_with_il(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    diag d = {0};
    type_names names = TYPE_NAMES_INIT;
    source s = {.names = &names};
    instances x = {.names = &names, .sources = &s};
    made_assembly(&b);
    assert_int_equal(source_open_bytes(&s, buffer_bytes(&b), &d), ECMA_OK);
    for (uint32_t row = 1; row <= MADE_METHODS; row++)
        assert_int_equal(instances_add(&x, 0, row), row - 1);
    assert_int_equal(instances_add(&x, 0, MADE_METHODS + 1), MAP_NONE);
    assert_true(instances_find(&x));
    assert_int_equal(x.count, MADE_METHODS);
    const type_parts parts = type_names_parts(&names, x.called[0].type);
    assert_string_equal(parts.space, "Space");
    assert_string_equal(parts.name, "Class");
    assert_string_equal((const char *)keep_text(&names.assemblies, type_names_assembly(&names, x.called[0].type)).data,
                        "M");
    instances_clear(&x);
    sources_close(&s, 1);
    type_names_clear(&names);
    buffer_clear(&b);
}

static void changed_images_give_a_sound_file_or_none(void **state) {
    (void)state;
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x13, 0x15, 0x1D, 0x1E, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    fuzz_replay(sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 31,
                             .rounds = 1000,
                             .step = 7,
                             .from = MADE_HEADERS,
                             .seldom_from = 0x80,
                             .edges = edges,
                             .edge_count = sizeof edges});
}

static void changes_to_the_structure_are_survived(void **state) {
    (void)state;
    fuzz_mutate(sample, 0, SAMPLES, 500);
}

/* Types by themselves: TypeRef n becomes n + 0x100. */
static md_token shifted(void *user, md_token type) {
    (void)user;
    return type == md_token_of(MD_TABLE_TypeRef, 9) ? 0 : type + 0x100;
}

#define BYTES(...) bytes_of((const uint8_t[]){__VA_ARGS__}, sizeof(const uint8_t[]){__VA_ARGS__})
enum { CANON = 0 };
#define CANON_BYTES 0x12, 0x05 /* CLASS, TypeRef 1 */

static void assert_argument(bytes from, bytes expected) {
    const signature_copy c = {.named = shifted,
                              .closes = true,
                              .type_args = BYTES(0x08, CANON_BYTES),
                              .method_args = BYTES(0x0D),
                              .canon = CANON};
    buffer b = BUFFER_INIT;
    reader r = reader_of(from);
    bool done = signature_copy_argument(&c, &r, &b);
    assert_int_equal(done, expected.size > 0);
    if (done) {
        assert_int_equal(b.size, expected.size);
        assert_memory_equal(b.data, expected.data, expected.size);
        assert_int_equal(reader_left(&r), 0);
    }
    buffer_clear(&b);
}

static void reference_types_as_arguments_are_canonical(void **state) {
    (void)state;
    const bytes canon = BYTES(CANON_BYTES), none = {0};
    assert_argument(BYTES(0x08), BYTES(0x08));                   /* int32 */
    assert_argument(BYTES(0x0E), canon);                         /* string */
    assert_argument(BYTES(0x1C), canon);                         /* object */
    assert_argument(BYTES(0x12, 0x09), canon);                   /* CLASS TypeRef 2 */
    assert_argument(BYTES(0x1D, 0x08), canon);                   /* int32[] */
    assert_argument(BYTES(0x14, 0x08, 2, 0, 0), canon);          /* int32[,] */
    assert_argument(BYTES(0x15, 0x12, 0x09, 1, 0x08), canon);    /* CLASS<int32> */
    assert_argument(BYTES(0x11, 0x09), BYTES(0x11, 0x84, 0x09)); /* VALUETYPE TypeRef 2 */
    assert_argument(BYTES(0x13, 0), BYTES(0x08));                /* !0 */
    assert_argument(BYTES(0x13, 1), canon);                      /* !1 */
    assert_argument(BYTES(0x1E, 0), BYTES(0x0D));                /* !!0 */
    assert_argument(BYTES(0x15, 0x11, 0x09, 2, 0x0E, 0x1E, 0),   /* VALUETYPE<string, !!0> */
                    BYTES(0x15, 0x11, 0x84, 0x09, 2, CANON_BYTES, 0x0D));
    assert_argument(BYTES(0x13, 2), none);       /* there is no !2 */
    assert_argument(BYTES(0x0F, 0x08), none);    /* int32* */
    assert_argument(BYTES(0x10, 0x08), none);    /* int32& */
    assert_argument(BYTES(0x01), none);          /* void */
    assert_argument(BYTES(0x16), none);          /* typedref */
    assert_argument(BYTES(0x11, 0x25), none);    /* TypeRef 9 has no name */
    assert_argument(BYTES(0x15, 0x11, 9), none); /* it ends early */
    assert_argument(BYTES(0x1D), none);
    /* Deeper than any code nests. */
    assert_argument(BYTES(0x15, 0x11, 5, 1, 0x15, 0x11, 5, 1, 0x15, 0x11, 5, 1, 0x15, 0x11, 5, 1, 0x15, 0x11, 5, 1,
                          0x15, 0x11, 5, 1, 8),
                    none);
}

static void signatures_are_copied_with_other_tokens(void **state) {
    (void)state;
    const signature_copy c = {.named = shifted};
    const bytes from = BYTES(0x30, 1, 3, 0x20, 0x05, 0x12, 0x09,  /* generic, this; modopt TypeRef 1, CLASS TypeRef 2 */
                             0x13, 0, 0x10, 0x1E, 0,              /* !0, !!0& */
                             0x1B, 0, 1, 0x01, 0x0F, 0x11, 0x05); /* method void *(TypeRef 1*) */
    const bytes to = BYTES(0x30, 1, 3, 0x20, 0x84, 0x05, 0x12, 0x84, 0x09, 0x13, 0, 0x10, 0x1E, 0, 0x1B, 0, 1, 0x01,
                           0x0F, 0x11, 0x84, 0x05);
    buffer b = BUFFER_INIT;
    assert_true(signature_copy_method(&c, from, &b));
    assert_int_equal(b.size, to.size);
    assert_memory_equal(b.data, to.data, to.size);
    for (size_t cut = 0; cut < from.size; cut++) {
        b.size = 0;
        assert_false(signature_copy_method(&c, bytes_of(from.data, cut), &b));
    }
    b.size = 0;
    assert_false(signature_copy_method(&c, BYTES(0, 0, 0x12, 0x25), &b)); /* TypeRef 9 */
    assert_false(signature_copy_method(&c, BYTES(0, 0, 1, 1), &b));       /* more than a signature */
    buffer_clear(&b);
}

static void an_image_from_nothing_is_one(void **state) {
    (void)state;
    diag d = {0};
    arena a = ARENA_INIT;
    md_view nothing, read;
    md_edit edit;
    md_plan plan;
    pe_image pe;
    bytes guid, metadata_read;
    buffer metadata = BUFFER_INIT, file = BUFFER_INIT;
    assert_int_equal(md_nothing_open(&nothing, &a, &d), ECMA_OK);
    md_edit_init(&edit, &nothing);
    uint32_t name = md_edit_string(&edit, "m.dll");
    edit.columns[MD_Module_Name] = &name;
    edit.set_mvid = true;
    memcpy(edit.mvid, "0123456789abcdef", 16);
    assert_int_equal(md_emit_plan(&plan, &edit, &d), ECMA_OK);
    md_emit_write(&plan, &edit, buffer_extend(&metadata, plan.size), NULL);
    assert_true(pe_library_write(&file, BYTES(0x06, 0x2A), buffer_bytes(&metadata)));
    assert_int_equal(pe_image_open(&pe, buffer_bytes(&file), &a, &d), ECMA_OK);
    assert_true(pe_try_bytes(&pe, pe.cli.metadata.rva, pe.cli.metadata.size, &metadata_read));
    assert_int_equal(md_view_open(&read, metadata_read, &a, &d), ECMA_OK);
    assert_int_equal(md_validate(&read, &d), ECMA_OK);
    assert_string_equal(md_name(&read, MD_Module_Name, 1), "m.dll");
    assert_string_equal(md_name(&read, MD_TypeDef_TypeName, 1), "<Module>");
    assert_true(md_try_guid(&read, md_cell(&read, MD_Module_Mvid, 1), &guid));
    assert_memory_equal(guid.data, "0123456789abcdef", 16);
    assert_true(pe_try_bytes(&pe, PE_LIBRARY_BODIES_RVA, 2, &guid) && guid.data[1] == 0x2A);
    pe_verdict verdict = {0};
    pe_loaders_judge(&verdict, buffer_bytes(&file));
    for (unsigned rule = 0; rule < PE_RULE_COUNT; rule++)
        for (unsigned i = 0; i < PE_RULE_SUBJECTS; i++)
            assert_false(verdict.broken[rule][i]);
    md_edit_clear(&edit);
    buffer_clear(&metadata);
    buffer_clear(&file);
    arena_clear(&a);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_give_a_record_for_each_method_with_il),
        cmocka_unit_test(changed_images_give_a_sound_file_or_none),
        cmocka_unit_test(changes_to_the_structure_are_survived),
        cmocka_unit_test(reference_types_as_arguments_are_canonical),
        cmocka_unit_test(signatures_are_copied_with_other_tokens),
        cmocka_unit_test(an_image_from_nothing_is_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
