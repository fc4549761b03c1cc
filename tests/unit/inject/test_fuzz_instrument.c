/* The fuzz target of instrumenting, driven plainly: made assemblies, cut and changed from a printed seed. With the
 * arguments `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#define _GNU_SOURCE
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_instrument.c"
#include "made_ready_to_run.h"

enum { SAMPLES = 5, READY_TO_RUN = 3, MIXED_MODE = 4 };

static void make_sample(buffer *out, unsigned n) {
    made m;
    if (n >= READY_TO_RUN) {
        uint32_t offset;
        made_ready_to_run(out, &offset);
        if (n == MIXED_MODE) {
            store_u32(out->data + MADE_R2R_CLI + 16, 0);
            store_u64(out->data + MADE_R2R_CLI + 64, 0);
        }
        return;
    }
    made_init(&m);
    m.uncompressed = n == 1;
    m.heap_sizes = n == 2 ? MD_HEAP_STRINGS_WIDE | MD_HEAP_BLOB_WIDE | MD_HEAP_EXTRA_DATA : 0;
    made_assembly_rows(&m);
    if (n == 1)
        for (uint32_t row = 1; row <= MADE_METHODS; row++)
            MADE_ROW(&m, MethodPtr, row);
    made_assembly_finish(&m, out);
    made_clear(&m);
}

static void samples_are_instrumented(void **state) {
    (void)state;
    for (unsigned n = 0; n < SAMPLES; n++) {
        buffer b = BUFFER_INIT;
        make_sample(&b, n);
        assert_int_equal(judge(buffer_bytes(&b), NULL, true), INSTRUMENTED);
        for (unsigned shape = 0; shape < TRACKER_SHAPES; shape++)
            assert_int_equal(judge(buffer_bytes(&b), made_tracker_path(shape), true), INSTRUMENTED);
        buffer_clear(&b);
    }
}

static void changed_assemblies_are_instrumented_or_refused(void **state) {
    (void)state;
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x2A, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    /* The headers are mostly padding; what matters begins with the section. */
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 31,
                             .rounds = 2000,
                             .step = 7,
                             .from = MADE_HEADERS,
                             .seldom_from = 0x80,
                             .edges = edges,
                             .edge_count = sizeof edges});
}

/* ---- Past findings ------------------------------------------------------------------------------------------------
 */

static void put_u32(buffer *b, size_t at, uint32_t value) {
    store_u32(b->data + at, value);
}

static void assert_refused(const buffer *b, const char *text) {
    assert_int_equal(judge(buffer_bytes(b), NULL, false), REFUSED);
    if (!strstr(refusal, text))
        fail_msg("refused with: %s", refusal);
}

enum { PE = 0x80, OPTIONAL = PE + 24, DIRECTORIES = OPTIONAL + 96, SECTION = OPTIONAL + 224, CLI = MADE_HEADERS };

/* The file, with the managed headers moved after the section; a certificate begins before them. */
static void headers_behind_the_sections_are_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    made_assembly(&b);
    uint32_t end = (uint32_t)b.size;
    put_u32(&b, DIRECTORIES + 4 * 8, end);
    put_u32(&b, DIRECTORIES + 4 * 8 + 4, 0x200);
    uint8_t headers[0x180];
    memcpy(headers, b.data + PE, sizeof headers);
    buffer_append(&b, headers, sizeof headers);
    buffer_append_zeros(&b, 0x200 - sizeof headers);
    put_u32(&b, 0x3C, end);
    assert_refused(&b, "past SizeOfHeaders");
    buffer_clear(&b);
}

static void a_section_that_would_wrap_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    made_assembly(&b);
    put_u32(&b, SECTION + 8, 0xFFFFFFFF - MADE_RVA);
    assert_refused(&b, "section .text would be more than 2 GiB");
    buffer_clear(&b);
}

