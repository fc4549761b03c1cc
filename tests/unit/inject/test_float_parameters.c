/* Which types floating-point registers may hold, which parameters are renamed, and what becomes of the code that names
 * them: over metadata made by hand. */
#include "il_unit.h"

#include "inject/loops/float_parameters.h"
#include "inject/loops/float_registers.h"
#include "made_metadata.h"

enum { R4 = 0x0C, R8 = 0x0D, I4 = 0x08, VALUE = 0x11, CLASS = 0x12, VAR = 0x13, INSTANCE = 0x15, MVAR = 0x1E };

/* Coded as a signature has them: TypeDef row << 2, TypeRef row << 2 | 1. */
enum {
    INTS = 2 << 2,
    FLOATS = 3 << 2,
    BOTH = 4 << 2,
    ENUM = 5 << 2,
    ENDLESS = 6 << 2,
    GENERIC = 7 << 2,
    MANY = 8 << 2,
    DATE = 1 << 2 | 1,
    SPAN = 2 << 2 | 1,
    VECTOR = 3 << 2 | 1,
    FOREIGN = 4 << 2 | 1,
    NESTED = 5 << 2 | 1,
    NULLABLE = 6 << 2 | 1,
    FLAGS = 7 << 2 | 1,
    SYSTEMIC = 8 << 2 | 1,
};

static made metadata;
static md_view view;
static arena memory;

static void add_type(const char *name, uint32_t first_field) {
    MADE_ROW(&metadata, TypeDef, 0x108, made_string(&metadata, name), 0, 0, first_field, 1);
}

static void add_field(uint32_t flags, uint32_t signature) {
    MADE_ROW(&metadata, Field, flags, made_string(&metadata, "f"), signature);
}

static void add_reference(uint32_t scope, const char *name, const char *namespace) {
    MADE_ROW(&metadata, TypeRef, scope, made_string(&metadata, name), made_string(&metadata, namespace));
}

static int open_metadata(void **state) {
    (void)state;
    enum { ASSEMBLY = 1 << 2 | 2, TYPE_REF = 4 << 2 | 3, STATIC = 0x10 };
    made *m = &metadata;
    made_init(m);
    MADE_ROW(m, Module, 0, made_string(m, "M"), 0, 0, 0);
    add_reference(ASSEMBLY, "DateTime", "System");
    add_reference(ASSEMBLY, "Span`1", "System");
    add_reference(ASSEMBLY, "Vector4", "System.Numerics");
    add_reference(ASSEMBLY, "Thing", "Other");
    add_reference(TYPE_REF, "Inner", "");
    add_reference(ASSEMBLY, "Nullable`1", "System");
    add_reference(ASSEMBLY, "BindingFlags", "System.Reflection");
    add_reference(ASSEMBLY, "Thing", "Systemic");
    MADE_ROW(m, AssemblyRef, 4, 0, 0, 0, 0, 0, made_string(m, "mscorlib"), 0, 0);
    uint32_t number = MADE_BLOB(m, 6, I4), real = MADE_BLOB(m, 6, R4);
    add_type("<Module>", 1);
    add_type("Ints", 1);
    add_field(0, number);
    add_field(STATIC, real);
    add_type("Floats", 3);
    add_field(0, real);
    add_type("Both", 4);
    add_field(0, MADE_BLOB(m, 6, VALUE, INTS));
    add_field(0, MADE_BLOB(m, 6, VALUE, FLOATS));
    add_type("Enum", 6);
    add_field(0, number);
    add_field(STATIC, MADE_BLOB(m, 6, VALUE, ENUM));
    add_type("Endless", 8);
    add_field(0, MADE_BLOB(m, 6, VALUE, ENDLESS));
    add_field(0, MADE_BLOB(m, 6, VALUE, ENDLESS));
    add_type("Generic", 10);
    add_field(0, MADE_BLOB(m, 6, VAR, 0));
    add_type("Many", 11);
    for (unsigned i = 0; i < 65; i++)
        add_field(0, number);
    diag d = {0};
    assert_int_equal(md_view_open(&view, made_finish(m), &memory, &d), ECMA_OK);
    return 0;
}

static int close_metadata(void **state) {
    (void)state;
    arena_clear(&memory);
    made_clear(&metadata);
    return 0;
}

