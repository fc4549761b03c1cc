/* The fuzz target of method bodies, driven plainly: sample bodies, cut and changed from a printed seed. With the
 * arguments `seeds FOLDER` it writes what the fuzzer starts from. */
#include "fuzz_unit.h"
#include "il_unit.h"

#include "../../fuzz/fuzz_il.c"

enum { SAMPLES = 6 };

/* A choice byte and a body that has much of what bodies have. */
static void make_sample(buffer *sample, unsigned n) {
    static const il_clause clauses[] = {
        {IL_CLAUSE_FILTER, 0, 2, 6, 3, 2},
        {IL_CLAUSE_FINALLY, 0, 9, 9, 1, 0},
        {IL_CLAUSE_EXCEPTION, 0, 2, 6, 3, 0x01000001},
    };
    static const uint8_t guarded[] = {LEAVE_S, 8, 0x26, 0x17, 0xFE, 0x11, 0x26, LEAVE_S, 1, 0xDC, RET};
    buffer body = BUFFER_INIT, *b = &body; /* sections are aligned from the header on */
    switch (n) {
    case 0:
        make_tiny(b, CODE(0x02, 0x2D, 8, 0x03, 0xFE, 0x14, CALL, 1, 0, 0, 6, RET, 0x02, 0x2D, 0xF1, RET));
        break;
    case 1:
        make_tiny(b, CODE(0x02, SWITCH, 2, 0, 0, 0, 0xF2, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0, 0xFE, 0x13, 0x7E, 1, 0, 0, 4,
                          0x26, BR, 0, 0, 0, 0, 0x27, 1, 0, 0, 6));
        break;
    case 5: /* with a choice that puts a guard around it */
        make_tiny(b, CODE(0x02, 0x7B, 1, 0, 0, 4, CALL, 1, 0, 0, 6, RET));
        break;
    case 2:
        make_fat(b, bytes_of(guarded, sizeof guarded), clauses, 3, false);
        break;
    case 3:
        make_fat(b, bytes_of(guarded, sizeof guarded), clauses, 3, true);
        break;
    default: {
        uint8_t code[300] = {BR_S, 125, 0x02, 0x2C, 124};
        code[200] = 0x2B, code[201] = 0x81;
        code[299] = RET;
        make_fat(b, bytes_of(code, sizeof code), clauses, 0, false);
    }
    }
    buffer_u8(sample, (uint8_t)(n * 37));
    buffer_append(sample, body.data, body.size);
    buffer_clear(&body);
}

static void changed_bodies_are_understood_or_refused(void **state) {
    (void)state;
    static const uint8_t edges[] = {0x00, 0x01, 0x2A, 0x2B, 0x45, 0x7F, 0x80, 0xDE, 0xFE, 0xFF};
    fuzz_replay(make_sample, 0, SAMPLES,
                &(fuzz_plan){.seed = 22, .rounds = 4000, .step = 1, .edges = edges, .edge_count = sizeof edges});
}

int main(int argc, char **argv) {
    int value = fuzz_arguments(argc, argv, make_sample, SAMPLES);
    if (value >= 0)
        return value;
    const struct CMUnitTest tests[] = {cmocka_unit_test(changed_bodies_are_understood_or_refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
