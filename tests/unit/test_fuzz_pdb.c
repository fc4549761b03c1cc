/* The fuzz target of symbols, driven plainly: made ones, cut and changed from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../fuzz/fuzz_pdb.c"
#include "os.h"

enum { SAMPLES = 2 };

static void make_sample(buffer *out, unsigned n) {
    if (n == 0)
        made_pdb(out, 0);
    else
        made_mdb(out);
}

static void run(const uint8_t *data, size_t size) {
    uint8_t *copy = malloc(size ? size : 1); /* of its very size, so that a sanitizer sees each overrun */
    if (size)
        memcpy(copy, data, size);
    LLVMFuzzerTestOneInput(copy, size);
    free(copy);
}

static void changed_symbols_are_rewritten_or_refused(void **state) {
    (void)state;
    enum { ROUNDS = 4000 };
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x40, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    uint32_t random = 41;
    printf("seed %u, %d rounds for each of %d samples\n", random, ROUNDS, SAMPLES);
    for (unsigned n = 0; n < SAMPLES; n++) {
        buffer sample = BUFFER_INIT;
        make_sample(&sample, n);
        for (size_t size = 0; size <= sample.size; size++)
            run(sample.data, size);
        uint8_t *changed = malloc(sample.size);
        for (int round = 0; round < ROUNDS; round++) {
            memcpy(changed, sample.data, sample.size);
            fuzz_change(changed, sample.size, 0, 3, edges, sizeof edges, &random);
            run(changed, sample.size);
        }
        free(changed);
        buffer_clear(&sample);
    }
}

static int write_seeds(const char *folder) {
    for (unsigned n = 0; n < SAMPLES; n++) {
        buffer b = BUFFER_INIT;
        make_sample(&b, n);
        bool written = fuzz_write_seed(folder, n, buffer_bytes(&b));
        buffer_clear(&b);
        if (!written)
            return 1;
    }
    return 0;
}

static int run_files(int count, char **paths) {
    for (int i = 0; i < count; i++) {
        os_map map = OS_MAP_INIT;
        diag d = {.file = paths[i]};
        if (os_map_file(&map, &d, paths[i]) != ECMA_OK)
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
        return run_files(argc - 1, argv + 1);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_symbols_are_rewritten_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
