/* The fuzz target of configuration files and patterns, driven plainly: samples, and changes to them from a printed
 * seed. With the arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../fuzz/fuzz_config.c"

static const char *const samples[] = {
    "\x02<?xml version=\"1.0\"?>\n<ilinject>\n <selection min-il-size=\"20\" compiler-generated=\"no\">\n"
    "  <include pattern=\"[App]A.**.B*/C..ctor(int, **)\"/>\n  <exclude pattern=\"@N.&lt;X&#62;\"/>\n"
    " </selection>\n</ilinject>\n",
    "\x02<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]><ilinject><selection/></ilinject>",
    "\x01[A*]N.**.Outer`1/In?er..ctor(int, **, List<*, int[,]>)\nN.Outer`1.Inner..ctor",
    "\x01@**.A*Attribute\nSystem.AAttribute",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void replay(unsigned from, unsigned to, int rounds) {
    uint32_t random = 7;
    printf("seed %u, %d rounds for each sample\n", random, rounds);
    for (unsigned n = from; n < to; n++) {
        size_t size = strlen(samples[n]);
        uint8_t *changed = malloc(size);
        for (size_t cut = 1; cut <= size; cut++)
            LLVMFuzzerTestOneInput((const uint8_t *)samples[n], cut);
        for (int round = 0; round < rounds; round++) {
            static const char edges[] = "<>&;\"'/*?.[](),@`\n\0\xFF\x80 xA1";
            memcpy(changed, samples[n], size);
            for (uint32_t i = 1 + fuzz_random(&random) % 4; i > 0; i--)
                changed[1 + fuzz_random(&random) % (size - 1)] =
                    (uint8_t)edges[fuzz_random(&random) % (sizeof edges - 1)];
            LLVMFuzzerTestOneInput(changed, size);
        }
        free(changed);
    }
}

static void changed_files_are_read_or_refused_with_a_word(void **state) {
    (void)state;
    replay(0, 2, 1000);
}

static void changed_patterns_are_compiled_or_refused(void **state) {
    (void)state;
    replay(2, SAMPLES, 10000);
}

static int write_seeds(const char *folder) {
    for (unsigned i = 0; i < SAMPLES; i++) {
        if (!fuzz_write_seed(folder, i, bytes_of(samples[i], strlen(samples[i]))))
            return 1;
    }
    return 0;
}

int main(int count_of, char **arguments) {
    if (count_of == 3 && strcmp(arguments[1], "seeds") == 0)
        return write_seeds(arguments[2]);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_files_are_read_or_refused_with_a_word),
        cmocka_unit_test(changed_patterns_are_compiled_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
