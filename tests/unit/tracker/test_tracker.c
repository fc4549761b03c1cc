/* The built-in tracker has each method of facts/tracker_methods.def, in the shape that its row says. */
#include "unit.h"

#include "ilinject.h"
#include "tracker/tracker.h"

static void the_built_in_tracker_has_each_method(void **state) {
    (void)state;
    ilj_context *context;
    ilj_image *image;
    tracker t;
    diag silent = {0};
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "built-in", tracker_built_in()), ILJ_OK);
    assert_int_equal(tracker_read(&t, image, TRACKER_DEFAULT_TYPE, &silent), ECMA_OK);
    for (unsigned i = 0; i < TRACKER_METHODS; i++)
        if (!t.has[i])
            fail_msg("%s %s", tracker_methods[i].name, tracker_methods[i].shape);
    for (unsigned i = 0; i < TRACKER_GUARD_METHODS; i++)
        if (!t.guards[i])
            fail_msg("%s", tracker_guard_methods[i].name);
    for (unsigned i = 0; i < TRACKER_GROUPS; i++)
        if (!t.can[i])
            fail_msg("group %u", i);
    ilj_image_free(image);
    ilj_context_free(context);
}

/* The build has read it once; a module names what it says. */
static void the_constants_are_what_is_read_of_the_built_in_tracker(void **state) {
    (void)state;
    ilj_context *context;
    ilj_image *image;
    tracker t, known;
    diag silent = {0};
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    assert_int_equal(image_open_bytes(&image, context, "built-in", tracker_built_in()), ILJ_OK);
    assert_int_equal(tracker_read(&t, image, TRACKER_DEFAULT_TYPE, &silent), ECMA_OK);
    tracker_take_built_in(&known);
    assert_true(bytes_equal(known.file, t.file));
    assert_string_equal(known.assembly_name, t.assembly_name);
    assert_string_equal(known.culture, t.culture);
    assert_string_equal(known.type_namespace, t.type_namespace);
    assert_string_equal(known.type_name, t.type_name);
    assert_memory_equal(known.version, t.version, sizeof t.version);
    assert_memory_equal(known.public_key_token, t.public_key_token, sizeof t.public_key_token);
    assert_int_equal(known.has_public_key, t.has_public_key);
    assert_int_equal(known.enter, t.enter);
    assert_int_equal(known.leave, t.leave);
    assert_int_equal(known.takes_arguments, t.takes_arguments);
    assert_int_equal(known.result, t.result);
    assert_int_equal(known.token_element, t.token_element);
    assert_int_equal(known.registers, t.registers);
    assert_int_equal(known.only_counts, t.only_counts);
    assert_memory_equal(known.guards, t.guards, sizeof t.guards);
    assert_memory_equal(known.has, t.has, sizeof t.has);
    assert_memory_equal(known.can, t.can, sizeof t.can);
    ilj_image_free(image);
    ilj_context_free(context);
}

static void a_shape_is_that_of_its_signature(void **state) {
    (void)state;
    /* ECMA-335, II.23.2.1: HASTHIS 0 and one parameter; GENERIC 0x10 with one type parameter and three parameters. */
    static const uint8_t counts[] = {0x00, 1, 0x01, 0x08}, boxes[] = {0x10, 1, 3, 0x01, 0x1E, 0, 0x08, 0x08};
    assert_string_equal(tracker_methods[TRACKER_COUNTS].shape, "void (int32)");
    assert_true(bytes_equal(tracker_method_signature(TRACKER_COUNTS), bytes_of(counts, sizeof counts)));
    assert_string_equal(tracker_methods[TRACKER_BOXES].shape, "void <T>(T, int32, int32)");
    assert_true(bytes_equal(tracker_method_signature(TRACKER_BOXES), bytes_of(boxes, sizeof boxes)));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_built_in_tracker_has_each_method),
        cmocka_unit_test(the_constants_are_what_is_read_of_the_built_in_tracker),
        cmocka_unit_test(a_shape_is_that_of_its_signature),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
