/* Which methods rules and attributes select, over an image made by hand. */
#include "unit.h"

#include <stdlib.h>

#include "made_metadata.h"
#include "select/rules.h"

/* Every allocation passes here, so that they can be counted. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);
static unsigned allocations, failing; /* the one of this number fails; 0: none */

void *__wrap_malloc(size_t size) {
    return ++allocations == failing ? NULL : __real_malloc(size);
}
void *__wrap_calloc(size_t count, size_t size) {
    return ++allocations == failing ? NULL : __real_calloc(count, size);
}
void *__wrap_realloc(void *old, size_t size) {
    return ++allocations == failing ? NULL : __real_realloc(old, size);
}

/* The methods of the sample, by row. */
enum { LOAD = 1, LOAD_INT, GET_SIZE, LAMBDA, INNER_RUN, OTHER_RUN, MAIN, METHODS = MAIN };

enum { PROFILE, NO_PROFILE, GENERATED, HOT, ATTRIBUTES };

static ilj_image image;
static made metadata;
static uint32_t constructors[ATTRIBUTES]; /* MemberRef rows */

static uint32_t add_attribute_type(const char *space, const char *name) {
    uint32_t type = MADE_ROW(&metadata, TypeRef, 6, made_string(&metadata, name), made_string(&metadata, space));
    return MADE_ROW(&metadata, MemberRef,
                    md_coded_encode(MD_CODED_MemberRefParent, md_token_of(MD_TABLE_TypeRef, type)),
                    made_string(&metadata, ".ctor"), MADE_BLOB(&metadata, 0x20, 0, 1));
}

static void put(int attribute, md_table_id table, uint32_t row) {
    MADE_ROW(&metadata, CustomAttribute, md_coded_encode(MD_CODED_HasCustomAttribute, md_token_of(table, row)),
             md_coded_encode(MD_CODED_CustomAttributeType, md_token_of(MD_TABLE_MemberRef, constructors[attribute])),
             0);
}

/* namespace App.Data { Store`1 { Load(), Load(int), Size { get; }, <Load>b__0(), Inner { Run() } } }
 * namespace Other { Store { Run() } }  Program { Main() } */
static void begin(bool attributes) {
    made *m = &metadata;
    made_init(m);
    uint32_t nothing = MADE_BLOB(m, 0x20, 0, 1), number = MADE_BLOB(m, 0x20, 1, 1, 8);
    MADE_ROW(m, Module, 0, made_string(m, "App.dll"), 0, 0, 0);
    MADE_ROW(m, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, made_string(m, "App"), 0);
    MADE_ROW(m, TypeDef, 0, made_string(m, "<Module>"), 0, 0, 1, 1);
    MADE_ROW(m, TypeDef, 1, made_string(m, "Store`1"), made_string(m, "App.Data"), 0, 1, LOAD);
    MADE_ROW(m, TypeDef, 2, made_string(m, "Inner"), 0, 0, 1, INNER_RUN);
    MADE_ROW(m, TypeDef, 1, made_string(m, "Store"), made_string(m, "Other"), 0, 1, OTHER_RUN);
    MADE_ROW(m, TypeDef, 1, made_string(m, "Program"), 0, 0, 1, MAIN);
    MADE_ROW(m, NestedClass, 3, 2);
    static const char *const names[] = {"Load", "Load", "get_Size", "<Load>b__0", "Run", "Run", "Main"};
    for (unsigned i = 0; i < METHODS; i++)
        MADE_ROW(m, MethodDef, 0x2050, 0, 0x86, made_string(m, names[i]), i == LOAD_INT - 1 ? number : nothing, 1);
    MADE_ROW(m, Property, 0, made_string(m, "Size"), 0);
    MADE_ROW(m, MethodSemantics, MD_SEMANTICS_GETTER, GET_SIZE, 1 << 1 | 1);
    if (!attributes)
        return;
    constructors[PROFILE] = add_attribute_type("Instrumenter", "ProfileAttribute");
    constructors[NO_PROFILE] = add_attribute_type("Instrumenter", "NoProfileAttribute");
    constructors[GENERATED] = add_attribute_type("System.Runtime.CompilerServices", "CompilerGeneratedAttribute");
    constructors[HOT] = add_attribute_type("App", "HotAttribute");
}

