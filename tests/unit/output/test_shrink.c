/* A section that shrinks, in every layout: branches become short, and the raw size, the sections after and what lies
 * after them in the file follow. */
#define _GNU_SOURCE
#include "unit.h"

#include "../../corrupt/judge.h"
#include "made_long.h"
#include "pe/loaders.h"

static const ilj_exits shapes[] = {ILJ_EXITS_GUARDED, ILJ_EXITS_RET};

enum { OVERLAY_BYTES = 7, SECTION_ALIGNMENT = 0x2000, FILE_ALIGNMENT = 0x200 };

static const char overlay[] = "overlay";

static uint32_t up(uint32_t value, uint32_t alignment) {
    return (value + alignment - 1) / alignment * alignment;
}

static buffer instrumented(const buffer *b, ilj_exits exits) {
    ilj_context *context;
    ilj_summary summary;
    buffer out = BUFFER_INIT;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    ilj_instrument_options options = {.exits = exits};
    assert_int_equal(instrument_bytes(&out, &summary, context, "long", buffer_bytes(b), &options), ILJ_OK);
    assert_int_equal(summary.instrumented, MADE_LONG_METHODS);
    ilj_context_free(context);
    return out;
}

static const uint8_t *section_header(const buffer *b, uint32_t i) {
    return b->data + MADE_R2R_OPTIONAL + 224 + (size_t)i * 40;
}

/* Raw sizes are the virtual ones rounded up, and no rule of a loader is broken that the input obeyed. */
static void assert_loadable(const buffer *input, const buffer *out) {
    diag d = {0};
    assert_int_equal(pe_loaders_check(buffer_bytes(out), buffer_bytes(input), false, &d), ECMA_OK);
    for (uint32_t i = 0; i < load_u16(out->data + MADE_R2R_PE + 6); i++) {
        const uint8_t *header = section_header(out, i);
        assert_int_equal(load_u32(header + 16), up(load_u32(header + 8), FILE_ALIGNMENT));
    }
}

/* A second section after .text, as linkers write .reloc and .rsrc. */
static void add_section(buffer *b) {
    uint32_t at = (uint32_t)b->size, rva = load_u32(b->data + MADE_R2R_OPTIONAL + 56);
    buffer_append_zeros(b, FILE_ALIGNMENT);
    memset(b->data + at, 0x5A, 16);
    store_u16(b->data + MADE_R2R_PE + 6, 2);
    store_u32(b->data + MADE_R2R_OPTIONAL + 56, rva + SECTION_ALIGNMENT);
    uint8_t *header = b->data + (section_header(b, 1) - b->data);
    memcpy(header, ".rsrc", 5);
    store_u32(header + 8, 16);
    store_u32(header + 12, rva);
    store_u32(header + 16, FILE_ALIGNMENT);
    store_u32(header + 20, at);
    store_u32(header + 36, 0x40000040);
}

static void sections_behind_a_smaller_one_come_nearer(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        buffer b = BUFFER_INIT;
        made_long(&b);
        add_section(&b);
        buffer_append(&b, overlay, OVERLAY_BYTES);
        buffer out = instrumented(&b, shapes[i]);
        assert_loadable(&b, &out);
        const uint8_t *text = section_header(&out, 0), *behind = section_header(&out, 1);
        assert_true(up(load_u32(text + 8), SECTION_ALIGNMENT) <
                    up(load_u32(section_header(&b, 0) + 8), SECTION_ALIGNMENT));
        assert_int_equal(load_u32(behind + 12), MADE_RVA + up(load_u32(text + 8), SECTION_ALIGNMENT));
        assert_int_equal(load_u32(behind + 20), MADE_HEADERS + load_u32(text + 16));
        assert_int_equal(out.size, load_u32(behind + 20) + FILE_ALIGNMENT + OVERLAY_BYTES);
        assert_int_equal(out.data[load_u32(behind + 20)], 0x5A);
        assert_memory_equal(out.data + out.size - OVERLAY_BYTES, overlay, OVERLAY_BYTES);
        assert_int_equal(load_u32(out.data + MADE_R2R_OPTIONAL + 56), load_u32(behind + 12) + SECTION_ALIGNMENT);
        buffer_clear(&out);
        assert_int_equal(judge(buffer_bytes(&b), NULL, true), INSTRUMENTED);
        buffer_clear(&b);
    }
}

static void a_mixed_mode_image_keeps_its_sections(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        buffer b = BUFFER_INIT;
        made_long(&b);
        add_section(&b);
        store_u32(b.data + MADE_R2R_CLI + 16, 0);
        buffer out = instrumented(&b, shapes[i]);
        assert_loadable(&b, &out);
        assert_memory_equal(section_header(&out, 0), section_header(&b, 0), 80);
        buffer_clear(&out);
        buffer_clear(&b);
    }
}

static void a_precompiled_image_shrinks_too(void **state) {
    (void)state;
    for (int i = 0; i < 2; i++) {
        buffer b = BUFFER_INIT;
        uint32_t at;
        made_long(&b);
        made_precompiled(&b, &at);
        buffer out = instrumented(&b, shapes[i]);
        pe_verdict verdict;
        pe_loaders_judge(&verdict, buffer_bytes(&out));
        static const pe_verdict obeyed;
        assert_memory_equal(&verdict, &obeyed, sizeof verdict);
        assert_loadable(&b, &out);
        assert_true(out.size < b.size - 2 * MADE_LONG_BRANCHES);
        buffer_clear(&out);
        buffer_clear(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sections_behind_a_smaller_one_come_nearer),
        cmocka_unit_test(a_mixed_mode_image_keeps_its_sections),
        cmocka_unit_test(a_precompiled_image_shrinks_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
