#include <stdlib.h>

#include "mcp/tools.h"
#include "report/diff/write.h"

/* Two sides compared, by the same rules as `ilinject diff`. */

enum {
    MOST_ON_A_SIDE = 32,
    TREE_BYTES = 4 << 20, /* of both files: above that methods are compared, and no paths */
};

typedef struct comparison {
    mcp_call *c;
    mcp_profile *profiles[2 * MOST_ON_A_SIDE]; /* those before, then those after */
    uint32_t counts[2];
    bool tree;
    diff d;
    diff_view v;
    ilj_diff_options options;
} comparison;

/* ---- Sides ------------------------------------------------------------------------------------------------------ */

static bool find_side(comparison *m, const char *name, uint32_t *ids, uint32_t *count) {
    const json_t *given = json_object_get(m->c->arguments, name);
    *count = json_is_array(given) ? (uint32_t)json_array_size(given) : 1;
    for (uint32_t i = 0; i < *count; i++) {
        ids[i] = call_path(m->c, json_string_value(json_is_array(given) ? json_array_get(given, i) : given));
        if (ids[i] == STORE_NONE)
            return false;
    }
    return true;
}

/* Two at a time. */
static bool open_all(comparison *m) {
    uint32_t ids[2 * MOST_ON_A_SIDE], all;
    uint64_t bytes = 0;
    if (!find_side(m, "before", ids, &m->counts[0]) || !find_side(m, "after", ids + m->counts[0], &m->counts[1]))
        return false;
    all = m->counts[0] + m->counts[1];
    for (uint32_t i = 0; i < all; i++)
        bytes += system_file_bytes(m->c->mcp->store.paths[ids[i]]);
    m->tree = bytes <= TREE_BYTES;
    for (uint32_t i = 0; i < all; i += 2) {
        const uint32_t two[2] = {ids[i], i + 1 < all ? ids[i + 1] : STORE_NONE};
        mcp_profile *found[2];
        if (!call_profiles(m->c, found, two, m->tree))
            return false;
        memcpy(m->profiles + i, found, (i + 1 < all ? 2 : 1) * sizeof *found);
    }
    return true;
}

static bool compare_all(comparison *m) {
    diff_start(&m->d, m->counts[0], m->counts[1]);
    m->d.methods_only = !m->tree;
    for (uint32_t i = 0; i < m->counts[0] + m->counts[1]; i++)
        if (!diff_add(&m->d, &m->profiles[i]->sum, profile_runs_in(&m->profiles[i]->of.run)))
            return false;
    m->options = (ilj_diff_options){.size = sizeof m->options};
    m->v = (diff_view){.d = &m->d, .table = &m->d.methods, .options = &m->options, .metric = DIFF_OWN};
    return diff_judge(&m->d) && diff_view_make(&m->v);
}

static void set_side(mcp_call *c, const comparison *m, const char *name, uint32_t from, uint32_t count) {
    json_t *side = call_array(c, c->result, name);
    for (uint32_t i = from; i < from + count && !c->no_memory; i++) {
        json_t *row = json_object();
        call_file(c, row, "profile", m->profiles[i]->id);
        call_append(c, side, row);
    }
}

/* ---- Methods ---------------------------------------------------------------------------------------------------- */

/* The method in a profile, one after before one before. */
static void set_method(mcp_call *c, json_t *row, const comparison *m, uint32_t entry) {
    const diff_function *f = &m->d.functions[entry];
    uint32_t id = store_method(&c->mcp->store, f->assembly, f->name);
    c->no_memory |= id == STORE_NONE;
    for (uint32_t i = m->counts[0] + m->counts[1]; i-- > 0 && id != STORE_NONE;) {
        const report_function *found = store_function(&c->mcp->store, id, m->profiles[i]);
        if (found) {
            call_method(c, row, m->profiles[i], found);
            return;
        }
    }
}

static void set_values(mcp_call *c, json_t *row, const char *key, const diff_change *change) {
    json_t *of = call_object(c, row, key);
    call_number(c, of, "before", diff_ns(change->before));
    call_number(c, of, "after", diff_ns(change->after));
    if (change->noise > 0)
        call_percent(c, of, "noise_percent", (uint64_t)(change->noise * 1000), 1000);
}