static void finish(void) {
    diag d = {0};
    image = (ilj_image){0};
    assert_int_equal(md_view_open(&image.metadata, made_finish(&metadata), &image.arena, &d), ECMA_OK);
    assert_true(md_index_build(&image.index, &image.metadata, &image.arena));
}

static void end(void) {
    arena_clear(&image.arena);
    made_clear(&metadata);
}

static char told[1024];

static void note(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    size_t used = strlen(told);
    snprintf(told + used, sizeof told - used, "%s %s\n", diagnostic->code, diagnostic->text);
}

static ilj_context *context(void) {
    static ilj_context *made;
    if (!made)
        assert_int_equal(ilj_context_new(&made, note, NULL), ILJ_OK);
    told[0] = 0;
    return made;
}

/* Rules as "+pattern" or "-pattern". */
static ilj_selection *selection_of(const char *const *rules, const ilj_selection_options *others) {
    ilj_rule list[64];
    ilj_selection_options options = others ? *others : (ilj_selection_options){0};
    for (; rules[options.rule_count]; options.rule_count++)
        list[options.rule_count] = (ilj_rule){rules[options.rule_count][0] == '+' ? ILJ_RULE_INCLUDE : ILJ_RULE_EXCLUDE,
                                              rules[options.rule_count] + 1};
    options.rules = list;
    ilj_selection *s;
    assert_int_equal(ilj_selection_new(&s, context(), &options), ILJ_OK);
    return s;
}
#define RULES(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A letter a method, by row: `x` selected, `.` left out by rule, `g` as compiler-generated, `?` for another reason. */
static void choose(char letters[METHODS + 1], ilj_selection *s) {
    chooser c;
    assert_int_equal(chooser_begin(&c, s, &image), ECMA_OK);
    for (uint32_t row = 1; row <= METHODS; row++) {
        uint32_t rule;
        ilj_reason reason = chooser_ask(&c, row, &rule);
        letters[row - 1] = reason == ILJ_INSTRUMENT           ? 'x'
                           : reason == ILJ_EXCLUDED           ? '.'
                           : reason == ILJ_COMPILER_GENERATED ? 'g'
                                                              : '?';
    }
    letters[METHODS] = 0;
    chooser_end(&c);
}

static void expect(const char *letters, const char *const *rules, const ilj_selection_options *others) {
    char got[METHODS + 1];
    ilj_selection *s = selection_of(rules, others);
    choose(got, s);
    if (strcmp(got, letters) != 0)
        fail_msg("%s %s: %s instead of %s", rules[0] ? rules[0] : "", rules[0] && rules[1] ? rules[1] : "", got,
                 letters);
    ilj_selection_free(s);
}

static void the_last_match_decides_and_a_first_include_leaves_out_the_rest(void **state) {
    (void)state;
    begin(false);
    finish();
    expect("xxxxxxx", (const char *const[]){NULL}, NULL);
    expect("xxxxx..", RULES("+App"), NULL);
    expect(".....xx", RULES("-App"), NULL);
    expect("....x..", RULES("+App.Data.Store.Inner"), NULL);
    expect("xx..x..", RULES("+App", "-**.get_*", "-**.<*"), NULL);
    expect("..x....", RULES("+**.get_*", "-Other"), NULL);
    expect("....xxx", RULES("-App", "+**.Run(**)"), NULL);
    expect("....xxx", RULES("-App", "+**.Run"), NULL);
    expect(".....x.", RULES("+**.Run", "-App"), NULL);
    expect("x.xxxxx", RULES("-**.Load(int)"), NULL);
    expect("x......", RULES("+**.Load()"), NULL);
    expect("xxxxxx.", RULES("-Program"), NULL);
    expect("xxxxxxx", RULES("-Program", "+Program.Main"), NULL);
    expect(".......", RULES("+[Other]"), NULL);
    expect("xxxxxxx", RULES("+[App]"), NULL);
    expect("......x", RULES("+[App]Program", "-[Other]**"), NULL);
    expect("xxxxx.x", RULES("-Other.Store", "+App.Data.Store`1"), NULL);
    expect(".......", RULES("+**", "-**"), NULL);
    end();
}

