/* Rules without wildcards, found by the parts of names: they choose, and are reported, as if each rule were asked. */
#include "unit.h"

#include <stdlib.h>

#include "made_metadata.h"
#include "select/rules.h"
#include "select/suggest.h"

static ilj_image image;
static made metadata;

/* ---- An image with names that meet often ----------------------------------------------------------------------- */

enum { TYPES = 40, METHODS_EACH = 6, DEEPEST = 8 };

static const char *const spaces[] = {"", "A", "A.B", "B", "A`1.B", "A..B"};
static const char *const type_names[] = {"T", "T`1", "T`2", "U", "B", "T`1`2", "A.U", "M", "T`0"};
static const char *const method_names[] = {"M", "N", "M`1", ".ctor", "I.M", "", "A.B.M", "I..ctor", "T"};
static const char *const parameters[] = {"", "int", "int, string"};

typedef struct generated_type {
    const char *name, *space;
    unsigned enclosing; /* 0: none */
} generated_type;

static generated_type types[TYPES + 1];
static struct { const char *name, *parameters; } methods[TYPES * METHODS_EACH + 1];

static uint64_t chance;
static unsigned any_of(unsigned count) {
    chance = chance * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(chance >> 33) % count;
}
#define ANY(list) ((list)[any_of(sizeof(list) / sizeof(list)[0])])

static void begin(void) {
    made *m = &metadata;
    made_init(m);
    uint32_t signatures[] = {MADE_BLOB(m, 0x20, 0, 1), MADE_BLOB(m, 0x20, 1, 1, 8), MADE_BLOB(m, 0x20, 2, 1, 8, 0x0E)};
    MADE_ROW(m, Module, 0, made_string(m, "App.dll"), 0, 0, 0);
    MADE_ROW(m, Assembly, 0x8004, 1, 0, 0, 0, 0, 0, made_string(m, "App"), 0);
    for (unsigned t = 1; t <= TYPES; t++) {
        types[t] = (generated_type){ANY(type_names), ANY(spaces), t > 4 && any_of(3) == 0 ? 1 + any_of(t - 1) : 0};
        MADE_ROW(m, TypeDef, types[t].enclosing ? 2 : 1, made_string(m, types[t].name),
                 types[t].enclosing ? 0 : made_string(m, types[t].space), 0, 1, (t - 1) * METHODS_EACH + 1);
        if (types[t].enclosing)
            MADE_ROW(m, NestedClass, t, types[t].enclosing);
    }
    for (unsigned i = 1; i <= TYPES * METHODS_EACH; i++) {
        unsigned of = any_of(3);
        methods[i].name = ANY(method_names);
        methods[i].parameters = parameters[of];
        MADE_ROW(m, MethodDef, 0x2050, 0, 0x86, made_string(m, methods[i].name), signatures[of], 1);
    }
    diag d = {0};
    image = (ilj_image){0};
    assert_int_equal(md_view_open(&image.metadata, made_finish(m), &image.arena, &d), ECMA_OK);
    assert_true(md_index_build(&image.index, &image.metadata, &image.arena));
}

static void end(void) {
    arena_clear(&image.arena);
    made_clear(&metadata);
}

static bytes text_of(const char *text) {
    return bytes_of(text, strlen(text));
}

/* One rule, one method: every part of the name is fed, nothing is remembered. */
static bool matches(const pattern *p, unsigned method) {
    const char *names[TYPES + 2], *space = "";
    unsigned depth = 0;
    names[depth++] = methods[method].name;
    for (unsigned t = (method - 1) / METHODS_EACH + 1; t != 0; t = types[t].enclosing) {
        names[depth++] = types[t].name;
        space = types[t].space;
    }
    names[depth++] = space;
    pattern_state state = pattern_start(p);
    while (depth-- > 0)
        state = pattern_feed(p, state, text_of(names[depth]));
    char text[32];
    strcpy(text, methods[method].parameters);
    return pattern_matches_assembly(p, text_of("App")) && pattern_accepts(p, state) &&
           (!p->has_parameters || pattern_matches_parameters(p, (uint8_t *)text, strlen(text)));
}

/* ---- Rules by chance ------------------------------------------------------------------------------------------- */

enum { MOST_RULES = 24, LONGEST_RULE = 128 };

