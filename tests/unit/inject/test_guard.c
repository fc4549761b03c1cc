/* Which methods a guard suits, from where on, and the local signatures that it takes: over metadata made by hand. */
#include "il_unit.h"

#include "inject/body/guard.h"
#include "inject/body/handlers.h"
#include "inject/body/locals.h"
#include "inject/body/result_types.h"
#include "made_metadata.h"

enum { LDARG_0 = 0x02, LDARG_1 = 0x03, LDC_1 = 0x17, DUP = 0x25, DIV = 0x5B, ADD = 0x58, LDFLD = 0x7B, STFLD = 0x7D };
#define TOKEN 1, 0, 0, 4

static il_body body_of(bytes code) {
    return (il_body){.code = code, .max_stack = 8};
}

static void what_cannot_throw_needs_no_guard(void **state) {
    (void)state;
    const struct {
        bool needless, is_instance;
        bytes code;
    } rows[] = {
        {true, false, CODE(RET)},
        {true, false, CODE(LDARG_0, LDARG_1, ADD, RET)},
        {false, false, CODE(LDARG_0, LDARG_1, DIV, RET)},
        {false, false, CODE(CALL, TOKEN, RET)},
        {true, false, CODE(BR_S, 0, RET)},
        /* a field of `this`, of something else, of what `this` was computed to */
        {true, true, CODE(LDARG_0, LDFLD, TOKEN, RET)},
        {false, false, CODE(LDARG_0, LDFLD, TOKEN, RET)},
        {false, true, CODE(LDARG_1, LDFLD, TOKEN, RET)},
        {true, true, CODE(LDARG_0, LDARG_1, STFLD, TOKEN, RET)},
        {false, true, CODE(LDARG_1, LDARG_0, STFLD, TOKEN, RET)},
        {false, true, CODE(LDARG_0, LDFLD, TOKEN, LDFLD, TOKEN, RET)},
        {true, true, CODE(LDARG_0, LDARG_0, LDFLD, TOKEN, LDC_1, ADD, STFLD, TOKEN, RET)},
        /* after a branch it is not known what stands on the stack */
        {false, true, CODE(LDARG_1, 0x2D, 3, LDARG_1, BR_S, 1, LDARG_0, LDFLD, TOKEN, RET)},
        /* copies of `this`, of something else, of a field of `this` */
        {true, true, CODE(LDARG_0, DUP, LDFLD, TOKEN, LDC_1, ADD, STFLD, TOKEN, RET)},
        {false, true, CODE(LDARG_1, DUP, LDFLD, TOKEN, LDC_1, ADD, STFLD, TOKEN, RET)},
        {false, true, CODE(LDARG_0, LDFLD, TOKEN, DUP, LDFLD, TOKEN, STFLD, TOKEN, RET)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        il_body body = body_of(rows[i].code);
        if (guard_is_needless(&body, 0, rows[i].is_instance) != rows[i].needless)
            fail_msg("row %zu", i);
    }
    il_body body = body_of(CODE(CALL, TOKEN, RET));
    assert_true(guard_is_needless(&body, 5, true));
}

static void quiet_handlers_run_to_their_end(void **state) {
    enum { VOLATILE = 0x13, STARG_S = 0x10, LEAVE_S = 0xDE, ENDFINALLY = 0xDC, LDSFLD = 0x7E, BRTRUE_S = 0x2D };
    (void)state;
    const struct {
        bool quiet, is_instance;
        bytes code;
    } rows[] = {
        {true, false, CODE(ENDFINALLY)},
        {true, false, CODE(0x06, LDC_1, ADD, 0x0A, ENDFINALLY)}, /* ldloc.0, stloc.0 */
        {true, false, CODE(LDARG_0, BRTRUE_S, 1, ENDFINALLY, LDARG_1, STARG_S, 0, ENDFINALLY)},
        {false, false, CODE(CALL, TOKEN, ENDFINALLY)},
        {false, false, CODE(LDARG_0, LDARG_1, DIV, 0x26, ENDFINALLY)},
        {false, false, CODE(LDSFLD, TOKEN, 0x26, ENDFINALLY)},
        {false, false, CODE(0x14, 0x7A)}, /* ldnull, throw */
        /* fields of `this`, of something else, of what was stored in its place */
        {true, true, CODE(LDARG_0, LDC_1, 0xFE, VOLATILE, STFLD, TOKEN, ENDFINALLY)},
        {false, false, CODE(LDARG_0, LDC_1, STFLD, TOKEN, ENDFINALLY)},
        {false, true, CODE(LDARG_1, LDC_1, STFLD, TOKEN, ENDFINALLY)},
        {false, true, CODE(LDARG_1, STARG_S, 0, LDARG_0, LDC_1, STFLD, TOKEN, ENDFINALLY)},
        /* a loop, and a protected region of its own */
        {false, false, CODE(LDARG_0, BRTRUE_S, 0xFD, ENDFINALLY)},
        {false, false, CODE(BR_S, 0xFE)},
        {false, false, CODE(LEAVE_S, 0, ENDFINALLY)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        /* Between two calls, which are not its own. */
        uint8_t code[64] = {CALL, TOKEN};
        uint32_t size = (uint32_t)rows[i].code.size;
        memcpy(code + 5, rows[i].code.data, size);
        code[5 + size] = CALL;
        il_body body = body_of(bytes_of(code, 5 + size + 5));
        il_clause clause = {.flags = IL_CLAUSE_FINALLY, .try_length = 5, .handler_offset = 5, .handler_length = size};
        if (guard_handler_is_quiet(&body, &clause, rows[i].is_instance) != rows[i].quiet)
            fail_msg("row %zu", i);
    }
}

static void what_verifiers_want_on_the_stack_stays_there(void **state) {
    (void)state;
    assert_true(result_stays_on_stack(CODE(0x10, 8)));          /* ref int32 */
    assert_true(result_stays_on_stack(CODE(0x0F, 1)));          /* void* */
    assert_true(result_stays_on_stack(CODE(0x1B, 0, 1, 8, 8))); /* delegate*<int32, int32> */
    assert_false(result_stays_on_stack(CODE(8)));
    assert_false(result_stays_on_stack(CODE(0x1D, 0x0F, 1))); /* void*[] */
    assert_false(result_stays_on_stack((bytes){0}));
}

static void results_keep_their_type(void **state) {
    (void)state;
    const struct {
        bytes signature, type;
        bool known;
    } rows[] = {
        {CODE(0, 0, 1), {0}, true},                             /* void */
        {CODE(0, 1, 8, 8), CODE(8), true},                      /* int32 (int32) */
        {CODE(0x20, 0, 0x20, 5, 1), {0}, true},                 /* modified void */
        {CODE(0, 0, 0x1F, 5, 0x10, 8), CODE(0x10, 8), true},    /* ref readonly */
        {CODE(0x10, 1, 0, 0x1E, 0), CODE(0x1E, 0), true},       /* !!0 */
        {CODE(0, 0, 0x1D, 0x11, 9), CODE(0x1D, 0x11, 9), true}, /* T[] */
        {CODE(0, 0, 0x16), {0}, false},                         /* typedref */
        {CODE(0, 0, 0x11, 1), {0}, false},                      /* a value type of row 0 */
        {CODE(0, 0, 0x15, 0x11, 1, 1, 8), {0}, false},          /* a generic one */
        {CODE(0, 0, 0x11, 3), {0}, false},                      /* a table that is none */
        {CODE(0, 0), {0}, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bytes type = {0};
        if (md_result_type(rows[i].signature, false, &type) != rows[i].known)
            fail_msg("row %zu is%s known", i, rows[i].known ? " not" : "");
        if (rows[i].known && !bytes_equal(type, rows[i].type))
            fail_msg("row %zu has another type", i);
    }
    bytes type;
    assert_true(md_result_type(CODE(0, 0, 0x12, 5), true, &type)); /* Task */
    assert_int_equal(type.size, 0);
    assert_true(md_result_type(CODE(0, 0, 0x15, 0x12, 5, 1, 0x1D, 8), true, &type)); /* Task<int[]> */
    assert_int_equal(type.size, 2);
    assert_memory_equal(type.data, "\x1D\x08", 2);
}

/* ---- Constructors ------------------------------------------------------------------------------------------------ */

/* MemberRef rows of .ctor, by their parents; the method itself. */
enum { OF_BASE = 1, OF_SAME_NAME, OF_OTHER, OF_OWN_INSTANCE, NO_CTOR };
enum { OWN = 2, VALUE = 3 };
#define REF(row) (row), 0, 0, 0x0A

static made metadata;
static md_view view;
static md_index rows_index;
static arena memory;

static void make_types(void) {
    made *m = &metadata;
    made_init(m);
    uint32_t signature = MADE_BLOB(m, 0x20, 1, 1, 8), nothing = MADE_BLOB(m, 0x20, 0, 1);
    uint32_t instance = MADE_BLOB(m, 0x15, 0x12, OWN << 2, 1, 0x13, 0);
    MADE_ROW(m, Module, 0, made_string(m, "M"), 0, 0, 0);
    uint32_t base = MADE_ROW(m, TypeRef, 6, made_string(m, "Base"), made_string(m, "N"));
    uint32_t again = MADE_ROW(m, TypeRef, 6, made_string(m, "Base"), made_string(m, "N"));
    uint32_t other = MADE_ROW(m, TypeRef, 6, made_string(m, "Other"), made_string(m, "N"));
    uint32_t value = MADE_ROW(m, TypeRef, 6, made_string(m, "ValueType"), made_string(m, "System"));
    uint32_t own = MADE_ROW(m, TypeSpec, instance);
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(m, TypeDef, 1, made_string(m, "Own"), 0, base << 2 | 1, 1, 1);
    MADE_ROW(m, TypeDef, 1, made_string(m, "Value"), 0, value << 2 | 1, 1, 3);
    MADE_ROW(m, MethodDef, 0x2050, 0, 0x1886, made_string(m, ".ctor"), signature, 1);
    MADE_ROW(m, MethodDef, 0x2050, 0, 0x1886, made_string(m, ".ctor"), nothing, 1);
    const struct {
        md_token parent;
        const char *name;
    } members[] = {{md_token_of(MD_TABLE_TypeRef, base), ".ctor"},
                   {md_token_of(MD_TABLE_TypeRef, again), ".ctor"},
                   {md_token_of(MD_TABLE_TypeRef, other), ".ctor"},
                   {md_token_of(MD_TABLE_TypeSpec, own), ".ctor"},
                   {md_token_of(MD_TABLE_TypeRef, base), "Set"}};
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++)
        MADE_ROW(m, MemberRef, md_coded_encode(MD_CODED_MemberRefParent, members[i].parent),
                 made_string(m, members[i].name), signature);
    diag d = {0};
    assert_int_equal(md_view_open(&view, made_finish(m), &memory, &d), ECMA_OK);
    assert_true(md_index_build(&rows_index, &view, &memory));
}

static void drop_types(void) {
    arena_clear(&memory);
    memory = (arena)ARENA_INIT;
    made_clear(&metadata);
}

/* Compilers make them of finally blocks that await, F# of all in tasks; others look alike. */
static void handlers_in_place_of_finally_blocks_are_known(void **state) {
    enum {
        STLOC_0 = 0x0A,
        LDLOC_0 = 0x06,
        POP = 0x26,
        CASTCLASS = 0x74,
        BRTRUE_S = 0x2D,
        LDNULL = 0x14,
        OBJECT = 1,
        OTHER = 2
    };
#define RETHROW 0xFE, 0x1A
#define TYPE    2, 0, 0, 1
#define SOME    CALL, 1, 0, 0, 0x0A
#define THING   CALL, 2, 0, 0, 0x0A
    (void)state;
    const struct {
        handler_part part;
        uint32_t type;
        bytes code;
    } rows[] = {
        {HANDLER_HOLDS, OBJECT, CODE(STLOC_0, LDARG_0, LDLOC_0, STFLD, TOKEN, LEAVE_S, 0)}, /* Roslyn, mcs */
        {HANDLER_HOLDS, OBJECT, CODE(NOP, STLOC_0, LEAVE_S, 0)},
        {HANDLER_HOLDS, OBJECT,
         CODE(CASTCLASS, TYPE, STLOC_0, LDARG_0, LDLOC_0, SOME, STFLD, TOKEN, LDC_1, STLOC_0, LEAVE_S, 0)}, /* F# */
        {HANDLER_UNWINDS, OBJECT, CODE(CASTCLASS, TYPE, STLOC_0, THING, RETHROW, LDNULL, POP, LEAVE_S, 0)},
        {HANDLER_CATCHES, OTHER, CODE(STLOC_0, LEAVE_S, 0)},
        {HANDLER_CATCHES, 3, CODE(STLOC_0, LEAVE_S, 0)}, /* a type that is not there */
        {HANDLER_CATCHES, OBJECT, CODE(POP, LEAVE_S, 0)},
        {HANDLER_CATCHES, OBJECT,
         CODE(STLOC_0, LDARG_0, LDLOC_0, STFLD, TOKEN, LDC_1, STLOC_0, LEAVE_S, 0)}, /* a catch block that awaits */
        {HANDLER_CATCHES, OBJECT, CODE(STLOC_0, THING, LEAVE_S, 0)},
        {HANDLER_CATCHES, OBJECT, CODE(POP, THING, RETHROW)}, /* catch { Thing(); throw; } */
        {HANDLER_CATCHES, OBJECT,
         CODE(CASTCLASS, TYPE, STLOC_0, LDC_1, STLOC_0, LDLOC_0, STLOC_0, LEAVE_S, 0)}, /* with, of F# */
        {HANDLER_CATCHES, OBJECT, CODE(CASTCLASS, TYPE, STLOC_0, LDLOC_0, BRTRUE_S, 2, RETHROW, LEAVE_S, 0)},
        {HANDLER_CATCHES, OBJECT, CODE(CASTCLASS, TYPE, BRTRUE_S, 2, LEAVE_S, 2, RETHROW)},
        {HANDLER_CATCHES, OBJECT, CODE(STLOC_0)},
        {HANDLER_CATCHES, OBJECT, CODE(STLOC_0, 0x24)}, /* no opcode */
    };
    made *m = &metadata;
    made_init(m);
    uint32_t assembly = MADE_ROW(m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(m, "mscorlib"), 0, 0),
             system = made_string(m, "System");
    uint32_t scope = md_coded_encode(MD_CODED_ResolutionScope, md_token_of(MD_TABLE_AssemblyRef, assembly));
    MADE_ROW(m, TypeRef, scope, made_string(m, "Object"), system);
    MADE_ROW(m, TypeRef, scope, made_string(m, "Exception"), system);
    uint32_t parent = md_coded_encode(MD_CODED_MemberRefParent, md_token_of(MD_TABLE_TypeRef, OTHER));
    MADE_ROW(m, MemberRef, parent, made_string(m, "Some"), 0);
    MADE_ROW(m, MemberRef, parent, made_string(m, "Thing"), 0);
    diag d = {0};
    assert_int_equal(md_view_open(&view, made_finish(m), &memory, &d), ECMA_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint8_t code[64] = {THING};
        uint32_t size = (uint32_t)rows[i].code.size;
        memcpy(code + 5, rows[i].code.data, size);
        code[5 + size] = CALL;
        il_body body = body_of(bytes_of(code, 5 + size + 5));
        il_clause clause = {.flags = IL_CLAUSE_EXCEPTION,
                            .try_length = 5,
                            .handler_offset = 5,
                            .handler_length = size,
                            .class_token_or_filter_offset = md_token_of(MD_TABLE_TypeRef, rows[i].type)};
        if (handlers_part(&view, &body, &clause) != rows[i].part)
            fail_msg("row %zu", i);
    }
    drop_types();
}

static bool one_argument(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    (void)user;
    *pops = call->token == 0x06000002 ? 1 : 2;
    *pushes = 0;
    return true;
}

static void a_constructors_guard_starts_behind_its_base_call(void **state) {
    (void)state;
    make_types();
    const struct {
        uint32_t start;
        bytes code;
    } rows[] = {
        {7, CODE(LDARG_0, LDC_1, CALL, REF(OF_BASE), RET)},
        {7, CODE(LDARG_0, LDC_1, CALL, REF(OF_SAME_NAME), RET)},
        {0, CODE(LDARG_0, LDC_1, CALL, REF(OF_OTHER), RET)},
        {7, CODE(LDARG_0, LDC_1, CALL, REF(OF_OWN_INSTANCE), RET)},
        {0, CODE(LDARG_0, LDC_1, CALL, REF(NO_CTOR), RET)},
        {0, CODE(LDARG_1, LDC_1, CALL, REF(OF_BASE), RET)},
        /* this(), by MethodDef */
        {6, CODE(LDARG_0, CALL, 2, 0, 0, 6, RET)},
        /* fields first */
        {14, CODE(LDARG_0, LDC_1, STFLD, TOKEN, LDARG_0, LDC_1, CALL, REF(OF_BASE), RET)},
        /* this.Other(new Base(1)) is none: the call's `this` is another one */
        {0, CODE(LDARG_0, LDARG_1, LDC_1, CALL, REF(OF_BASE), 0x26, RET)},
        /* a branch among the arguments */
        {13, CODE(LDARG_0, LDARG_1, 0x2D, 3, LDC_1, BR_S, 1, LDC_1, CALL, REF(OF_BASE), RET)},
        {0, CODE(RET)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        il_body body = body_of(rows[i].code);
        il_stack stack = {0};
        assert_int_equal(il_stack_analyse(&stack, &body, false, one_argument, NULL), ECMA_OK);
        uint32_t start = guard_constructor_start(&view, &rows_index, 1, &stack, &body);
        uint32_t expected = rows[i].start;
        if (start != expected)
            fail_msg("row %zu: %u instead of %u", i, start, expected);
        il_stack_clear(&stack);
    }
    assert_false(md_is_value_type(&view, OWN));
    assert_true(md_is_value_type(&view, VALUE));
    assert_false(md_is_value_type(&view, 1));
    assert_false(md_is_value_type(&view, 99));
    drop_types();
}

/* ---- Locals ------------------------------------------------------------------------------------------------------ */

static void equal_local_signatures_are_one_row(void **state) {
    (void)state;
    made *m = &metadata;
    made_init(m);
    MADE_ROW(m, Module, 0, 0, 0, 0, 0);
    MADE_ROW(m, StandAloneSig, MADE_BLOB(m, 7, 1, 8));       /* (int32) */
    MADE_ROW(m, StandAloneSig, MADE_BLOB(m, 7, 2, 8, 0x0E)); /* (int32, string) */
    MADE_ROW(m, StandAloneSig, MADE_BLOB(m, 7, 2, 8, 0x0E)); /* once more */
    MADE_ROW(m, StandAloneSig, MADE_BLOB(m, 0, 0, 1));       /* a call's */
    diag d = {0};
    assert_int_equal(md_view_open(&view, made_finish(m), &memory, &d), ECMA_OK);
    md_edit edit;
    md_edit_init(&edit, &view);
    locals l;
    static const struct {
        md_token old, extended;
        uint32_t first;
        const char *type;
    } rows[] = {
        {0, 0x11000001, 0, "\x08"},                                               /* which the module has */
        {0x11000001, 0x11000002, 1, "\x0E"},                                      /* the first of two */
        {0x11000001, 0x11000005, 1, "\x08"},                                      /* new */
        {0x11000003, 0x11000006, 2, "\x08"}, {0x11000002, 0x11000006, 2, "\x08"}, /* equal to the one before */
        {0x11000001, 0x11000005, 1, "\x08"},
    };
    assert_int_equal(locals_begin(&l, &edit, &memory, 1), ECMA_OK);
    il_fault fault = {0};
    md_token extended;
    locals_own own;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_int_equal(locals_read(&own, &view, rows[i].old, &fault), ECMA_OK);
        assert_int_equal(own.count, rows[i].first);
        assert_int_equal(locals_extend(&l, &own, bytes_of(rows[i].type, 1), 1, &extended), ECMA_OK);
        assert_int_equal(extended, rows[i].extended);
    }
    assert_int_equal(locals_read(&own, &view, 0, &fault), ECMA_OK);
    for (unsigned i = 0; i < 300; i++) { /* the table grows */
        uint8_t type[] = {0x11, 0x80 | (uint8_t)(i >> 8), (uint8_t)i};
        assert_int_equal(locals_extend(&l, &own, bytes_of(type, 3), 1, &extended), ECMA_OK);
        assert_int_equal(extended, 0x11000007 + i);
    }
    assert_int_equal(locals_read(&own, &view, 0x11000001, &fault), ECMA_OK);
    assert_int_equal(locals_extend(&l, &own, CODE(8), 1, &extended), ECMA_OK);
    assert_int_equal(extended, 0x11000005);
    assert_int_equal(locals_read(&own, &view, 0x11000004, &fault), ECMA_BAD_FILE);
    assert_int_equal(locals_read(&own, &view, 0x11000099, &fault), ECMA_BAD_FILE);
    locals_clear(&l);
    md_edit_clear(&edit);
    drop_types();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_cannot_throw_needs_no_guard),
        cmocka_unit_test(quiet_handlers_run_to_their_end),
        cmocka_unit_test(handlers_in_place_of_finally_blocks_are_known),
        cmocka_unit_test(what_verifiers_want_on_the_stack_stays_there),
        cmocka_unit_test(results_keep_their_type),
        cmocka_unit_test(a_constructors_guard_starts_behind_its_base_call),
        cmocka_unit_test(equal_local_signatures_are_one_row),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
