/* The sizes in the optional header (II.25.2.3.1) after instrumenting: each grows by what the sections of its kind do. */
#include "unit.h"

#include "input/context.h"
#include "instrument/instrument.h"
#include "made_image.h"

enum { CODE_SIZE = 4, INITIALIZED_SIZE = 8, IS_CODE = 0x20, IS_INITIALIZED = 0x40, IS_UNINITIALIZED = 0x80 };

static buffer instrumented(const buffer *b) {
    ilj_context *context;
    ilj_summary summary;
    buffer out = BUFFER_INIT;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(instrument_bytes(&out, &summary, context, "sample", buffer_bytes(b), &(ilj_instrument_options){0}),
                     ILJ_OK);
    ilj_context_free(context);
    return out;
}

static uint8_t *optional_of(const buffer *b) {
    return b->data + load_u32(b->data + 0x3C) + 24;
}

static uint8_t *section_of(const buffer *b) {
    return optional_of(b) + load_u16(optional_of(b) - 4);
}

static void the_size_of_a_kind_grows_with_its_sections(void **state) {
    (void)state;
    static const struct {
        uint32_t kind;
        bool code, initialized;
    } cases[] = {{IS_CODE, true, false}, {IS_INITIALIZED, false, true}, {IS_UNINITIALIZED, false, false},
                 {IS_CODE | IS_INITIALIZED, true, false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        buffer b = BUFFER_INIT;
        made_sample(&b, 0);
        store_u32(section_of(&b) + 36, 0x60000000 | cases[i].kind);
        store_u32(optional_of(&b) + CODE_SIZE, 0x10000);
        store_u32(optional_of(&b) + INITIALIZED_SIZE, 0x20000);
        buffer out = instrumented(&b);
        uint32_t grown = load_u32(section_of(&out) + 16) - load_u32(section_of(&b) + 16);
        assert_true(grown > 0 && grown < 0x10000);
        assert_int_equal(load_u32(optional_of(&out) + CODE_SIZE), 0x10000 + (cases[i].code ? grown : 0));
        assert_int_equal(load_u32(optional_of(&out) + INITIALIZED_SIZE), 0x20000 + (cases[i].initialized ? grown : 0));
        buffer_clear(&out);
        buffer_clear(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_size_of_a_kind_grows_with_its_sections)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
