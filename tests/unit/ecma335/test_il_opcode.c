/* The opcode table against itself; with the argument `print`, the table as text for tests/golden/suite-opcodes.sh,
 * which compares it with what System.Reflection.Emit knows. */
#include "unit.h"

#include "il/opcode.h"

static void encodings_rise_and_find_their_row(void **state) {
    (void)state;
    for (unsigned i = 1; i < IL_OPCODE_END; i++) {
        const il_opcode_facts *f = &il_opcodes[i];
        if (i > 1)
            assert_true(f->encoding > f[-1].encoding);
        assert_int_equal(il_opcode_of_encoding[f->encoding > 0xFF ? 256 + (f->encoding & 0xFF) : f->encoding], i);
    }
    assert_int_equal(il_opcode_of_encoding[0xFE], IL_none);
}

static void every_short_branch_has_its_long_form_and_nothing_else_has(void **state) {
    (void)state;
    unsigned pairs = 0;
    for (unsigned i = 1; i < IL_OPCODE_END; i++) {
        const il_opcode_facts *f = &il_opcodes[i];
        assert_int_equal(f->operand == IL_ShortInlineBrTarget, f->long_form != IL_none);
        if (f->long_form == IL_none)
            continue;
        const il_opcode_facts *l = &il_opcodes[f->long_form];
        char name[32];
        snprintf(name, sizeof name, "%s.s", l->name);
        assert_string_equal(name, f->name);
        assert_int_equal(l->operand, IL_InlineBrTarget);
        assert_int_equal(l->flow, f->flow);
        assert_int_equal(l->pop, f->pop);
        pairs++;
    }
    assert_int_equal(pairs, 14);
}

static void prefixes_are_the_six_of_the_standard(void **state) {
    (void)state;
    for (unsigned i = 1; i < IL_OPCODE_END; i++) {
        bool named = i == IL_unaligned || i == IL_volatile || i == IL_tail || i == IL_constrained || i == IL_no ||
                     i == IL_readonly;
        assert_int_equal(il_is_prefix((il_opcode)i) != 0, named);
    }
}

static int print(void) {
    for (unsigned i = 1; i < IL_OPCODE_END; i++) {
        const il_opcode_facts *f = &il_opcodes[i];
        printf("%04x %s %u %s %s %s %s\n", f->encoding, f->name, f->size, il_operand_names[f->operand],
               il_stack_behaviour_names[f->pop], il_stack_behaviour_names[f->push], il_flow_names[f->flow]);
    }
    return 0;
}

int main(int argc, char **argv) {
    if (argc == 2 && strcmp(argv[1], "print") == 0)
        return print();
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(encodings_rise_and_find_their_row),
        cmocka_unit_test(every_short_branch_has_its_long_form_and_nothing_else_has),
        cmocka_unit_test(prefixes_are_the_six_of_the_standard),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
