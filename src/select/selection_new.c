/* A selection from its options, its copies for threads, and what none of its rules matched. */
#include "select/selection.h"

#include "select/config.h"
#include "select/price.h"

#include <stdlib.h>

static ecma_status build(ilj_selection *s, ilj_context *context, const ilj_selection_options *options) {
    char place[SELECTION_PLACE];
    diag d = selection_diag(context, place, NULL, 0);
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < options->config_count && status == ECMA_OK; i++)
        status = config_read(s, context, options->configs[i]);
    for (size_t i = 0; i < options->rule_count && status == ECMA_OK; i++)
        status = selection_add(s, &d, options->rules[i].kind == ILJ_RULE_INCLUDE, options->rules[i].pattern, NULL, 0);
    for (size_t i = 0; i < options->capture_count && status == ECMA_OK; i++)
        status = selection_add_capture(s, &d, options->captures[i], NULL, NULL, 0);
    for (size_t i = 0; i < options->mask_count && status == ECMA_OK; i++)
        status = selection_add_mask(s, &d, options->masks[i]);
    for (size_t i = 0; i < options->root_count && status == ECMA_OK; i++)
        status = selection_add_root(s, &d, options->roots[i]);
    for (size_t i = 0; i < options->leaf_count && status == ECMA_OK; i++)
        status = leaf_patterns_add(&s->leaves, &s->arena, &d, options->leaves[i], NULL, 0);
    if (status == ECMA_OK && !leaf_patterns_watch(&s->leaves, &s->arena))
        status = diag_no_memory(&d);
    /* Copies share them. */
    if (status == ECMA_OK && (!selection_tree(s) || (s->captured && !selection_tree(s->captured)) ||
                              (s->roots && !selection_tree(s->roots))))
        status = diag_no_memory(&d);
    if (options->min_il_size)
        s->min_il_size = options->min_il_size;
    if (options->skip_trivial_accessors)
        s->skip_trivial_accessors = options->skip_trivial_accessors == ILJ_YES;
    if (options->compiler_generated)
        s->leave_out_compiler_generated = options->compiler_generated == ILJ_NO;
    return status == ECMA_OK ? price_make(s, context, options) : status;
}

ilj_status ilj_selection_new(ilj_selection **selection, ilj_context *context, const ilj_selection_options *options) {
    ilj_selection_options own;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_selection_options", context);
    if (status)
        return status;
    ilj_selection *made = calloc(1, sizeof *made);
    if (!made) {
        char place[SELECTION_PLACE];
        diag d = selection_diag(context, place, NULL, 0);
        return diag_no_memory(&d);
    }
    status = build(made, context, &own);
    if (status) {
        ilj_selection_free(made);
        return status;
    }
    *selection = made;
    return ILJ_OK;
}

void ilj_selection_free(ilj_selection *selection) {
    if (!selection)
        return;
    ilj_selection_free(selection->captured);
    ilj_selection_free(selection->roots);
    free(selection->rules);
    price_free(selection);
    arena_clear(&selection->arena);
    free(selection);
}

ilj_status ilj_selection_copy(ilj_selection **copy, const ilj_selection *selection) {
    ilj_selection *made = malloc(sizeof *made);
    if (!made)
        return ILJ_NO_MEMORY;
    *made = *selection;
    made->arena = ARENA_INIT;
    made->rule_capacity = made->rule_count;
    made->captured = made->roots = NULL;
    made->rules = malloc((made->rule_count + 1u) * sizeof *made->rules);
    if (!made->rules || !leaf_patterns_watch(&made->leaves, &made->arena) ||
        (selection->captured && ilj_selection_copy(&made->captured, selection->captured) != ILJ_OK) ||
        (selection->roots && ilj_selection_copy(&made->roots, selection->roots) != ILJ_OK)) {
        ilj_selection_free(made);
        return ILJ_NO_MEMORY;
    }
    if (made->rule_count)
        memcpy(made->rules, selection->rules, made->rule_count * sizeof *made->rules);
    *copy = made;
    return ILJ_OK;
}

void ilj_selection_merge(ilj_selection *selection, const ilj_selection *copy) {
    selection->asked |= copy->asked;
    selection->price_met |= copy->price_met;
    if (selection->captured)
        ilj_selection_merge(selection->captured, copy->captured);
    if (selection->roots)
        ilj_selection_merge(selection->roots, copy->roots);
    selection->leaves.asked |= copy->leaves.asked;
    for (uint32_t i = 0; i < selection->leaves.count; i++)
        selection->leaves.hits[i] |= copy->leaves.hits[i];
    for (uint32_t i = 0; i < selection->rule_count; i++) {
        selection_rule *rule = &selection->rules[i];
        const selection_rule *other = &copy->rules[i];
        rule->hit |= other->hit;
        /* Among names that are equally near, the first one stays. */
        if (rule->hit || !other->suggestion || (rule->suggestion && rule->suggestion_score <= other->suggestion_score))
            continue;
        size_t size = strlen(other->suggestion) + 1;
        char *suggestion = arena_alloc(&selection->arena, size);
        if (!suggestion)
            continue;
        memcpy(suggestion, other->suggestion, size);
        rule->suggestion = suggestion;
        rule->suggestion_score = other->suggestion_score;
    }
}

/* Reports the patterns of leaves that name no method that is called; returns how many of them ask for something. */
static uint32_t check_leaves(const leaf_patterns *l, ilj_context *context) {
    uint32_t unmatched = 0;
    for (uint32_t i = 0; l->asked && i < l->count; i++) {
        const leaf_pattern *p = &l->list[i];
        if (p->listed || p->native || l->hits[i])
            continue;
        unmatched += p->wanted;
        char place[SELECTION_PLACE];
        diag d = selection_diag(context, place, p->file, p->line);
        diag_report(&d, p->wanted ? DIAG_INCLUDES_NOTHING : DIAG_EXCLUDES_NOTHING,
                    "leaves '%s%.200s' names no method that is called and not instrumented", p->wanted ? "" : "!",
                    p->pattern.text);
    }
    return unmatched;
}

uint32_t ilj_selection_check(const ilj_selection *selection, ilj_context *context) {
    uint32_t unmatched = 0;
    price_check(selection, context);
    for (uint32_t i = 0; selection->asked && i < selection->rule_count; i++) {
        const selection_rule *rule = &selection->rules[i];
        if (rule->hit)
            continue;
        unmatched += rule->include;
        char place[SELECTION_PLACE];
        diag d = selection_diag(context, place, rule->file, rule->line);
        diag_report(&d, rule->include ? DIAG_INCLUDES_NOTHING : DIAG_EXCLUDES_NOTHING,
                    rule->suggestion ? "%s '%.200s' matches no method; did you mean '%.400s'?"
                                     : "%s '%.200s' matches no method",
                    selection_verb(rule), rule->pattern.text, rule->suggestion);
    }
    unmatched += check_leaves(&selection->leaves, context);
    if (selection->roots)
        unmatched += ilj_selection_check(selection->roots, context);
    return unmatched + (selection->captured ? ilj_selection_check(selection->captured, context) : 0);
}
