/* Mixed-mode images: nothing old moves, what is new lies in one section after it, and what is not safe is refused. */
#define _GNU_SOURCE
#include "unit.h"

#include "../../corrupt/judge.h"
#include "made_ready_to_run.h"
#include "pe/append.h"

enum { SECTIONS = MADE_R2R_OPTIONAL + 224, RELOCATIONS = 0x180 };

/* The assembly with a second section of native code, debug directory and resources, without the ReadyToRun header. */
static uint32_t make_mixed(buffer *b, uint32_t *at) {
    uint32_t rva = made_ready_to_run(b, at);
    store_u16(b->data + MADE_R2R_PE + 4, 0x14C);
    store_u32(b->data + MADE_R2R_CLI + 16, 0);
    store_u64(b->data + MADE_R2R_CLI + 64, 0);
    return rva;
}

static void assert_refused(const buffer *b, const char *text) {
    assert_int_equal(judge(buffer_bytes(b), NULL, false), REFUSED);
    if (!strstr(refusal, text))
        fail_msg("refused with: %s", refusal);
}

static buffer instrumented(const buffer *b) {
    ilj_context *context;
    ilj_summary summary;
    buffer out = BUFFER_INIT;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(instrument_bytes(&out, &summary, context, "mixed", buffer_bytes(b), &(ilj_instrument_options){0}),
                     ILJ_OK);
    assert_int_equal(summary.instrumented, MADE_METHODS);
    ilj_context_free(context);
    return out;
}

static void old_sections_stay_and_one_comes_behind_them(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at, rva = make_mixed(&b, &at);
    store_u32(b.data + MADE_R2R_OPTIONAL + 4, 0x12600);
    buffer out = instrumented(&b);
    assert_int_equal(load_u16(out.data + MADE_R2R_PE + 6), 3);
    assert_memory_equal(out.data + SECTIONS, b.data + SECTIONS, 80);
    assert_string_equal(out.data + SECTIONS + 80, ".ilj");
    assert_true(load_u32(out.data + SECTIONS + 80 + 12) >= rva + MADE_R2R_BYTES);
    /* II.25.2.3.1: the code size is that of all sections with code, the image's end in memory is a section's step. */
    uint32_t raw = load_u32(out.data + SECTIONS + 80 + 16);
    assert_true(raw > 0 && raw % 0x200 == 0);
    assert_int_equal(load_u32(out.data + MADE_R2R_OPTIONAL + 4), 0x12600 + raw);
    assert_true(load_u32(out.data + MADE_R2R_OPTIONAL + 56) >= load_u32(out.data + SECTIONS + 80 + 12) + raw);
    assert_memory_equal(out.data + MADE_R2R_DIRECTORIES, b.data + MADE_R2R_DIRECTORIES, 128);
    assert_memory_equal(out.data + at, b.data + at, MADE_R2R_BYTES);
    assert_memory_equal(out.data + MADE_HEADERS + 72, b.data + MADE_HEADERS + 72, at - MADE_HEADERS - 72);
    buffer_clear(&out);
    assert_int_equal(judge(buffer_bytes(&b), NULL, true), INSTRUMENTED);
    buffer_clear(&b);
}

static void headers_without_room_grow_by_one_file_alignment(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at;
    make_mixed(&b, &at);
    /* The whole of the headers, moved to the end of their 0x200 bytes. */
    enum { HEADERS = 24 + 224 + 80, TO = MADE_HEADERS - HEADERS - 16 };
    uint8_t headers[HEADERS];
    memcpy(headers, b.data + MADE_R2R_PE, HEADERS);
    memset(b.data + MADE_R2R_PE, 0, MADE_HEADERS - MADE_R2R_PE);
    memcpy(b.data + TO, headers, HEADERS);
    store_u32(b.data + 0x3C, TO);
    buffer out = instrumented(&b);
    uint8_t *optional = out.data + TO + 24;
    assert_int_equal(load_u32(optional + 60), MADE_HEADERS + 0x200);
    assert_int_equal(load_u32(optional + 224 + 20), MADE_HEADERS + 0x200);
    assert_int_equal(load_u32(optional + 224 + 12), MADE_RVA);
    assert_memory_equal(out.data + at + 0x200 + MADE_R2R_RESOURCES, b.data + at + MADE_R2R_RESOURCES, 48);
    /* The debug directory holds file offsets. */
    assert_memory_equal(out.data + load_u32(out.data + at + 0x200 + MADE_R2R_DEBUG + 28 + 24), "RSDS", 4);
    buffer_clear(&out);
    buffer_clear(&b);
}

