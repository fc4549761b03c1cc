/* The fuzz target of images, driven plainly: made images, cut and changed from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "../fuzz/fuzz_image.c"
#include "fuzz_unit.h"
#include "made_image.h"

static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1); /* of its very size, so that a sanitizer sees each overrun */
    memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

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
    enum { ROUNDS = 2000 };
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x1D, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    uint32_t random = 97;
    printf("seed %u, %d rounds for each of %d samples\n", random, ROUNDS, MADE_SAMPLES);
    for (unsigned n = 0; n < MADE_SAMPLES; n++) {
        buffer sample = BUFFER_INIT;
        made_sample(&sample, n);
        for (size_t size = 0; size <= sample.size; size += 7)
            run(sample.data, size);
        uint8_t *changed = malloc(sample.size);
        for (int round = 0; round < ROUNDS; round++) {
            memcpy(changed, sample.data, sample.size);
            /* The headers are mostly padding; what matters begins with the section. */
            size_t from = round % 4 ? MADE_HEADERS : 0x80;
            fuzz_change(changed, sample.size, from, 4, edges, sizeof edges, &random);
            run(changed, sample.size);
        }
        free(changed);
        buffer_clear(&sample);
    }
}

static int write_seeds(const char *folder) {
    for (unsigned n = 0; n < MADE_SAMPLES; n++) {
        buffer b = BUFFER_INIT;
        made_sample(&b, n);
        bool written = fuzz_write_seed(folder, n, buffer_bytes(&b));
        buffer_clear(&b);
        if (!written)
            return 1;
    }
    return 0;
}

static int read_files(int count, char **paths) {
    for (int i = 0; i < count; i++) {
        diag d = {.file = paths[i]};
        os_map map = OS_MAP_INIT;
        if (os_map_file(&map, &d, paths[i]))
            return 1;
        run(map.content.data, map.content.size);
        os_unmap(&map);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 3 && strcmp(argv[1], "seeds") == 0)
        return write_seeds(argv[2]);
    if (argc > 1)
        return read_files(argc - 1, argv + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(samples_are_sound),
        cmocka_unit_test(changed_images_are_read_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