static void an_import_directory_over_the_CLI_header_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    made_assembly(&b);
    put_u32(&b, DIRECTORIES + 8, MADE_RVA);
    put_u32(&b, DIRECTORIES + 8 + 4, 40);
    assert_refused(&b, "import directory");
    put_u32(&b, DIRECTORIES + 8, PE); /* over the PE header */
    assert_refused(&b, "import directory");
    buffer_clear(&b);
}

/* The debug directory would have moved the RVA of the resources there. */
static void a_debug_directory_over_the_CLI_header_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    made_assembly(&b);
    put_u32(&b, CLI + 24, MADE_DATA);
    put_u32(&b, CLI + 28, 8);
    put_u32(&b, DIRECTORIES + 6 * 8, MADE_RVA);
    put_u32(&b, DIRECTORIES + 6 * 8 + 4, 28);
    assert_refused(&b, "debug directory");
    buffer_clear(&b);
}

/* The entry stub of ARM images: movw r12, #low; movt r12, #high. Here it holds its own address, at the field's data. */
static void an_address_in_two_Thumb_instructions_moves_along(void **state) {
    (void)state;
    static const uint8_t stub[8] = {0x42, 0xF2, MADE_DATA & 0xFF, 0x0C, 0xC0, 0xF2, 0x40, 0x0C};
    _Static_assert(MADE_DATA >> 8 == 0x20, "movw's immediate is 0x20xx");
    buffer b = BUFFER_INIT, out = BUFFER_INIT;
    made_assembly(&b);
    uint32_t size = load_u32(b.data + SECTION + 8), block = (size + 3) & ~3u;
    assert_true(block + 12 <= load_u32(b.data + SECTION + 16));
    store_u16(b.data + PE + 4, 0x1C4);
    put_u32(&b, SECTION + 8, block + 12);
    put_u32(&b, DIRECTORIES + 5 * 8, MADE_RVA + block);
    put_u32(&b, DIRECTORIES + 5 * 8 + 4, 12);
    put_u32(&b, MADE_HEADERS + block, MADE_RVA);
    put_u32(&b, MADE_HEADERS + block + 4, 12);
    put_u32(&b, MADE_HEADERS + block + 8, 0x7000 | (MADE_DATA - MADE_RVA));
    memcpy(b.data + MADE_HEADERS + (MADE_DATA - MADE_RVA), stub, sizeof stub);

    ilj_context *context = NULL;
    ilj_image *image = NULL;
    ilj_summary summary;
    bytes moved;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(
        instrument_bytes(&out, &summary, context, "arm", buffer_bytes(&b), &(ilj_instrument_options){.force = true}),
        ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "out", buffer_bytes(&out)), ILJ_OK);
    uint32_t rva = md_cell(&image->metadata, MD_FieldRVA_RVA, 1);
    assert_true(rva > MADE_DATA && rva >> 8 == 0x20 && pe_try_bytes(&image->pe, rva, 8, &moved));
    const uint8_t expected[8] = {0x42, 0xF2, (uint8_t)rva, 0x0C, 0xC0, 0xF2, 0x40, 0x0C};
    assert_memory_equal(moved.data, expected, 8);
    pe_directory relocations = image->pe.directories[PE_DIRECTORY_RELOCATION];
    assert_true(pe_try_bytes(&image->pe, relocations.rva, 12, &moved));
    assert_int_equal(load_u16(moved.data + 8), 0x7000 | (rva - MADE_RVA));
    ilj_image_free(image);
    ilj_context_free(context);
    buffer_clear(&out);
    buffer_clear(&b);
}

static void resources_with_a_body_among_them_are_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    made_assembly(&b);
    put_u32(&b, CLI + 24, MADE_BODIES + 16);
    put_u32(&b, CLI + 28, 32);
    assert_refused(&b, "among the managed resources");
    put_u32(&b, CLI + 24, MADE_DATA); /* after all bodies they are welcome */
    put_u32(&b, CLI + 28, 8);
    assert_int_equal(judge(buffer_bytes(&b), NULL, false), INSTRUMENTED);
    buffer_clear(&b);
}

