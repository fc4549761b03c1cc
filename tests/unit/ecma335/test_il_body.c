/* Method bodies: headers, code and exception sections as II.25.4 lays them out, and what is refused. */
#include "unit.h"

#include <stdlib.h>

#include "base/buffer.h"
#include "il/body.h"

static const uint8_t fat_header[12] = {0x1B, 0x30, 3, 0, 2, 0, 0, 0, 0x01, 0, 0, 0x11}; /* MoreSects, InitLocals */

/* A fat body of `nop; ret` and the section `section`. */
static bytes with_section(buffer *b, const void *section, size_t size) {
    b->size = 0;
    buffer_append(b, fat_header, sizeof fat_header);
    buffer_append(b, "\x00\x2A", 2);
    buffer_align(b, 4);
    buffer_append(b, section, size);
    return buffer_bytes(b);
}

static void tiny_header_gives_code_and_eight_slots(void **state) {
    (void)state;
    const uint8_t in[] = {0x0A, 0x00, 0x2A, 0xCC, 0xCC};
    il_body body;
    il_fault fault;
    assert_true(il_body_try_read(&body, bytes_of(in, sizeof in), &fault));
    assert_true(body.tiny);
    assert_int_equal(body.code.size, 2);
    assert_ptr_equal(body.code.data, in + 1);
    assert_int_equal(body.size, 3);
    assert_int_equal(body.max_stack, 8);
    assert_int_equal(body.clause_count, 0);
    assert_false(body.init_locals);
}

static void fat_header_gives_its_fields_and_small_clauses(void **state) {
    (void)state;
    const uint8_t section[] = {0x01, 28, 0,    0,                                        /**/
                               0,    0,  0x34, 0x12, 0xFE, 0x78, 0x56, 0xFF, 1, 2, 3, 4, /**/
                               2,    0,  0,    0,    1,    1,    0,    1,    0, 0, 0, 0};
    buffer b = BUFFER_INIT;
    il_body body;
    il_fault fault;
    bytes in = with_section(&b, section, sizeof section);
    assert_true(il_body_try_read(&body, in, &fault));
    assert_false(body.tiny);
    assert_true(body.init_locals);
    assert_int_equal(body.max_stack, 3);
    assert_int_equal(body.local_var_sig_token, 0x11000001);
    assert_int_equal(body.size, in.size);
    assert_int_equal(body.clause_count, 2);
    il_clause c;
    il_body_clause(&body, 0, &c);
    assert_int_equal(c.flags, IL_CLAUSE_EXCEPTION);
    assert_int_equal(c.try_offset, 0x1234);
    assert_int_equal(c.try_length, 0xFE);
    assert_int_equal(c.handler_offset, 0x5678);
    assert_int_equal(c.handler_length, 0xFF);
    assert_int_equal(c.class_token_or_filter_offset, 0x04030201);
    il_body_clause(&body, 1, &c);
    assert_int_equal(c.flags, IL_CLAUSE_FINALLY);
    buffer_clear(&b);
}

static void fat_clauses_have_four_byte_fields(void **state) {
    (void)state;
    uint8_t section[28] = {0x41, 28, 0, 0};
    for (uint8_t i = 0; i < 24; i++)
        section[4 + i] = i;
    section[4] = 1, section[5] = section[6] = section[7] = 0;
    buffer b = BUFFER_INIT;
    il_body body;
    il_fault fault;
    assert_true(il_body_try_read(&body, with_section(&b, section, sizeof section), &fault));
    il_clause c;
    il_body_clause(&body, 0, &c);
    assert_int_equal(c.flags, IL_CLAUSE_FILTER);
    assert_int_equal(c.try_offset, 0x07060504);
    assert_int_equal(c.try_length, 0x0B0A0908);
    assert_int_equal(c.handler_offset, 0x0F0E0D0C);
    assert_int_equal(c.handler_length, 0x13121110);
    assert_int_equal(c.class_token_or_filter_offset, 0x17161514);
    buffer_clear(&b);
}

static void data_size_without_the_section_header_counts_the_same_clauses(void **state) {
    (void)state;
    uint8_t small[28] = {0x01, 24}, fat[28] = {0x41, 24};
    buffer b = BUFFER_INIT;
    il_body body;
    il_fault fault;
    bytes in = with_section(&b, small, sizeof small);
    assert_true(il_body_try_read(&body, in, &fault));
    assert_int_equal(body.clause_count, 2);
    assert_int_equal(body.size, in.size);
    in = with_section(&b, fat, sizeof fat);
    assert_true(il_body_try_read(&body, in, &fault));
    assert_int_equal(body.clause_count, 1);
    assert_int_equal(body.size, in.size);
    buffer_clear(&b);
}

static void chained_sections_are_read_as_one_list(void **state) {
    (void)state;
    uint8_t sections[16 + 28] = {0x81, 16};
    sections[6] = 7; /* try offset of the small clause */
    sections[16] = 0x41, sections[17] = 28, sections[24] = 9;
    buffer b = BUFFER_INIT;
    il_body body;
    il_fault fault;
    assert_true(il_body_try_read(&body, with_section(&b, sections, sizeof sections), &fault));
    assert_int_equal(body.section_count, 2);
    assert_int_equal(body.clause_count, 2);
    il_clause c;
    il_body_clause(&body, 0, &c);
    assert_int_equal(c.try_offset, 7);
    il_body_clause(&body, 1, &c);
    assert_int_equal(c.try_offset, 9);
    buffer_clear(&b);
}

