/* The reader of the section CALL: plain calls, as profiles have always had them, and those of async methods. */
#include "profile_unit.h"

#include "profile/calls.h"

enum { TICKS = 50, THROWN = 1, AWAITED = 2, UNENDED = 4, CANCELLED = 8, LOST = 16 };

/* One call of one method without parameters, which took TICKS; `after` is what follows its values, of none. */
static void with_call(buffer *file, unsigned flags, bytes behind) {
    static const shape nodes[] = {{1, 0}, {0, SAMPLE_BASE}};
    buffer b = BUFFER_INIT, call = BUFFER_INIT;
    file->size = 0;
    with_tree(file, 2, nodes, 2);
    file->size -= 16;      /* END */
    buffer_varuint(&b, 0); /* rules */
    buffer_varuint(&b, 1); /* methods */
    buffer_varuint(&b, SAMPLE_BASE);
    buffer_append(&b, (uint8_t[]){1, 0, 0}, 3); /* calls, flags, parameters */
    buffer_varuint(&call, SAMPLE_BASE);
    buffer_append(&call, (uint8_t[]){1, 100, TICKS, (uint8_t)flags, 0, 0}, 6); /* thread … number of values */
    buffer_append(&call, behind.data, behind.size);
    buffer_varuint(&b, 1);
    buffer_varuint(&b, call.size);
    buffer_append(&b, call.data, call.size);
    maker_section(file, "CALL", &b);
    maker_end(file);
    buffer_clear(&call);
    buffer_clear(&b);
}

static void calls_are_plain_or_awaited(void **state) {
    (void)state;
    static const struct {
        unsigned flags;
        const char *behind;
        size_t behind_size;
        calls_call expected;
        bool went_on;
        uint64_t frame_ticks;
    } cases[] = {
        {0, "", 0, {.first_part = TICKS}, false, TICKS},
        {0, "later", 5, {.first_part = TICKS}, false, TICKS},
        {THROWN, "n", 1, {.thrown = true, .first_part = TICKS}, false, TICKS},
        /* Bits that mean something of async calls alone. */
        {UNENDED | CANCELLED | LOST, "", 0, {.first_part = TICKS}, false, TICKS},
        {AWAITED, "\x14", 1, {.awaited = true, .first_part = 20}, true, TICKS},
        {AWAITED, "\x14later", 6, {.awaited = true, .first_part = 20}, true, TICKS},
        /* It was complete when it returned to its caller. */
        {AWAITED, "\x3c", 1, {.awaited = true, .first_part = 60}, false, 60},
        {AWAITED | THROWN, "n\x14", 2, {.awaited = true, .thrown = true, .first_part = 20}, true, TICKS},
        {AWAITED | THROWN | CANCELLED,
         "n\x14",
         2,
         {.awaited = true, .thrown = true, .cancelled = true, .first_part = 20},
         true,
         TICKS},
        {AWAITED | UNENDED, "\x32", 1, {.awaited = true, .unended = true, .first_part = TICKS}, true, TICKS},
        {AWAITED | LOST, "\x32", 1, {.awaited = true, .lost = true, .first_part = TICKS}, true, TICKS},
    };
    buffer file = BUFFER_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        told t;
        profile p = PROFILE_INIT;
        with_call(&file, cases[i].flags, bytes_of(cases[i].behind, cases[i].behind_size));
        assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_OK);
        assert_int_equal(p.calls.count, 1);
        const calls_call *call = &p.calls.list[0], *expected = &cases[i].expected;
        assert_int_equal(call->ticks, TICKS);
        assert_int_equal(call->thrown, expected->thrown);
        assert_int_equal(call->awaited, expected->awaited);
        assert_int_equal(call->unended, expected->unended);
        assert_int_equal(call->cancelled, expected->cancelled);
        assert_int_equal(call->lost, expected->lost);
        assert_int_equal(call->first_part, expected->first_part);
        assert_int_equal(calls_went_on(call), cases[i].went_on);
        assert_int_equal(calls_frame_ticks(call), cases[i].frame_ticks);
        profile_clear(&p);
    }
    buffer_clear(&file);
}

static void an_async_call_has_its_synchronous_part(void **state) {
    (void)state;
    static const struct {
        unsigned flags;
        const char *behind;
        size_t behind_size;
    } cases[] = {
        {AWAITED, "", 0},
        {AWAITED, "\xff", 1},
        {AWAITED, "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 10},
        {AWAITED | THROWN, "n", 1},
        {AWAITED | UNENDED, "", 0},
    };
    buffer file = BUFFER_INIT;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        told t;
        profile p = PROFILE_INIT;
        with_call(&file, cases[i].flags, bytes_of(cases[i].behind, cases[i].behind_size));
        assert_int_equal(read_copy(&p, buffer_bytes(&file), &t), ECMA_BAD_FILE);
        assert_non_null(strstr(t.text, "expected the time of the synchronous part after the values"));
        profile_clear(&p);
    }
    buffer_clear(&file);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_are_plain_or_awaited),
        cmocka_unit_test(an_async_call_has_its_synchronous_part),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
