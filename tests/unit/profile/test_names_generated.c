#include "profile/names_generated.h"

#include "unit.h"

#include <string.h>

static bytes text(const char *s) {
    return bytes_of(s, strlen(s));
}

static void assert_text(bytes actual, const char *expected) {
    assert_int_equal(actual.size, strlen(expected));
    assert_memory_equal(actual.data, expected, actual.size);
}

static void methods_are_known_by_their_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        generated_method_kind kind;
        const char *owner, *own;
        uint32_t group, number;
    } cases[] = {
        {"<Main>b__3_12", GENERATED_LAMBDA, "Main", "", 3, 12},
        {"<Main>b__3_12#1", GENERATED_LAMBDA, "Main", "", 3, 12},
        {"<Main>b__2", GENERATED_LAMBDA, "Main", "", GENERATED_NO_NUMBER, 2},
        {"<Main>b__1f", GENERATED_LAMBDA, "Main", "", GENERATED_NO_NUMBER, 31},
        {"<ReceiveAsyncApm>m__A", GENERATED_LAMBDA, "ReceiveAsyncApm", "", GENERATED_NO_NUMBER, 10},
        {"<>m__0", GENERATED_LAMBDA, "", "", GENERATED_NO_NUMBER, 0},
        {"<<Main>$>b__0_0", GENERATED_LAMBDA, "<Main>$", "", 0, 0},
        {"<A.I<System.Int32>.M>b__0_0", GENERATED_LAMBDA, "A.I<System.Int32>.M", "", 0, 0},
        {"_Lambda$__7-2", GENERATED_LAMBDA, "", "", 7, 2},
        {"_Lambda$__R7-2", GENERATED_LAMBDA, "", "", 7, 2},
        {"_Lambda$__3", GENERATED_LAMBDA, "", "", GENERATED_NO_NUMBER, 3},
        {"<Main>g__Twice|0_1", GENERATED_LOCAL_FUNCTION, "Main", "Twice", 0, 1},
        {"<<Main>$>g__Twice|0_1", GENERATED_LOCAL_FUNCTION, "<Main>$", "Twice", 0, 1},
        {"<Main>g__Twice|2", GENERATED_LOCAL_FUNCTION, "Main", "Twice", GENERATED_NO_NUMBER, 2},
        {"<>m__Finally2", GENERATED_FINALLY, "", "", 0, 2},
        {"<>__Finally0", GENERATED_FINALLY, "", "", 0, 1},
        {"<>n__4", GENERATED_BASE_CALL, "", "", 0, 4},
        {"<Value>__BaseCallProxy1", GENERATED_BASE_CALL, "Value", "Value", 0, 1},
        {"$VB$ClosureStub_Get_Value_MyBase", GENERATED_BASE_CALL, "", "Get_Value", 0, 0},
        {"<Clone>$", GENERATED_CLONE, "Clone", "", 0, 0},
        {"<Main>$", GENERATED_TOP_LEVEL, "Main", "", 0, 0},
        {"<Main>", GENERATED_ENTRY, "Main", "", 0, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        generated_method m = generated_method_of(text(cases[i].name));
        assert_int_equal(m.kind, cases[i].kind);
        assert_text(m.owner, cases[i].owner);
        assert_text(m.name, cases[i].own);
        assert_int_equal(m.number, cases[i].number);
        if (m.kind == GENERATED_LAMBDA || m.kind == GENERATED_LOCAL_FUNCTION)
            assert_int_equal(m.group, cases[i].group);
    }
}

static void what_only_looks_like_it_is_a_name(void **state) {
    (void)state;
    static const char *const names[] = {"",
                                        "Main",
                                        "<",
                                        "<Main",
                                        "<>",
                                        "<Main>x",
                                        "<M>b__",
                                        "<M>b__x",
                                        "<M>g__|0",
                                        "<M>g__N",
                                        "<M>g__N|",
                                        "<>n__",
                                        "<M>n__1",
                                        "_Lambda$__",
                                        "_Lambda$_1",
                                        ".ctor",
                                        "op_Addition",
                                        ">M<b__0",
                                        "<M>m__",
                                        "<>m__Finally",
                                        "$VB$ClosureStub_",
                                        "$VB$ClosureStub_X"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        assert_int_equal(generated_method_of(text(names[i])).kind, GENERATED_PLAIN);
    static const char *const types[] = {"",        "Program",       "<Module>", "<>", "<M>d_",
                                        "<M>e__0", "<X>FABC__Name", "a@b",      "@1", "List`1"};
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        assert_int_equal(generated_type_of(text(types[i])).kind, GENERATED_TYPE_PLAIN);
}

static void types_are_known_by_their_names(void **state) {
    (void)state;
    static const struct {
        const char *name;
        generated_type_kind kind;
        const char *owner, *own;
        uint32_t group;
    } cases[] = {
        {"<>c", GENERATED_CLOSURE, "", "", GENERATED_NO_NUMBER},
        {"<>c__3", GENERATED_CLOSURE, "", "", GENERATED_NO_NUMBER},
        {"<>c__DisplayClass12_1", GENERATED_CLOSURE, "", "", 12},
        {"<>c__DisplayClass1a", GENERATED_CLOSURE, "", "", GENERATED_NO_NUMBER},
        {"<Main>c__AnonStorey0", GENERATED_CLOSURE, "Main", "", GENERATED_NO_NUMBER},
        {"_Closure$__2-0", GENERATED_CLOSURE, "", "", GENERATED_NO_NUMBER},
        {"<Load>d__5", GENERATED_MACHINE, "Load", "", GENERATED_NO_NUMBER},
        {"<<Main>b__0_0>d", GENERATED_MACHINE, "<Main>b__0_0", "", GENERATED_NO_NUMBER},
        {"<A-I<System-Int32>-M>d__18", GENERATED_MACHINE, "A-I<System-Int32>-M", "", GENERATED_NO_NUMBER},
        {"<Load>c__async1", GENERATED_MACHINE, "Load", "", GENERATED_NO_NUMBER},
        {"<Load>c__Iterator1", GENERATED_MACHINE, "Load", "", GENERATED_NO_NUMBER},
        {"VB$StateMachine_4_Load", GENERATED_MACHINE, "Load", "", GENERATED_NO_NUMBER},
        {"VB$StateMachine___Lambda$__7-0", GENERATED_MACHINE, "_Lambda$__7-0", "", GENERATED_NO_NUMBER},
        {"<>f__AnonymousType0", GENERATED_ANONYMOUS, "", "", GENERATED_NO_NUMBER},
        {"<>__AnonType0", GENERATED_ANONYMOUS, "", "", GENERATED_NO_NUMBER},
        {"VB$AnonymousType_0", GENERATED_ANONYMOUS, "", "", GENERATED_NO_NUMBER},
        {"<App>F0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF0123456789ABCDEF__Local", GENERATED_FILE_LOCAL, "App",
         "Local", GENERATED_NO_NUMBER},
        {"main@12-3", GENERATED_FUNCTION, "", "main@12-3", GENERATED_NO_NUMBER},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        generated_type t = generated_type_of(text(cases[i].name));
        assert_int_equal(t.kind, cases[i].kind);
        assert_text(t.owner, cases[i].owner);
        assert_text(t.name, cases[i].own);
        assert_int_equal(t.group, cases[i].group);
    }
    assert_text(generated_property_of(text("<First>j__TPar")), "First");
    assert_text(generated_property_of(text("T0")), "T0");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_known_by_their_names),
        cmocka_unit_test(what_only_looks_like_it_is_a_name),
        cmocka_unit_test(types_are_known_by_their_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