static void make_rule(char text[LONGEST_RULE], bool wildcards) {
    static const char *const parts[] = {"A",   "B", "A`1", "T", "T`1", "T`2",   "T`1`2",
                                        "T`0", "U", "M",   "N", "M`1", ".ctor", "I"};
    static const char *const wild[] = {"*", "**", "T*", "?"};
    static const char *const lists[] = {"()",       "(int)", "(int, string)", "(int,string)",
                                        "(string)", "(**)",  "(*)",           "(i*)"};
    static const char *const assemblies[] = {"[App]", "[A*]", "[Other]"};
    strcpy(text, any_of(8) == 0 ? ANY(assemblies) : "");
    for (unsigned count = 1 + any_of(5), i = 0; i < count; i++) {
        strcat(text, i == 0 ? "" : any_of(6) == 0 ? "/" : ".");
        strcat(text, wildcards && any_of(5) == 0 ? ANY(wild) : ANY(parts));
    }
    strcat(text, any_of(3) == 0 ? ANY(lists) : "");
}

static void rules_choose_as_if_each_were_asked(void **state) {
    (void)state;
    unsigned decided = 0;
    ilj_context *context;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    for (unsigned round = 0; round < 2000; round++) {
        char texts[MOST_RULES][LONGEST_RULE];
        ilj_rule list[MOST_RULES];
        chance = round;
        begin();
        const ilj_selection_options options = {.rules = list, .rule_count = 1 + any_of(MOST_RULES)};
        for (size_t i = 0; i < options.rule_count; i++) {
            make_rule(texts[i], round % 2);
            list[i] = (ilj_rule){any_of(2) ? ILJ_RULE_INCLUDE : ILJ_RULE_EXCLUDE, texts[i]};
        }
        ilj_selection *s;
        chooser c;
        assert_int_equal(ilj_selection_new(&s, context, &options), ILJ_OK);
        assert_int_equal(chooser_begin(&c, s, &image), ECMA_OK);
        bool hit[MOST_RULES] = {false};
        for (unsigned row = 1; row <= TYPES * METHODS_EACH; row++) {
            uint32_t expected = s->rules[0].include ? RULE_NOT_INCLUDED : RULE_NONE, rule;
            for (uint32_t i = 0; i < options.rule_count; i++)
                if (matches(&s->rules[i].pattern, row)) {
                    expected = RULE_LISTED + i;
                    hit[i] = true;
                }
            ilj_reason reason = chooser_ask(&c, row, &rule);
            if (rule != expected)
                fail_msg("round %u, method %u: rule %u instead of %u", round, row, rule, expected);
            bool left_out = rule >= RULE_LISTED ? !s->rules[rule - RULE_LISTED].include : rule == RULE_NOT_INCLUDED;
            assert_int_equal(reason, left_out ? ILJ_EXCLUDED : ILJ_INSTRUMENT);
            decided += rule >= RULE_LISTED;
        }
        for (uint32_t i = 0; i < options.rule_count; i++)
            if (s->rules[i].hit != hit[i])
                fail_msg("round %u: '%s' is said to match %s", round, texts[i], hit[i] ? "nothing" : "something");
        chooser_end(&c);
        ilj_selection_free(s);
        end();
    }
    assert_true(decided > 10000); /* else these rules are no test */
    ilj_context_free(context);
}

/* ---- Messages -------------------------------------------------------------------------------------------------- */

static void near_names_are_not_looked_for_by_the_thousand(void **state) {
    (void)state;
    enum { RULES = SUGGEST_MOST_RULES + 1 };
    static ilj_rule list[RULES];
    ilj_context *context;
    assert_int_equal(ilj_context_new(&context, NULL, NULL), ILJ_OK);
    chance = 1;
    begin();
    for (unsigned i = 0; i < RULES; i++)
        list[i] = (ilj_rule){ILJ_RULE_EXCLUDE, "A.Nowhere.N"};
    for (unsigned count = RULES - 1; count <= RULES; count++) {
        const ilj_selection_options options = {.rules = list, .rule_count = count};
        ilj_selection *s;
        chooser c;
        assert_int_equal(ilj_selection_new(&s, context, &options), ILJ_OK);
        assert_int_equal(chooser_begin(&c, s, &image), ECMA_OK);
        chooser_end(&c);
        for (unsigned i = 0; i < count; i++)
            assert_int_equal(s->rules[i].suggestion != NULL, count < RULES);
        ilj_selection_free(s);
    }
    end();
    ilj_context_free(context);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rules_choose_as_if_each_were_asked),
        cmocka_unit_test(near_names_are_not_looked_for_by_the_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
