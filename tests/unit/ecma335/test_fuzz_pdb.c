/* The fuzz target of symbols, driven plainly: made ones, cut and changed from a printed seed. With the arguments
 * `seeds FOLDER` it writes what the fuzzer starts from; with other arguments it reads those files. */
#include "fuzz_unit.h"
#include "unit.h"

#include "../../fuzz/fuzz_pdb.c"

enum { SAMPLES = 2 };

static void make_sample(buffer *out, unsigned n) {
    if (n == 0)
        made_pdb(out, 0);
    else
        made_mdb(out);
}

static void changed_symbols_are_rewritten_or_refused(void **state) {
    (void)state;
    static const uint8_t edges[] = {0x00, 0x01, 0x02, 0x40, 0x7F, 0x80, 0xC0, 0xDF, 0xFE, 0xFF};
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 41, .rounds = 4000, .step = 1, .edges = edges, .edge_count = sizeof edges});
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(changed_symbols_are_rewritten_or_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