static void attributes_are_found_on_all_that_carries_them(void **state) {
    (void)state;
    static const struct {
        md_table_id table;
        uint32_t row;
        const char *letters;
    } rows[] = {
        {MD_TABLE_MethodDef, LOAD_INT, ".x....."}, {MD_TABLE_TypeDef, 2, "xxxxx.."},  {MD_TABLE_TypeDef, 3, "....x.."},
        {MD_TABLE_Property, 1, "..x...."},         {MD_TABLE_Assembly, 1, "xxxxxxx"}, {MD_TABLE_Module, 1, "xxxxxxx"},
        {MD_TABLE_MethodDef, 99, "......."},       {MD_TABLE_Param, 1, "......."},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(true);
        put(HOT, rows[i].table, rows[i].row);
        finish();
        expect(rows[i].letters, RULES("+@App.HotAttribute"), NULL);
        expect(rows[i].letters, RULES("+@App.Hot"), NULL);
        expect(rows[i].letters, RULES("+@**.H?t*"), NULL);
        expect(".......", RULES("+@Hot"), NULL);
        expect(".......", RULES("+@App"), NULL);
        end();
    }
}

static void profile_and_no_profile_come_before_the_rules(void **state) {
    (void)state;
    begin(true);
    put(NO_PROFILE, MD_TABLE_TypeDef, 2);
    put(PROFILE, MD_TABLE_MethodDef, LOAD);
    put(PROFILE, MD_TABLE_TypeDef, 3);
    put(PROFILE, MD_TABLE_Property, 1);
    put(NO_PROFILE, MD_TABLE_MethodDef, GET_SIZE);
    finish();
    char got[METHODS + 1];
    choose(got, NULL);
    assert_string_equal(got, "x...xxx");
    expect("x...xxx", (const char *const[]){NULL}, NULL);
    expect("x...xx.", RULES("+Other"), NULL);
    expect("xxxx...", RULES("+App", "-**.Run"), NULL);
    expect("....xxx", RULES("-**.Load"), NULL);
    end();

    begin(true);
    put(NO_PROFILE, MD_TABLE_Assembly, 1);
    put(PROFILE, MD_TABLE_TypeDef, 4);
    finish();
    choose(got, NULL);
    assert_string_equal(got, ".....x.");
    end();
}

static void attributes_of_another_namespace_mean_nothing(void **state) {
    (void)state;
    begin(true);
    constructors[NO_PROFILE] = add_attribute_type("Elsewhere", "NoProfileAttribute");
    put(NO_PROFILE, MD_TABLE_Assembly, 1);
    finish();
    char got[METHODS + 1];
    choose(got, NULL);
    assert_string_equal(got, "xxxxxxx");
    end();
}

static void compiler_made_is_told_by_attribute_and_by_name(void **state) {
    (void)state;
    const ilj_selection_options without = {.compiler_generated = ILJ_NO};
    begin(true);
    put(GENERATED, MD_TABLE_TypeDef, 4);
    put(GENERATED, MD_TABLE_MethodDef, GET_SIZE);
    made_set(&metadata, MD_MethodDef_Name, MAIN, made_string(&metadata, "<Main>$"));
    finish();
    expect("xxggxgx", (const char *const[]){NULL}, &without);
    expect("xxgg...", RULES("+App.Data", "-**.Inner"), &without);
    expect("xxxxxxx", (const char *const[]){NULL}, NULL);
    end();
    begin(false);
    made_set(&metadata, MD_TypeDef_TypeName, 2, made_string(&metadata, "<>c"));
    finish();
    expect("gggggxx", (const char *const[]){NULL}, &without);
    end();
}

