/* The fuzz target of images, driven plainly: made images, cut and changed from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../../fuzz/fuzz_image.c"
#include "fuzz_unit.h"
#include "made_image.h"

static void samples_are_sound(void **state) {
    (void)state;
    for (unsigned n = 0; n < MADE_SAMPLES; n++) {
        buffer b = BUFFER_INIT;
        ilj_context *context = NULL;
        ilj_image *image = NULL;
        sink_state sink = {0};
        made_sample(&b, n);
        assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
        assert_int_equal(image_open_bytes(&image, context, "sample", buffer_bytes(&b)), ILJ_OK);
        assert_int_equal(md_validate(&image->metadata, &image->diag), ECMA_OK);
        assert_int_equal(ilj_image_dump(image, ILJ_DUMP_ALL, swallow, &sink), ILJ_OK);
        assert_true(sink.written > 2000);
        ilj_image_free(image);
        ilj_context_free(context);
        buffer_clear(&b);
    }
}

static void changed_images_are_read_or_refused(void **state) {
    (void)state;
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x1D, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    /* The headers are mostly padding; what matters begins with the section. */
    fuzz_replay(made_sample, 0, MADE_SAMPLES,
                &(fuzz_plan){.seed = 97,
                             .rounds = 2000,
                             .step = 7,
                             .from = MADE_HEADERS,
                             .seldom_from = 0x80,
                             .edges = edges,
                             .edge_count = sizeof edges});
}

static void changes_to_the_structure_are_survived(void **state) {
    (void)state;
    fuzz_mutate(made_sample, 0, MADE_SAMPLES, 1000);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, made_sample, MADE_SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_sound),
        cmocka_unit_test(changed_images_are_read_or_refused),
        cmocka_unit_test(changes_to_the_structure_are_survived),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