static const char *verdict_of(const diff *d, const diff_change *own, const diff_change *taken,
                              const diff_change *calls) {
    diff_verdict of_own = diff_judged(d, own), of_taken = diff_judged(d, taken);
    if (own->verdict == DIFF_NEW || own->verdict == DIFF_GONE)
        return own->verdict == DIFF_NEW ? "new" : "gone";
    if (of_own != DIFF_SAME && !d->untimed)
        return of_own == DIFF_MORE ? "slower" : "faster";
    if (calls->verdict != DIFF_SAME)
        return calls->verdict == DIFF_MORE ? "called more" : "called less";
    if (of_taken != DIFF_SAME && !d->untimed)
        return of_taken == DIFF_MORE ? "callees slower" : "callees faster";
    return "otherwise";
}

static json_t *method_row(mcp_call *c, const comparison *m, uint32_t entry) {
    const diff *d = &m->d;
    const diff_change own = diff_of(d, &d->methods, entry, DIFF_OWN),
                      taken = diff_of(d, &d->methods, entry, DIFF_TAKEN),
                      calls = diff_of(d, &d->methods, entry, DIFF_CALLS);
    json_t *row = json_object();
    set_method(c, row, m, entry);
    call_word(c, row, "change", verdict_of(d, &own, &taken, &calls));
    set_values(c, row, "count", &calls);
    if (!d->untimed) {
        set_values(c, row, "own_ns", &own);
        set_values(c, row, "inclusive_ns", &taken);
    }
    for (profile_figure kind = 0; kind < FIGURES; kind++) {
        const diff_change figure = diff_of(d, &d->methods, entry, diff_figure(kind, false));
        if (!d->without[kind] && figure.change != 0)
            set_values(c, row, figure_kinds[kind].field, &figure);
    }
    return row;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static void set_story(mcp_call *c, const comparison *m) {
    static const char *const causes[] = {
        [STORY_NOTHING] = "nothing", [STORY_SPREAD] = "spread",   [STORY_ITSELF] = "its own code",
        [STORY_NEW] = "it is new",   [STORY_GONE] = "it is gone", [STORY_COUNT] = "its number of calls",
    };
    story_text text = {.name_count = 0};
    const diff_story *s = &m->v.story;
    story_tell(&text, &m->d, s);
    call_text(c, c->result, "sentence", buffer_bytes(&text.text));
    c->no_memory |= text.text.failed;
    buffer_clear(&text.text);
    if (s->cause == STORY_NONE)
        return;
    json_t *cause = call_object(c, c->result, "cause");
    set_method(c, cause, m, s->cause);
    call_word(c, cause, "by", causes[s->kind]);
}

static void set_whole(mcp_call *c, const comparison *m) {
    static const char *const groups[DIFF_GROUPS] = {[DIFF_SLOWER] = "slower",
                                                    [DIFF_FASTER] = "faster",
                                                    [DIFF_ADDED] = "new",
                                                    [DIFF_REMOVED] = "gone",
                                                    [DIFF_OTHERWISE] = "otherwise"};
    set_side(c, m, "before", 0, m->counts[0]);
    set_side(c, m, "after", m->counts[0], m->counts[1]);
    call_set(c, c->result, "noise_known", json_boolean(diff_knows_noise(&m->d)));
    if (m->tree)
        set_story(c, m);
    json_t *counts = call_object(c, c->result, "counts");
    for (int i = 0; i < DIFF_GROUPS; i++)
        call_number(c, counts, groups[i], m->v.groups[i]);
    call_number(c, counts, "same", m->v.same);
    json_t *caveats = call_array(c, c->result, "caveats");
    if (!diff_knows_noise(&m->d))
        call_append(c, caveats,
                    json_string("noise is not known with one run a side: changes below 10 % of a method, or 1 % of "
                                "all, are left out"));
    if (!m->tree)
        call_append(c, caveats, json_string("the profiles are large: methods were compared, not the paths of calls"));
    if (m->d.untimed)
        call_append(c, caveats, json_string("calls were only counted in some run: no times are compared"));
}

bool tool_compare(mcp_call *c) {
    comparison m = {.c = c};
    uint32_t first;
    if (!open_all(&m) || !call_begin_rows(c, &first))
        return false;
    bool done = compare_all(&m);
    if (done)
        set_whole(c, &m);
    json_t *rows = done ? call_array(c, c->result, "methods") : NULL;
    for (uint32_t i = first; done && i < m.v.row_count && !c->no_memory; i++)
        if (!call_row(c, rows, method_row(c, &m, m.v.rows[i].entry))) {
            call_next(c, i);
            break;
        }
    diff_view_clear(&m.v);
    diff_clear(&m.d);
    return done;
}