/* A filter from 4 to 6, its handler from 6 to 8, over what is from 1 to 3; and a finally from 20 on. */
static void code_ends_where_a_region_or_the_body_does(void **state) {
    (void)state;
    const uint8_t section[] = {0x01, 28, 0, 0, /* flags, try, its length, handler, its length, filter or type */
                               1,    0,  1, 0, 2, 6,  0, 2, 4, 0, 0, 0, /**/
                               2,    0,  8, 0, 4, 20, 0, 1, 9, 0, 0, 0};
    static const uint32_t ends[] = {3, 4, 6, 8, 12, 20, 21};
    buffer b = BUFFER_INIT;
    il_body body;
    il_fault fault;
    assert_true(il_body_try_read(&body, with_section(&b, section, sizeof section), &fault));
    body.code.size = 30;
    for (uint32_t offset = 0, next = 0; offset < 32; offset++) {
        bool end = next < sizeof ends / sizeof *ends && ends[next] == offset;
        assert_int_equal(il_body_ends_at(&body, offset), end || offset >= 30);
        next += end;
    }
    buffer_clear(&b);
}

static void what_cannot_be_understood_names_its_reason(void **state) {
    (void)state;
    static const struct {
        const char *in;
        size_t size;
        const char *what;
    } cases[] = {
        {"", 0, "the header is cut off"},
        {"\x00\x2A", 2, "the header is neither tiny nor fat"},
        {"\x02", 1, "the code is empty"},
        {"\x0A\x2A", 2, "the code is cut off"},
        {"\x03\x30\x08\x00", 4, "the header is cut off"},
        {"\x03\x20\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00\x2A", 13, "a fat header's size is not 3 words"},
        {"\x03\x30\x08\x00\x00\x00\x00\x00\x00\x00\x00\x00\x2A", 13, "the code is empty"},
        {"\x03\x30\x08\x00\xFF\xFF\xFF\xFF\x00\x00\x00\x00\x2A", 13, "the code is cut off"},
        {"\x0B\x30\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00\x2A", 13,
         "the padding before an exception section is cut off"},
        {"\x0B\x30\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00\x2A\x00\x00\x00\x02\x04\x00\x00", 20,
         "a section is not an exception table"},
        {"\x0B\x30\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00\x2A\x00\x00\x00\x01\x09\x00\x00", 20,
         "an exception section's DataSize is not a number of clauses"},
        {"\x0B\x30\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00\x2A\x00\x00\x00\x41\x0C\x00\x10", 20,
         "an exception section's clauses are cut off"},
        {"\x0B\x30\x08\x00\x01\x00\x00\x00\x00\x00\x00\x00\x2A\x00\x00\x00\x81\x04\x00\x00\x81\x04\x00\x00"
         "\x81\x04\x00\x00\x81\x04\x00\x00\x81\x04\x00\x00",
         36, "there are too many sections"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        il_body body = {.size = 77};
        il_fault fault = {NULL, 0};
        assert_false(il_body_try_read(&body, bytes_of(cases[i].in, cases[i].size), &fault));
        assert_string_equal(fault.what, cases[i].what);
        assert_int_equal(body.size, 77);
    }
}

static void a_body_cut_at_each_length_is_refused(void **state) {
    (void)state;
    uint8_t sections[16 + 28] = {0x81, 16};
    sections[16] = 0x41, sections[17] = 28;
    buffer b = BUFFER_INIT;
    bytes whole = with_section(&b, sections, sizeof sections);
    il_body body;
    il_fault fault;
    for (size_t size = 0; size < whole.size; size++) {
        uint8_t *copy = malloc(size ? size : 1); /* of its own, so that a sanitizer sees a read past it */
        memcpy(copy, whole.data, size);
        assert_false(il_body_try_read(&body, bytes_of(copy, size), &fault));
        free(copy);
    }
    assert_true(il_body_try_read(&body, whole, &fault));
    buffer_clear(&b);
}

static void what_others_may_read_of_a_body_is_claimed(void **state) {
    (void)state;
    enum { SECTION = 16, CODE_END = 14 };
    static const struct {
        uint8_t section[32];
        uint32_t claimed;
    } cases[] = {
        {{0x02, 4}, SECTION + 4},                      /* of another kind, and empty */
        {{0x03, 16}, SECTION + 16},                    /* one small clause */
        {{0x03, 27}, SECTION + 28},                    /* two, as readers divide that do not look at the rest */
        {{0x42, 24, 0, 0}, SECTION + 28},              /* a fat one */
        {{0x82, 4, 0, 0, 0x02, 16}, SECTION + 4 + 16}, /* two sections */
        {{0x82, 4, 0, 0, 0x02, 100}, SECTION + 4},     /* the second one runs past the end */
        {{0x42, 0, 0, 1}, CODE_END},                   /* so does this one, by its third byte */
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        buffer b = BUFFER_INIT;
        bytes in = with_section(&b, cases[i].section, sizeof cases[i].section);
        assert_int_equal(il_body_claimed(in), cases[i].claimed);
        assert_int_equal(il_body_claimed(bytes_of(in.data, CODE_END)), CODE_END);
        assert_int_equal(il_body_claimed(bytes_of(in.data, CODE_END - 1)), 0);
        b.data[1] = 0x40; /* a header of four words */
        assert_int_equal(il_body_claimed(in), 0);
        buffer_clear(&b);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(tiny_header_gives_code_and_eight_slots),
        cmocka_unit_test(fat_header_gives_its_fields_and_small_clauses),
        cmocka_unit_test(fat_clauses_have_four_byte_fields),
        cmocka_unit_test(data_size_without_the_section_header_counts_the_same_clauses),
        cmocka_unit_test(chained_sections_are_read_as_one_list),
        cmocka_unit_test(code_ends_where_a_region_or_the_body_does),
        cmocka_unit_test(what_cannot_be_understood_names_its_reason),
        cmocka_unit_test(a_body_cut_at_each_length_is_refused),
        cmocka_unit_test(what_others_may_read_of_a_body_is_claimed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
