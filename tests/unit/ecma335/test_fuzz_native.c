/* The fuzz target of native code, driven plainly: a made ReadyToRun image, cut and changed from a printed seed. With
 * the arguments `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#define _GNU_SOURCE
#include "unit.h"

#include "../../fuzz/fuzz_native.c"
#include "fuzz_unit.h"
#include "made_native.h"

enum { SAMPLES = 1 };

static void make_sample(buffer *out, unsigned n) {
    uint32_t offset;
    (void)n;
    made_native(out, &offset);
}

static void the_sample_keeps_its_code(void **state) {
    (void)state;
    buffer b = BUFFER_INIT;
    bool can_stay;
    make_sample(&b, 0);
    assert_int_equal(count_entries(buffer_bytes(&b), &can_stay), MADE_METHODS);
    assert_true(can_stay);
    buffer_clear(&b);
}

static void changed_images_are_kept_or_refused(void **state) {
    (void)state;
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x03, 0x07, 0x0F, 0x1F, 0x7F, 0x80, 0x93, 0xC0, 0xFE, 0xFF};
    buffer b = BUFFER_INIT;
    uint32_t offset;
    made_native(&b, &offset);
    buffer_clear(&b);
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 46,
                             .rounds = 3000,
                             .step = 11,
                             .from = offset,
                             .seldom_from = 0x80,
                             .edges = edges,
                             .edge_count = sizeof edges});
}

static void mutated_images_are_kept_or_refused(void **state) {
    (void)state;
    fuzz_mutate(make_sample, 0, SAMPLES, 400);
}

int main(int count, char **arguments) {
    int value = fuzz_arguments(count, arguments, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_sample_keeps_its_code),
        cmocka_unit_test(changed_images_are_kept_or_refused),
        cmocka_unit_test(mutated_images_are_kept_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
