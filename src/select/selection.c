#include "select/selection.h"

#include "select/name_tree.h"

#include <stdlib.h>

enum { MOST_RULES = 100000 };

/* By hand: with 10,000 rules the printing of places was an eighth of the time that they took. */
static void add_line(char *to, unsigned line) {
    char digits[10];
    int count = 0;
    for (; count == 0 || line > 0; line /= 10)
        digits[count++] = (char)('0' + line % 10);
    *to++ = '(';
    while (count > 0)
        *to++ = digits[--count];
    memcpy(to, ")", sizeof ")");
}

diag selection_diag(ilj_context *context, char place[SELECTION_PLACE], const char *file, unsigned line) {
    enum { LINE = sizeof "(4294967295)" };
    const char *text = file ? file : "command line";
    size_t most = SELECTION_PLACE - LINE, size = strlen(text);
    size = size < most ? size : most;
    memcpy(place, text, size);
    place[size] = 0;
    if (file && line > 0)
        add_line(place + size, line);
    return context_diag(context, place);
}

const char *selection_verb(const selection_rule *rule) {
    return rule->captures ? "capture" : rule->roots ? "root" : rule->include ? "include" : "exclude";
}

static bool grow(ilj_selection *s) {
    uint32_t capacity = s->rule_capacity + s->rule_capacity / 2 + 16;
    selection_rule *rules = realloc(s->rules, capacity * sizeof *rules);
    if (!rules)
        return false;
    s->rules = rules;
    s->rule_capacity = capacity;
    return true;
}

static ecma_status add(ilj_selection *s, diag *d, selection_rule rule, const char *text) {
    const char *fault = NULL;
    if (s->rule_count == MOST_RULES)
        return diag_report(d, DIAG_PATTERN, "there are more than %d rules", MOST_RULES);
    ecma_status status = pattern_compile(&rule.pattern, text, &s->arena, &fault);
    if (status == ECMA_CONFIG)
        return diag_report(d, DIAG_PATTERN, "%s '%.200s': %s", selection_verb(&rule), text, fault);
    if (status || (s->rule_count == s->rule_capacity && !grow(s)))
        return diag_no_memory(d);
    s->rules[s->rule_count++] = rule;
    return ECMA_OK;
}

ecma_status selection_add(ilj_selection *s, diag *d, bool include, const char *text, const char *file, unsigned line) {
    return add(s, d, (selection_rule){.include = include, .file = file, .line = line}, text);
}

const name_tree *selection_tree(ilj_selection *s) {
    if (!s->tree || s->tree->rule_count != s->rule_count)
        s->tree = name_tree_build(s->rules, s->rule_count, &s->arena);
    return s->tree;
}

static ecma_status bad_values(diag *d, ecma_status status, const char *text, const char *problem) {
    return status == ECMA_CONFIG ? diag_report(d, DIAG_PATTERN, "capture '%.200s': %s", text, problem)
                                 : diag_no_memory(d);
}

ecma_status selection_add_capture(ilj_selection *s, diag *d, const char *text, const char *values, const char *file,
                                  unsigned line) {
    char problem[CAPTURE_PROBLEM];
    capture_rule rule;
    const char *pattern = text;
    ecma_status status = values ? capture_parse_values(&rule, values, &s->arena, problem)
                                : capture_parse(&rule, &pattern, text, &s->arena, problem);
    if (status)
        return bad_values(d, status, text, problem);
    if (!s->captured && !(s->captured = calloc(1, sizeof *s->captured)))
        return diag_no_memory(d);
    ilj_selection *c = s->captured;
    uint32_t before = c->rule_count, capacity = c->rule_capacity;
    selection_rule named = {.include = true, .captures = true, .file = file, .line = line};
    if ((status = add(c, d, named, pattern)))
        return status;
    if (c->rule_capacity != capacity) {
        capture_rule *grown = arena_alloc_array(&s->arena, c->rule_capacity, sizeof *grown);
        if (!grown)
            return diag_no_memory(d);
        if (before)
            memcpy(grown, s->capture, before * sizeof *grown);
        s->capture = grown;
    }
    s->capture[before] = rule;
    return ECMA_OK;
}

ecma_status selection_add_root(ilj_selection *s, diag *d, const char *text) {
    if (!s->roots && !(s->roots = calloc(1, sizeof *s->roots)))
        return diag_no_memory(d);
    return add(s->roots, d, (selection_rule){.include = true, .roots = true}, text);
}

ecma_status selection_add_mask(ilj_selection *s, diag *d, const char *text) {
    size_t size = strlen(text) + 1;
    if (size == 1 || size > PATTERN_BYTES || strpbrk(text, "\t\r\n"))
        return diag_report(d, DIAG_PATTERN, "mask '%.200s': expected a name, in which * stands for any characters",
                           text);
    if (s->mask_count == s->mask_capacity) {
        uint32_t capacity = s->mask_capacity ? s->mask_capacity * 2 : 8;
        const char **grown = arena_alloc_array(&s->arena, capacity, sizeof *grown);
        if (!grown)
            return diag_no_memory(d);
        if (s->mask_count)
            memcpy(grown, s->masks, s->mask_count * sizeof *grown);
        s->masks = grown;
        s->mask_capacity = capacity;
    }
    char *copy = arena_alloc(&s->arena, size);
    if (!copy)
        return diag_no_memory(d);
    memcpy(copy, text, size);
    s->masks[s->mask_count++] = copy;
    return ECMA_OK;
}

ilj_exits selection_exits(const ilj_selection *s, uint32_t rule, ilj_exits asked) {
    if (s && rule >= RULE_LISTED && s->rules[rule - RULE_LISTED].exits)
        return s->rules[rule - RULE_LISTED].exits;
    if (asked == ILJ_EXITS_DEFAULT && s)
        asked = s->exits;
    return asked ? asked : ILJ_EXITS_GUARDED;
}

bool selection_counts(const ilj_selection *s, bool asked) {
    return asked || (s && s->counts);
}

bool selection_allocations(const ilj_selection *s, bool asked) {
    return asked || (s && s->allocations);
}

bool selection_command_texts(const ilj_selection *s, bool asked) {
    return asked || (s && s->command_texts);
}

bool selection_takes_all(const ilj_selection *s) {
    return !s || (s->rule_count == 0 && s->min_il_size == 0 && !s->skip_trivial_accessors &&
                  !s->leave_out_compiler_generated && !s->price);
}

bool selection_has_exits(const ilj_selection *s) {
    for (uint32_t i = 0; s && i < s->rule_count; i++)
        if (s->rules[i].exits)
            return true;
    return false;
}