static void sections_that_lie_in_memory_as_in_the_file_are_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at;
    make_mixed(&b, &at);
    store_u32(b.data + MADE_R2R_OPTIONAL + 32, 0x200);
    assert_refused(&b, "lie in memory as in the file");
    buffer_clear(&b);
}

static void something_behind_the_section_headers_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at;
    make_mixed(&b, &at);
    b.data[SECTIONS + 80 + 39] = 1;
    assert_refused(&b, "something lies after its section headers");
    buffer_clear(&b);
}

/* A body with an address that the loader changes is left out (test_native.c); there is no image without metadata. */
static void a_relocation_in_the_metadata_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at, rva = make_mixed(&b, &at);
    uint32_t metadata = load_u32(b.data + MADE_R2R_CLI + 8);
    store_u32(b.data + at + RELOCATIONS, MADE_RVA);
    store_u32(b.data + at + RELOCATIONS + 4, 12);
    store_u16(b.data + at + RELOCATIONS + 8, 3 << 12 | (MADE_DATA - MADE_RVA));
    made_directory(&b, 5, rva + RELOCATIONS, 12);
    assert_int_equal(judge(buffer_bytes(&b), NULL, false), INSTRUMENTED);
    store_u16(b.data + at + RELOCATIONS + 8, (uint16_t)(3 << 12 | (metadata + 40 - MADE_RVA)));
    assert_refused(&b, "base relocation at RVA 0x20");
    buffer_clear(&b);
}

/* Metadata before all bodies is the first of the pieces that are replaced. */
static void a_relocation_in_the_first_piece_is_refused(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    uint32_t at, rva = make_mixed(&b, &at);
    diag d = {0};
    arena a = ARENA_INIT;
    pe_image image;
    pe_layout layout;
    store_u32(b.data + at + RELOCATIONS, MADE_RVA);
    store_u32(b.data + at + RELOCATIONS + 4, 12);
    made_directory(&b, 5, rva + RELOCATIONS, 12);
    for (uint32_t i = 0; i < 3; i++) {
        pe_replacement first = {.rva = MADE_BODIES, .old_size = 4, .size = 8, .alignment = 4, .data = b.data};
        pe_replacement second = {.rva = MADE_BODIES + 8, .old_size = 4, .size = 8, .alignment = 4, .data = b.data};
        pe_replacement *list[] = {&first, &second};
        /* In the first, between them, in the second. */
        store_u16(b.data + at + RELOCATIONS + 8, (uint16_t)(3 << 12 | (MADE_BODIES - MADE_RVA + i * 5)));
        assert_int_equal(pe_image_open(&image, buffer_bytes(&b), &a, &d), ECMA_OK);
        assert_int_equal(pe_append_plan(&layout, &image, list, 2, &a, &d), i == 1 ? ECMA_OK : ECMA_UNSUPPORTED);
    }
    arena_clear(&a);
    buffer_clear(&b);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(old_sections_stay_and_one_comes_behind_them),
        cmocka_unit_test(headers_without_room_grow_by_one_file_alignment),
        cmocka_unit_test(sections_that_lie_in_memory_as_in_the_file_are_refused),
        cmocka_unit_test(something_behind_the_section_headers_is_refused),
        cmocka_unit_test(a_relocation_in_the_metadata_is_refused),
        cmocka_unit_test(a_relocation_in_the_first_piece_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