static void what_decided_is_told(void **state) {
    (void)state;
    static const char *const expected[METHODS] = {
        "--include 'App'",         "--include 'App'",     "--exclude '**.get_*'",  "[NoProfile] of the method",
        "[NoProfile] of the type", "no include names it", "[Profile] of the type",
    };
    begin(true);
    put(NO_PROFILE, MD_TABLE_TypeDef, 3);
    put(NO_PROFILE, MD_TABLE_MethodDef, LAMBDA);
    put(PROFILE, MD_TABLE_TypeDef, 5);
    finish();
    ilj_selection *s = selection_of(RULES("+App.Data.Store.Load", "-**.get_*"), NULL);
    s->rules[0].pattern.text = "App";
    chooser c;
    buffer b = BUFFER_INIT;
    assert_int_equal(chooser_begin(&c, s, &image), ECMA_OK);
    for (uint32_t row = 1; row <= METHODS; row++) {
        uint32_t rule;
        chooser_ask(&c, row, &rule);
        b.size = 0;
        rule_describe(&b, s, rule);
        buffer_u8(&b, 0);
        assert_string_equal(b.data, expected[row - 1]);
    }
    chooser_end(&c);
    s->rules[0].file = "r.xml";
    s->rules[0].line = 7;
    b.size = 0;
    rule_describe(&b, s, RULE_LISTED);
    buffer_u8(&b, 0);
    assert_string_equal(b.data, "r.xml:7 include 'App'");
    buffer_clear(&b);
    ilj_selection_free(s);
    end();
}