/* A method's own row, read as its body: what lies in the metadata is not what it was once that is written again. */
static void a_body_in_the_metadata_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    ilj_context *context = NULL;
    ilj_image *image = NULL;
    made_assembly(&b);
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "made", buffer_bytes(&b)), ILJ_OK);
    uint32_t metadata = image->pe.cli.metadata.rva, end = metadata + image->pe.cli.metadata.size;
    const md_table *methods = &image->metadata.tables[MD_TABLE_MethodDef];
    size_t rva_cell = (size_t)(methods->rows - b.data) + (size_t)(MADE_METHODS - 1) * methods->row_bytes;
    for (uint32_t rva = metadata; rva < end; rva++) {
        put_u32(&b, rva_cell, rva);
        assert_int_equal(judge(buffer_bytes(&b), NULL, false), REFUSED);
        if (!strstr(refusal, "lies in the metadata") && !strstr(refusal, "both change overlap"))
            fail_msg("RVA 0x%x refused with: %s", rva, refusal);
    }
    ilj_image_free(image);
    ilj_context_free(context);
    buffer_clear(&b);
}

/* Another reader takes its section, which is of another kind, for one of two clauses: they reach into the next body. */
static void what_a_bad_body_claims_stays(void **state) {
    (void)state;
    enum { BODY = MADE_BODIES + 4, SECTION_AT = BODY - MADE_RVA + MADE_HEADERS + 20 };
    buffer b = BUFFER_INIT, out = BUFFER_INIT;
    ilj_context *context = NULL;
    ilj_summary summary;
    made_assembly(&b);
    assert_int_equal(b.data[SECTION_AT], 1);
    b.data[SECTION_AT] = 3;
    b.data[SECTION_AT + 1] = 28;
    assert_int_equal(judge(buffer_bytes(&b), NULL, true), INSTRUMENTED);
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(
        instrument_bytes(&out, &summary, context, "bad", buffer_bytes(&b), &(ilj_instrument_options){.force = true}),
        ILJ_OK);
    assert_int_equal(summary.left_out[ILJ_BAD_BODY], 2);
    assert_int_equal(summary.instrumented, 2);
    ilj_context_free(context);
    buffer_clear(&out);
    buffer_clear(&b);
}

/* The sections are made again, so that loaders find what they did not find before. */
static void native_code_with_a_CLI_header_outside_its_section_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t offset;
    made_ready_to_run(&b, &offset);
    put_u32(&b, SECTION + 8, 4); /* its size in memory */
    assert_refused(&b, "the CLI header at RVA 0x2000 does not lie in one section, in memory and in the file");
    buffer_clear(&b);
}

/* As loaders ask for it, whatever the directory of the precompiled image said. */
static void a_CLI_header_is_written_whole(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t offset;
    made_ready_to_run(&b, &offset);
    put_u32(&b, DIRECTORIES + 14 * 8 + 4, 0x25);
    assert_int_equal(judge(buffer_bytes(&b), NULL, false), INSTRUMENTED);
    buffer_clear(&b);
}

static void changes_to_the_structure_are_survived(void **state) {
    (void)state;
    fuzz_mutate(make_sample, 0, SAMPLES, 1000);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_instrumented),
        cmocka_unit_test(changed_assemblies_are_instrumented_or_refused),
        cmocka_unit_test(changes_to_the_structure_are_survived),
        cmocka_unit_test(headers_behind_the_sections_are_refused),
        cmocka_unit_test(a_section_that_would_wrap_is_refused),
        cmocka_unit_test(an_import_directory_over_the_CLI_header_is_refused),
        cmocka_unit_test(a_debug_directory_over_the_CLI_header_is_refused),
        cmocka_unit_test(an_address_in_two_Thumb_instructions_moves_along),
        cmocka_unit_test(resources_with_a_body_among_them_are_refused),
        cmocka_unit_test(a_body_in_the_metadata_is_refused),
        cmocka_unit_test(what_a_bad_body_claims_stays),
        cmocka_unit_test(native_code_with_a_CLI_header_outside_its_section_is_refused),
        cmocka_unit_test(a_CLI_header_is_written_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
