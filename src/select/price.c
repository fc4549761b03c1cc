#include "select/price.h"

#include <stdlib.h>

#include "choice/guess.h"
#include "select/name_filter.h"
#include "select/rules.h"

/* ---- Making ----------------------------------------------------------------------------------------------------- */

/* The last rule that matches, as rules.h has it, but for attributes, which no profile knows. */
static void apply_rules(counted *m, const ilj_selection *s, buffer *scratch) {
    bytes name = names_text(m->names, m->names->methods[m->method].name);
    for (uint32_t i = s->rule_count; i-- > 0;) {
        const selection_rule *rule = &s->rules[i];
        const pattern *p = &rule->pattern;
        if (p->attribute || (p->has_parameters && !pattern_may_end_in(p, name)) ||
            !pattern_matches_assembly(p, m->assembly))
            continue;
        filter_match match = filter_match_method(p, m->names, m->method, scratch);
        if (match == FILTER_NOT)
            continue;
        m->unselected = !rule->include;
        m->fixed = rule->include && match == FILTER_METHOD && pattern_is_literal(p);
        return;
    }
    m->unselected = s->rule_count > 0 && s->rules[0].include;
}

static ecma_status read_profiles(struct price *made, ilj_selection *s, ilj_context *context,
                                 const ilj_selection_options *options) {
    for (size_t i = 0; i < options->profile_count; i++) {
        diag d = context_diag(context, options->profiles[i]);
        ecma_status status = counts_add_file(&made->counts, &d);
        if (status != ECMA_OK)
            return status;
    }
    char place[SELECTION_PLACE];
    diag d = selection_diag(context, place, NULL, 0);
    buffer scratch = BUFFER_INIT;
    for (uint32_t i = 0; i < made->counts.count; i++)
        if (made->counts.list[i].owner == i && made->counts.list[i].calls > 0)
            apply_rules(&made->counts.list[i], s, &scratch);
    bool done = !scratch.failed && counts_choose(&made->counts, made->percent);
    buffer_clear(&scratch);
    return done ? ECMA_OK : diag_no_memory(&d);
}

ecma_status price_make(ilj_selection *s, ilj_context *context, const ilj_selection_options *options) {
    char place[SELECTION_PLACE];
    diag d = selection_diag(context, place, NULL, 0);
    if (options->overhead > PRICE_MOST)
        return diag_report(&d, DIAG_OVERHEAD, "overhead: expected %d to %d percent, found %u", PRICE_LEAST, PRICE_MOST,
                           options->overhead);
    if (options->overhead == 0)
        return options->profile_count ? diag_report(&d, DIAG_OVERHEAD, "profiles are given, and no overhead") : ECMA_OK;
    struct price *made = calloc(1, sizeof *made);
    if (!made)
        return diag_no_memory(&d);
    *made = (struct price){.owner = s, .percent = options->overhead, .profiles = options->profile_count > 0};
    made->counts.compiled_again = options->compiled_again;
    s->price = made;
    return made->profiles ? read_profiles(made, s, context, options) : ECMA_OK;
}

void price_free(ilj_selection *s) {
    if (s->price && s->price->owner == s) {
        counts_clear(&s->price->counts);
        free(s->price);
    }
    s->price = NULL;
}

/* ---- Asking ----------------------------------------------------------------------------------------------------- */

price_asker price_begin(ilj_selection *selection, const ilj_image *image) {
    return (price_asker){.selection = selection && selection->price ? selection : NULL, .image = image};
}

void price_end(price_asker *a) {
    buffer_clear(&a->key);
}

static bytes text_at(const md_view *view, md_column column, uint32_t row) {
    const char *text = md_name(view, column, row);
    return bytes_of(text, strlen(text));
}