static void patterns_without_a_match_name_the_near_one(void **state) {
    (void)state;
    static const struct {
        const char *rule, *told;
    } rows[] = {
        {"+App.Data.Stroe", "ILJ0431 include 'App.Data.Stroe' matches no method; did you mean 'App.Data.Store'?\n"},
        {"+other.store", "ILJ0431 include 'other.store' matches no method; did you mean 'Other.Store'?\n"},
        {"-Other.Store.Rum", "ILJ0432 exclude 'Other.Store.Rum' matches no method; did you mean 'Other.Store.Run'?\n"},
        {"+Inner", "ILJ0431 include 'Inner' matches no method; did you mean 'App.Data.Store.Inner'?\n"},
        {"+App.Dat.*", "ILJ0431 include 'App.Dat.*' matches no method; did you mean 'App.Data'?\n"},
        {"+@App.Hott", "ILJ0431 include '@App.Hott' matches no method; did you mean '@App.HotAttribute'?\n"},
        {"+Nothing.Like.It", "ILJ0431 include 'Nothing.Like.It' matches no method\n"},
        {"+[Other]**", "ILJ0431 include '[Other]**' matches no method\n"},
        {"+App", ""},
        {"-**.Load()", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        begin(true);
        finish();
        char got[METHODS + 1];
        ilj_selection *s = selection_of(RULES(rows[i].rule), NULL);
        assert_int_equal(ilj_selection_check(s, context()), 0); /* no image yet */
        assert_string_equal(told, "");
        choose(got, s);
        uint32_t includes = ilj_selection_check(s, context());
        assert_string_equal(told, rows[i].told);
        assert_int_equal(includes, rows[i].told[0] && rows[i].rule[0] == '+');
        ilj_selection_free(s);
        end();
    }
}

static void copies_that_are_merged_leave_what_one_selection_would(void **state) {
    (void)state;
    static const char expected[] = "ILJ0431 include 'Stroe' matches no method; did you mean 'App.Data.Store'?\n"
                                   "ILJ0432 exclude 'Nothing.Like.It' matches no method\n";
    ilj_selection *s = selection_of(RULES("+Stroe", "-**.Main", "-Nothing.Like.It"), NULL), *first, *second;
    char got[METHODS + 1];
    assert_int_equal(ilj_selection_copy(&first, s), ILJ_OK);
    assert_int_equal(ilj_selection_copy(&second, s), ILJ_OK);
    ilj_selection_merge(s, second);
    assert_int_equal(ilj_selection_check(s, context()), 0); /* not requested so far */
    begin(false);
    finish();
    choose(got, first);
    end();
    ilj_selection_merge(s, second);
    ilj_selection_merge(s, first);
    ilj_selection_free(first);
    ilj_selection_free(second);
    assert_int_equal(ilj_selection_check(s, context()), 1);
    assert_string_equal(told, expected);
    assert_int_equal(ilj_selection_copy(&first, s), ILJ_OK); /* one that knows already */
    ilj_selection_merge(s, first);
    ilj_selection_free(first);
    assert_int_equal(ilj_selection_check(s, context()), 1);
    assert_string_equal(told, expected);
    ilj_selection_free(s);
}

/* The name of the first image merged stays of two that are as near, whichever was asked first; a nearer one wins. */
static void the_nearest_name_does_not_depend_on_who_asked_first(void **state) {
    (void)state;
    for (unsigned order = 0; order < 2; order++) {
        ilj_selection *s = selection_of(RULES("+Stoer"), NULL), *copies[3];
        for (unsigned i = 0; i < 3; i++)
            assert_int_equal(ilj_selection_copy(&copies[i], s), ILJ_OK);
        static const struct {
            const char *near;
            unsigned score;
        } met[] = {{"A.Store", 20}, {"B.Store", 20}, {"C.Storr", 19}};
        for (unsigned i = 0; i < 3; i++) {
            copies[i]->asked = true;
            copies[i]->rules[0].suggestion = met[i].near;
            copies[i]->rules[0].suggestion_score = met[i].score;
        }
        ilj_selection_merge(s, copies[0]);
        ilj_selection_merge(s, copies[1]);
        if (order == 1)
            ilj_selection_merge(s, copies[2]);
        assert_int_equal(ilj_selection_check(s, context()), 1);
        assert_non_null(strstr(told, order == 1 ? "'C.Storr'?" : "'A.Store'?"));
        copies[1]->rules[0].hit = true;
        ilj_selection_merge(s, copies[1]);
        assert_int_equal(ilj_selection_check(s, context()), 0);
        assert_string_equal(told, "");
        for (unsigned i = 0; i < 3; i++)
            ilj_selection_free(copies[i]);
        ilj_selection_free(s);
    }
}

static void a_rule_that_another_overrules_has_matched_all_the_same(void **state) {
    (void)state;
    begin(false);
    finish();
    char got[METHODS + 1];
    ilj_selection *s = selection_of(RULES("+**.Load", "+App.Data", "-**.Load(int)", "-**"), NULL);
    choose(got, s);
    assert_int_equal(ilj_selection_check(s, context()), 0);
    assert_string_equal(told, "");
    ilj_selection_free(s);
    end();
}

static void accessors_that_only_pass_a_field_are_trivial(void **state) {
    (void)state;
    static const struct {
        bool trivial;
        uint8_t size, code[20];
    } rows[] = {
        {true, 7, {0x02, 0x7B, 1, 0, 0, 4, 0x2A}},                                /* get */
        {true, 8, {0x02, 0x03, 0x7D, 1, 0, 0, 4, 0x2A}},                          /* set */
        {true, 6, {0x7E, 1, 0, 0, 4, 0x2A}},                                      /* static get */
        {true, 7, {0x02, 0x80, 1, 0, 0, 4, 0x2A}},                                /* static set */
        {true, 12, {0x00, 0x02, 0x7B, 1, 0, 0, 4, 0x0A, 0x2B, 0x00, 0x06, 0x2A}}, /* unoptimised */
        {true, 10, {0x00, 0x02, 0x03, 0x7D, 1, 0, 0, 4, 0x00, 0x2A}},             /* unoptimised */
        {true, 2, {0x16, 0x2A}},                                                  /* constant */
        {true, 3, {0x1F, 9, 0x2A}},
        {true, 6, {0x72, 1, 0, 0, 0x70, 0x2A}},
        {false, 7, {0x02, 0x28, 1, 0, 0, 6, 0x2A}}, /* a call */
        {false, 8, {0x02, 0x7B, 1, 0, 0, 4, 0x2A, 0x2A}},
        {false, 6, {0x02, 0x7B, 1, 0, 0, 4}},
        {false, 4, {0x02, 0x7B, 1, 0}},
        {false, 12, {0x02, 0x7B, 1, 0, 0, 4, 0x7B, 2, 0, 0, 4, 0x2A}},
        {false, 1, {0x2A}},
        {false, 0, {0}},
        {false, 2, {0, 0}},
    };
    begin(false);
    finish();
    const ilj_selection_options options = {.skip_trivial_accessors = ILJ_YES};
    ilj_selection *s = selection_of((const char *const[]){NULL}, &options);
    chooser c;
    assert_int_equal(chooser_begin(&c, s, &image), ECMA_OK);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        bytes code = {rows[i].code, rows[i].size};
        assert_int_equal(chooser_ask_code(&c, GET_SIZE, code), rows[i].trivial ? ILJ_TRIVIAL_ACCESSOR : ILJ_INSTRUMENT);
        assert_int_equal(chooser_ask_code(&c, LOAD, code), ILJ_INSTRUMENT); /* no accessor */
    }
    s->min_il_size = 8;
    assert_int_equal(chooser_ask_code(&c, LOAD, (bytes){rows[0].code, 7}), ILJ_TOO_SMALL);
    assert_int_equal(chooser_ask_code(&c, LOAD, (bytes){rows[1].code, 8}), ILJ_INSTRUMENT);
    chooser_end(&c);
    ilj_selection_free(s);
    end();
}

