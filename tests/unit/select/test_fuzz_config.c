/* The fuzz target of configuration files and patterns, driven plainly: samples, and changes to them from a printed
 * seed. With the arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_config.c"

static const char *const samples[] = {
    "\x02<?xml version=\"1.0\"?>\n<ilinject>\n <selection min-il-size=\"20\" compiler-generated=\"no\">\n"
    "  <include pattern=\"[App]A.**.B*/C..ctor(int, **)\"/>\n  <exclude pattern=\"@N.&lt;X&#62;\"/>\n"
    " </selection>\n</ilinject>\n",
    ("\x02<ilinject><calls><capture pattern='A.B' values='args, this; first=10 slower=5ms'/>\n<mask pattern='!*pin*'/>"
     "<capture pattern='C: D'/></calls></ilinject>"),
    "\x02<!DOCTYPE a [<!ENTITY b \"c\"><!ENTITY d \"&b;&b;\">]><ilinject><selection/></ilinject>",
    "\x01[A*]N.**.Outer`1/In?er..ctor(int, **, List<*, int[,]>)\nN.Outer`1.Inner..ctor",
    "\x01@**.A*Attribute\nSystem.AAttribute",
};
enum { SAMPLES = sizeof samples / sizeof samples[0] };

static void make_sample(buffer *out, unsigned n) {
    buffer_append(out, samples[n], strlen(samples[n]));
}

static void replay(unsigned from, unsigned to, unsigned rounds) {
    static const uint8_t edges[] = "<>&;\"'/*?.[](),@`\n\0\xFF\x80 xA1";
    fuzz_replay(make_sample, from, to,
                &(fuzz_plan){.seed = 7,
                             .rounds = rounds,
                             .step = 1,
                             .from = 1,
                             .seldom_from = 1,
                             .edges = edges,
                             .edge_count = sizeof edges - 1});
}

static void changed_files_are_read_or_refused_with_a_word(void **state) {
    (void)state;
    replay(0, 3, 1000);
}

static void changed_patterns_are_compiled_or_refused(void **state) {
    (void)state;
    replay(3, SAMPLES, 10000);
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_files_are_read_or_refused_with_a_word),
        cmocka_unit_test(changed_patterns_are_compiled_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