static void types_are_looked_into(void **state) {
    (void)state;
    const struct {
        bool may;
        bytes type;
    } rows[] = {
        {true, CODE(R4)},
        {true, CODE(R8)},
        {true, CODE(VAR, 0)},
        {true, CODE(MVAR, 0)},
        {false, CODE(I4)},
        {false, CODE(CLASS, VECTOR)},
        {false, CODE(0x10, R8)}, /* by reference */
        {false, CODE(0x1D, R8)}, /* an array */
        {false, (bytes){0}},
        {false, CODE(VALUE, INTS)},
        {true, CODE(VALUE, FLOATS)},
        {true, CODE(VALUE, BOTH)},
        {false, CODE(VALUE, ENUM)},
        {true, CODE(0x1F, DATE, R8)}, /* after a modifier */
        {true, CODE(VALUE, MANY)},    /* not looked at to its end */
        {false, CODE(VALUE, DATE)},
        {false, CODE(VALUE, FLAGS)},
        {true, CODE(VALUE, VECTOR)},
        {true, CODE(VALUE, FOREIGN)},
        {true, CODE(VALUE, NESTED)},
        {true, CODE(VALUE, SYSTEMIC)},
        {true, CODE(INSTANCE, VALUE, GENERIC, 1, I4)},
        {false, CODE(INSTANCE, CLASS, GENERIC, 1, R8)},
        {false, CODE(INSTANCE, VALUE, SPAN, 1, R8)},
        {true, CODE(INSTANCE, VALUE, NULLABLE, 1, R8)},
        {false, CODE(INSTANCE, VALUE, NULLABLE, 1, I4)},
        {true, CODE(INSTANCE, VALUE, NULLABLE, 2, I4, VAR, 0)},
        /* cut off, or naming what is not there */
        {false, CODE(VALUE)},
        {false, CODE(VALUE, 30 << 2)},
        {false, CODE(INSTANCE, VALUE, NULLABLE)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (float_registers_may_hold(&view, rows[i].type) != rows[i].may)
            fail_msg("row %zu", i);
}

/* A struct that has itself for a field is invalid; looking into it ends all the same. */
static void endless_types_end(void **state) {
    (void)state;
    assert_true(float_registers_may_hold(&view, CODE(VALUE, ENDLESS)));
}

/* An instance method (int32, float64, float32 modified, Ints, float64): the loop of the body names 2 and 5 by their
 * loads, 3 by its address; 1 is no float, 4 holds none. */
static const uint8_t signature[] = {0x20, 5, 0x01, I4, R8, 0x1F, DATE, R4, VALUE, INTS, R8};

static void what_loops_name_is_found(void **state) {
    (void)state;
    rewrite r = {0};
    /* ldarg.1; ldarg.2; ldarga.s 3; ldarg.s 4; ldarg 5; brtrue.s to the first */
    make_tiny(&r.in, CODE(0x03, 0x04, 0x0F, 3, 0x0E, 4, 0xFE, 0x09, 5, 0, 0x2D, 0xF4, RET));
    begin(&r);
    float_parameters p;
    float_parameters_find(&p, &(float_types){0}, &view, bytes_of(signature, sizeof signature), &r.edit);
    assert_int_equal(p.count, 3);
    assert_int_equal(p.found[0].argument, 2);
    assert_int_equal(p.found[1].argument, 3);
    assert_int_equal(p.found[2].argument, 5);
    buffer types = BUFFER_INIT;
    assert_int_equal(float_parameters_types(&p, &types), 3);
    assert_int_equal(types.size, 3);
    assert_memory_equal(types.data, ((uint8_t[]){R8, R4, R8}), 3);
    buffer_clear(&types);
    drop(&r);
}

static uint32_t count_found(bytes of, bytes code) {
    rewrite r = {0};
    make_tiny(&r.in, code);
    begin(&r);
    float_parameters p;
    float_parameters_find(&p, &(float_types){0}, &view, of, &r.edit);
    drop(&r);
    return p.count;
}

static void nothing_is_found_where_nothing_may_be_renamed(void **state) {
    (void)state;
    bytes one = CODE(0x00, 1, 0x01, R8);
    assert_int_equal(count_found(one, CODE(0x02, 0x2D, 0xFD, RET)), 1);
    assert_int_equal(count_found(one, CODE(0x02, 0x2D, 0, RET)), 0);                        /* no loop */
    assert_int_equal(count_found(one, CODE(0x02, 0x26, NOP, 0x16, 0x2D, 0xFC, RET)), 0);    /* named before it alone */
    assert_int_equal(count_found(one, CODE(0x02, 0x2D, 0xFD, 0x27, 1, 0, 0, 6)), 0);        /* jmp */
    assert_int_equal(count_found(CODE(0x05, 1, 0x01, R8), CODE(0x02, 0x2D, 0xFD, RET)), 0); /* vararg */
    assert_int_equal(count_found(CODE(0x00, 2, 0x01, R8), CODE(0x02, 0x2D, 0xFD, RET)), 1); /* cut off after it */
    assert_int_equal(count_found(CODE(0x00, 1), CODE(0x02, 0x2D, 0xFD, RET)), 0);
    assert_int_equal(count_found((bytes){0}, CODE(0x02, 0x2D, 0xFD, RET)), 0);
    /* volatile. before what it must not stand before */
    assert_int_equal(count_found(one, CODE(0xFE, 0x13, 0x02, 0x2D, 0xFB, RET)), 0);
}

/* Each form gets the one that is no shorter; a local above 255 the wide one. */
static void the_code_names_locals(void **state) {
    (void)state;
    static const uint8_t code[] = {0x04, 0x10, 2, 0x0F, 2, 0xFE, 0x09, 2, 0, 0xFE, 0x0B, 2, 0, 0x03, 0x2D, 0xF0, RET};
    static const uint8_t few[] = {0x04, 0x0D, 0x09, 0x13, 3, 0x12, 3,    0xFE, 0x0C, 3,
                                  0,    0xFE, 0x0E, 3,    0, 0x03, 0x2D, 0xF0, RET};
    static const uint8_t many[] = {0x04, 0xFE, 0x0E, 0x00, 1,    0xFE, 0x0C, 0x00, 1,    0xFE,
                                   0x0E, 0x00, 1,    0xFE, 0x0D, 0x00, 1,    0xFE, 0x0C, 0x00,
                                   1,    0xFE, 0x0E, 0x00, 1,    0x03, 0x2D, 0xE9, RET};
    const struct {
        uint32_t local;
        bytes expected;
    } rows[] = {{3, bytes_of(few, sizeof few)}, {256, bytes_of(many, sizeof many)}};
    for (size_t i = 0; i < 2; i++) {
        rewrite r = {0};
        make_tiny(&r.in, bytes_of(code, sizeof code));
        begin(&r);
        float_parameters p;
        float_parameters_find(&p, &(float_types){0}, &view, CODE(0x20, 2, 0x01, I4, R8), &r.edit);
        assert_int_equal(p.count, 1);
        buffer scratch = BUFFER_INIT;
        float_parameters_rename(&p, &r.edit, rows[i].local, &scratch);
        finish(&r);
        assert_code(&r.body, rows[i].expected);
        buffer_clear(&scratch);
        drop(&r);
    }
}

static void no_more_than_sixteen_are_renamed(void **state) {
    (void)state;
    uint8_t of[3 + 20] = {0x00, 20, 0x01}, code[20 * 2 + 4] = {0};
    for (uint8_t i = 0; i < 20; i++) {
        of[3 + i] = R8;
        code[i * 2] = 0x0E;
        code[i * 2 + 1] = i;
    }
    memcpy(code + 40, (uint8_t[]){0x16, 0x2D, 0xD5, RET}, 4); /* to the first */
    assert_int_equal(count_found(bytes_of(of, sizeof of), bytes_of(code, sizeof code)), 16);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(types_are_looked_into),    cmocka_unit_test(endless_types_end),
        cmocka_unit_test(what_loops_name_is_found), cmocka_unit_test(nothing_is_found_where_nothing_may_be_renamed),
        cmocka_unit_test(the_code_names_locals),    cmocka_unit_test(no_more_than_sixteen_are_renamed),
    };
    return cmocka_run_group_tests(tests, open_metadata, close_metadata);
}