static void asking_again_allocates_nothing(void **state) {
    (void)state;
    begin(true);
    put(HOT, MD_TABLE_TypeDef, 3);
    finish();
    ilj_selection *s = selection_of(RULES("+App.**", "-**.Load(int)", "-@App.Hot", "+**.R?n(**)", "-Nothing"), NULL);
    chooser c;
    assert_int_equal(chooser_begin(&c, s, &image), ECMA_OK);
    for (int round = 0; round < 3; round++) {
        allocations = 0;
        for (uint32_t row = 1; row <= METHODS; row++) {
            uint32_t rule;
            chooser_ask(&c, row, &rule);
        }
        if (round > 0)
            assert_int_equal(allocations, 0);
    }
    chooser_end(&c);
    ilj_selection_free(s);
    end();
}

/* Each allocation of a selection's whole life fails in turn. */
static void memory_that_runs_out_is_a_status(void **state) {
    (void)state;
    const ilj_rule rules[] = {{ILJ_RULE_INCLUDE, "App.**"},
                              {ILJ_RULE_EXCLUDE, "**.Load(int)"},
                              {ILJ_RULE_EXCLUDE, "@App.Hot"},
                              {ILJ_RULE_INCLUDE, "Other.Stroe"},
                              {ILJ_RULE_EXCLUDE, "@App.Hut"}};
    ilj_context *quiet = context();
    unsigned failures = 0;
    for (unsigned n = 1, whole = 0; !whole; n++) {
        begin(true);
        put(HOT, MD_TABLE_TypeDef, 3);
        put(NO_PROFILE, MD_TABLE_TypeDef, 4);
        finish();
        image.arena.one_by_one = true;
        told[0] = 0;
        allocations = 0;
        failing = n;
        ilj_selection *s = NULL, *copy = NULL;
        chooser c = {0};
        const ilj_selection_options options = {.rules = rules, .rule_count = 5, .compiler_generated = ILJ_NO};
        ilj_status status = ilj_selection_new(&s, quiet, &options);
        if (status == ILJ_OK)
            status = ilj_selection_copy(&copy, s);
        if (status == ILJ_OK) {
            image.diag = (diag){0};
            status = (ilj_status)chooser_begin(&c, copy, &image);
            for (uint32_t row = 1; status == ILJ_OK && row <= METHODS; row++) {
                uint32_t rule;
                chooser_ask(&c, row, &rule);
            }
            chooser_end(&c);
            ilj_selection_merge(s, copy);
            whole = status == ILJ_OK && allocations < n;
        }
        failing = 0;
        if (status != ILJ_OK) {
            assert_int_equal(status, ILJ_NO_MEMORY);
            failures++;
        }
        ilj_selection_free(copy);
        ilj_selection_free(s);
        end();
    }
    assert_true(failures > 10);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_last_match_decides_and_a_first_include_leaves_out_the_rest),
        cmocka_unit_test(attributes_are_found_on_all_that_carries_them),
        cmocka_unit_test(profile_and_no_profile_come_before_the_rules),
        cmocka_unit_test(attributes_of_another_namespace_mean_nothing),
        cmocka_unit_test(compiler_made_is_told_by_attribute_and_by_name),
        cmocka_unit_test(what_decided_is_told),
        cmocka_unit_test(patterns_without_a_match_name_the_near_one),
        cmocka_unit_test(copies_that_are_merged_leave_what_one_selection_would),
        cmocka_unit_test(the_nearest_name_does_not_depend_on_who_asked_first),
        cmocka_unit_test(a_rule_that_another_overrules_has_matched_all_the_same),
        cmocka_unit_test(accessors_that_only_pass_a_field_are_trivial),
        cmocka_unit_test(asking_again_allocates_nothing),
        cmocka_unit_test(memory_that_runs_out_is_a_status),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