/* True if the rule names this method, and not something that it is in. */
static bool names_exactly(const price_asker *a, uint32_t row, uint32_t rule) {
    if (rule < RULE_LISTED)
        return rule == RULE_PROFILE_METHOD;
    const selection_rule *r = &a->selection->rules[rule - RULE_LISTED];
    const pattern *p = &r->pattern;
    if (!r->include || p->attribute || !pattern_is_literal(p))
        return false;
    const md_view *view = &a->image->metadata;
    uint32_t types[NAMES_MAX_NESTING], depth = 0;
    for (uint32_t type = md_method_type(&a->image->index, row); type != 0 && depth < NAMES_MAX_NESTING;
         type = md_enclosing_type(&a->image->index, type))
        types[depth++] = type;
    pattern_state state = pattern_start(p);
    if (depth > 0)
        state = pattern_feed(p, state, text_at(view, MD_TypeDef_TypeNamespace, types[depth - 1]));
    while (depth-- > 0 && !pattern_covers(p, state))
        state = pattern_feed(p, state, text_at(view, MD_TypeDef_TypeName, types[depth]));
    return !pattern_covers(p, state);
}

static const counted *known(price_asker *a, uint32_t row) {
    if (!a->selection->price->profiles)
        return NULL;
    counts_key(&a->key, a->image, row);
    return a->key.failed ? NULL : counts_find(&a->selection->price->counts, buffer_bytes(&a->key));
}

static guess guess_at(const price_asker *a, uint32_t row, const il_body *body) {
    if (a->image->pe.cli.entry_point_token == md_token_of(MD_TABLE_MethodDef, row))
        return GUESS_STAYS;
    /* A type's initializer runs once. */
    if (strcmp(md_name(&a->image->metadata, MD_MethodDef_Name, row), ".cctor") == 0)
        return GUESS_STAYS;
    return guess_of(md_cell(&a->image->metadata, MD_MethodDef_ImplFlags, row), body);
}

ilj_reason price_ask(price_asker *a, uint32_t method_row, uint32_t rule, const il_body *body, bool *outermost) {
    *outermost = false;
    if (!a->selection)
        return ILJ_INSTRUMENT;
    const counted *m = known(a, method_row);
    if (m || a->key.failed) /* without memory it is unknown; then it counts as met */
        a->selection->price_met = true;
    if (names_exactly(a, method_row, rule))
        return ILJ_INSTRUMENT;
    if (m) {
        *outermost = m->outermost;
        if (m->left_out)
            return m->takes_code ? ILJ_LIKELY_INLINED : ILJ_CALLED_OFTEN;
        return ILJ_INSTRUMENT;
    }
    return guess_at(a, method_row, body) == GUESS_STAYS ? ILJ_INSTRUMENT : ILJ_LIKELY_INLINED;
}

void price_describe(buffer *b, price_asker *a, uint32_t method_row, const il_body *body) {
    const struct price *price = a->selection->price;
    const counted *m = known(a, method_row);
    buffer_printf(b, "--overhead=%u%%: ", price->percent);
    if (m && m->takes_code)
        buffer_string(b, "not called, and native code of others holds it");
    else if (m)
        buffer_printf(b, "%llu calls%s", (unsigned long long)m->owner_calls,
                      m->outermost ? ", but for outermost ones" : "");
    else
        buffer_string(b, guess_text(guess_at(a, method_row, body)));
}

void price_check(const ilj_selection *s, ilj_context *context) {
    enum { PS_OF_MS = 1000000000 };
    if (!s->price || !s->price->profiles || !s->asked)
        return;
    char place[SELECTION_PLACE];
    diag d = selection_diag(context, place, NULL, 0);
    const counts *c = &s->price->counts;
    if (!s->price_met)
        diag_report(&d, DIAG_PROFILE_UNRELATED,
                    "the profiles know no method of the inputs; what is left out goes by the IL alone");
    else if (c->price_ps < c->start_ps)
        diag_report(&d, DIAG_PRICE_STARTS, "%u %% of a run are %llu ms, and the tracker's start takes %llu",
                    s->price->percent, (unsigned long long)(c->price_ps / c->runs / PS_OF_MS),
                    (unsigned long long)(c->start_ps / c->runs / PS_OF_MS));
}

void price_setting(buffer *b, const ilj_selection *s) {
    if (s && s->price)
        buffer_printf(b, "overhead=%u%%\n", s->price->percent);
}
