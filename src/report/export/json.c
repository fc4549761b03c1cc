#include "report/export/json.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "report/model/parts.h"
#include "report/model/rows.h"
#include "report/model/site_bytes.h"
#include "report/view/async.h"
#include "report/view/exceptions.h"
#include "report/view/functions.h"
#include "report/view/labels.h"
#include "report/view/runs.h"
#include "report/view/source.h"
#include "report/view/switches.h"

/* One object, one element of an array a line. Each value is written by hand in the order of docs/profile-format.md. */

static void key(printer *out, const char *name) {
    print_string(out, ", \"");
    print_string(out, name);
    print_string(out, "\": ");
}

static void string_field(printer *out, const char *name, bytes value) {
    key(out, name);
    print_json(out, value);
}

static void number_field(printer *out, const char *name, uint64_t value) {
    key(out, name);
    print_number(out, value);
}

static void signed_field(printer *out, const char *name, int64_t value) {
    key(out, name);
    print_signed(out, value);
}

static void end_field(printer *out, const char *field, const char *end, uint64_t ns) {
    print_string(out, ", \"");
    print_bytes(out, field, strlen(field) - strlen("_ns"));
    print_string(out, end);
    print_number(out, ns);
}

/* A time, and its ends where they are not the time itself. */
static void bounded_field(printer *out, const char *field, int64_t ns, uint64_t low_ns, uint64_t high_ns) {
    signed_field(out, field, ns);
    if (low_ns == high_ns)
        return;
    end_field(out, field, "_low_ns\": ", low_ns);
    end_field(out, field, "_high_ns\": ", high_ns);
}

static void trust_field(printer *out, times_trust trust) {
    if (trust >= TIMES_OPEN)
        print_string(out, ", \"sure\": false");
}

static void null_field(printer *out, const char *name) {
    key(out, name);
    print_string(out, "null");
}

/* In place of the own time of all functions: calls were only counted. */
#define NO_TIMES UINT64_MAX
static uint64_t whole_of(const aggregate *a) {
    return aggregate_only_counts(a) ? NO_TIMES : a->totals.exclusive_ns;
}

/* `whole_ns`: the own time of all functions, or NO_TIMES. */
static void times_fields(printer *out, const profile_times *t, uint64_t whole_ns) {
    if (whole_ns == NO_TIMES) {
        null_field(out, "inclusive_ns");
        null_field(out, "exclusive_ns");
        return;
    }
    bounded_field(out, "inclusive_ns", report_inclusive(t), t->inclusive_low_ns, t->inclusive_high_ns);
    bounded_field(out, "exclusive_ns", report_exclusive(t), t->exclusive_low_ns, t->exclusive_high_ns);
    trust_field(out, times_exclusive_trust(t, whole_ns));
}

static void optional_field(printer *out, const char *name, bool known, uint64_t value) {
    key(out, name);
    if (known)
        print_number(out, value);
    else
        print_string(out, "null");
}

static const view_style facts_style = {VIEW_JSON, ", ", ": ", print_json};

/* For a merged profile those that it lists; where there is one, the number of all is reported. */
static void print_runs(printer *out, const report *r) {
    view_runs walk = {.r = r};
    view_facts facts = {.list = NULL};
    bool merged = false;
    for (bool first = true; view_next_run(&walk, &facts); first = false) {
        print_string(out, first ? "\n{" : ",\n{");
        view_print(out, &facts, &facts_style, true);
        print_string(out, "}");
    }
    view_facts_clear(&facts);
    print_string(out, "\n]");
    uint64_t all = view_count_runs(r, &merged);
    if (merged)
        print_format(out, ",\n\"run_count\": %" PRIu64, all);
}

/* Absent where there is none. */
static void waiting_field(printer *out, uint64_t ns) {
    if (ns > 0)
        number_field(out, "waiting_ns", ns);
}

static void figure_field(printer *out, const char *of, int kind, uint64_t value) {
    print_format(out, ", \"%s_%s\": %" PRIu64, of, figure_kinds[kind].field, value);
}

/* Absent where nobody has counted. */
static void figure_fields(printer *out, const uint64_t counted[FIGURES], const uint64_t own[FIGURES],
                          const uint64_t all[FIGURES]) {
    for (int kind = 0; kind < FIGURES; kind++)
        if (counted[kind] > 0) {
            figure_field(out, "exclusive", kind, own[kind]);
            figure_field(out, "inclusive", kind, all[kind]);
        }
}

static void totals(printer *out, const report *r, bool timed) {
    const report_totals *t = &r->sum->totals;
    print_format(out, "{\"enters\": %" PRIu64, t->enters);
    number_field(out, "steps", t->steps);
    optional_field(out, "leaves", timed, t->leaves);
    number_field(out, "by_exception", t->by_exception);
    number_field(out, "resynchronised", t->resynchronised);
    number_field(out, "open", t->open);
    number_field(out, "folded", t->folded);
    number_field(out, "folded_async", t->folded_async);
    number_field(out, "dropped", t->dropped);
    optional_field(out, "exclusive_ns", timed, t->exclusive_ns);
    optional_field(out, "probe_ns", timed, t->probe_ns);
    waiting_field(out, t->waiting_ns);
    for (int kind = 0; kind < FIGURES; kind++)
        if (r->sum->counted.all[kind] > 0)
            figure_field(out, "exclusive", kind, t->figures.all[kind]);
    print_string(out, "}");
}

/* The bytes of a GUID stand in the file with its first three groups little-endian. */
static void mvid(printer *out, const uint8_t *b) {
    print_format(out, "\"%08" PRIx32 "-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x\"", load_u32(b), load_u16(b + 4),
                 load_u16(b + 6), b[8], b[9], b[10], b[11], b[12], b[13], b[14], b[15]);
}

static void module(printer *out, const report_module *m) {
    print_string(out, "{\"assembly\": ");
    print_json(out, m->assembly);
    string_field(out, "module", m->module);
    key(out, "mvid");
    if (m->named)
        mvid(out, m->mvid);
    else
        print_string(out, "null");
    number_field(out, "methods", m->method_count);
    print_string(out, "}");
}

static void function_field(printer *out, const figure_row *f, const row_value *v) {
    figure_rule rule = f->json.rule;
    bool bounded = rule == RULE_BOUNDED || rule == RULE_TRUSTED;
    if (rule == RULE_IF_ANY && v->value == 0)
        return;
    if (!v->known && (bounded || rule == RULE_OR_NULL))
        null_field(out, f->field);
    else if (bounded)
        bounded_field(out, f->field, v->value, v->low, v->high);
    else
        signed_field(out, f->field, v->value);
    if (v->known && rule == RULE_TRUSTED)
        trust_field(out, v->trust);
}

/* Where a source is; absent where no symbols say it. Clears the path. */
static void place_fields(printer *out, buffer *path, uint32_t line) {
    if (line) {
        string_field(out, "file", buffer_bytes(path));
        number_field(out, "line", line);
    }
    out->no_memory |= path->failed;
    buffer_clear(path);
}

static void function_place(printer *out, const report *r, const report_function *f) {
    buffer path = BUFFER_INIT;
    uint32_t line = view_source(&path, r, f);
    place_fields(out, &path, line);
}

static void function(printer *out, const report *r, const figure_list *figures, const report_function *f) {
    const aggregate *a = r->sum;
    const view_function is = view_function_of(r, f);
    print_string(out, "{\"module\": ");
    print_signed(out, is.has_module ? (int64_t)is.module : -1);
    key(out, "token");
    if (is.token)
        print_format(out, "\"0x%08" PRIx32 "\"", is.token);
    else
        print_string(out, "null");
    string_field(out, "name", is.name);
    string_field(out, "type", is.type);
    string_field(out, "method", is.method);
    if (is.outermost)
        print_string(out, ", \"outermost\": true");
    if (is.part) {
        key(out, is.command ? "command" : "leaf");
        print_string(out, "true");
        key(out, "part");
        print_format(out, "\"%s\"", is.part);
    }
    key(out, "machine");
    if (is.machine[0] == 0)
        print_string(out, "null");
    else
        print_format(out, "\"%s\"", is.machine);
    if (is.route.size > 0)
        string_field(out, "route", is.route);
    function_place(out, r, f);
    report_row row;
    row_of_function(&row, f);
    for (size_t i = 0; i < figures->count; i++) {
        row_value v = figure_value(a, &row, figures->ids[i]);
        function_field(out, &figure_rows[figures->ids[i]], &v);
    }
    print_string(out, "}");
}

static void node(const json_tree *w, uint32_t i) {
    const matched_thread *t = w->t;
    const profile_run *run = w->run;
    printer *out = w->out;
    const profile_thread *of = &t->corrected.t;
    const profile_figures own = profile_figures_at(of, PROFILE_FIGURE, i),
                          all = profile_figures_at(of, PROFILE_ALL_FIGURE, i);
    const profile_span span = profile_span_at(&of->nodes, PROFILE_LEAST, i);
    const uint64_t calls = profile_number(of, PROFILE_CALLS, i);
    const profile_timing timing = timing_at(&t->corrected.timings, i);
    const bool machine = t->nodes[i].machine != PROFILE_PLAIN;
    print_string(out, "{\"function\": ");
    print_signed(out, json_function_of(w, i));
    number_field(out, "depth", w->depths[i]);
    number_field(out, "calls", machine ? 0 : calls);
    number_field(out, "steps", machine ? calls : 0);
    times_fields(out, &timing.times, whole_of(w->r->sum));
    waiting_field(out, timing.blocked_ns);
    figure_fields(out, run->counted.all, own.all, all.all);
    optional_field(out, "min_ns", span.min_ns <= span.max_ns, profile_ns(run, span.min_ns));
    optional_field(out, "max_ns", span.min_ns <= span.max_ns, profile_ns(run, span.max_ns));
    number_field(out, "by_exception", profile_number(of, PROFILE_BY_EXCEPTION, i));
    number_field(out, "resynchronised", profile_number(of, PROFILE_RESYNCHRONISED, i));
    number_field(out, "open", profile_number(of, PROFILE_OPEN, i));
    print_string(out, "}");
}

/* False when memory ran out. */
static bool tree(printer *out, const report *r, const profile_run *run, const matched_thread *t,
                 const uint32_t *positions) {
    const profile_thread *of = &t->corrected.t;
    uint32_t *depths = malloc(of->node_count * sizeof *depths);
    const json_tree w = {out, r, run, t, positions, depths};
    for (uint32_t i = 0; i < of->node_count && depths; i++)
        depths[i] = i == 0 ? 0 : depths[of->parents[i]] + 1;
    if (r->options->compact && depths) {
        key(out, "nodes");
        json_write_columns(&w);
    } else if (depths) {
        key(out, "tree");
        for (uint32_t i = 0; i < of->node_count; i++) {
            if (t->nodes[i].function == FUNCTION_UNSHOWN)
                continue;
            print_string(out, i == 0 ? "[\n" : ",\n");
            node(&w, i);
        }
        print_string(out, "\n]");
    }
    free(depths);
    return depths != NULL;
}

static void type_field(printer *out, bytes name) {
    print_string(out, "{\"type\": ");
    if (name.size > 0)
        print_json(out, name);
    else
        print_string(out, "null");
}

static void path(printer *out, const profile_run *run, const profile_thread *t, const profile_path *p) {
    static const char *const outcomes[] = {
#define OUTCOME(ID, Member, value, word, alone, before, after, meaning) [value] = word,
#include "facts/outcomes.def"
#undef OUTCOME
        [PROFILE_OUTCOMES] = "unknown",
    };
    type_field(out, p->type ? t->exception_types[p->type - 1] : (bytes){NULL, 0});
    number_field(out, "thrower", p->thrower);
    number_field(out, "catcher", p->catcher);
    key(out, "outcome");
    print_format(out, "\"%s\"", outcomes[p->outcome]);
    number_field(out, "count", p->count);
    number_field(out, "ns", profile_ns(run, p->ticks));
    number_field(out, "search_ns", profile_ns(run, p->search_ticks));
    number_field(out, "searched", p->frames_searched);
    number_field(out, "unwound", p->frames_unwound);
    key(out, "messages");
    for (uint32_t i = 0; i < p->message_count; i++) {
        print_string(out, i == 0 ? "[" : ", ");
        print_json(out, p->messages[i]);
    }
    print_string(out, p->message_count ? "]}" : "[]}");
}

/* `run_position`: in the runs; of merged runs without meaning. */
static void thread(printer *out, const report *r, const profile_run *run, size_t run_position,
                   const matched_thread *matched, const uint32_t *positions) {
    const profile_thread *t = &matched->corrected.t;
    print_format(out, "{\"id\": %" PRIu64, t->id);
    string_field(out, "name", t->name);
    number_field(out, "count", t->count);
    key(out, "run");
    if (t->merged)
        print_string(out, "null");
    else
        print_format(out, "%zu", run_position);
    out->no_memory |= !tree(out, r, run, matched, positions);
    print_string(out, ", \"exceptions\": [");
    for (uint32_t i = 0; i < t->path_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        path(out, run, t, &t->paths[i]);
    }
    print_string(out, t->path_count ? "\n]}" : "]}");
}

static void threads(printer *out, const report *r, const uint32_t *positions) {
    bool first = true;
    size_t run = 0; /* of the profile */
    for (size_t i = 0; i < r->profile_count; run += view_runs_of(r, i), i++)
        for (size_t k = 0; k < r->matched[i].thread_count; k++) {
            print_string(out, first ? "\n" : ",\n");
            first = false;
            thread(out, r, &r->profiles[i].run, run, &r->matched[i].threads[k], positions);
        }
}

/* Types alone; the paths are those of the threads. */
static void exceptions_by_type(printer *out, const report *r) {
    view_exceptions walk = {.r = r, .types = true};
    view_exception of;
    for (bool first = true; view_next_exception(&walk, &of); first = false) {
        print_string(out, first ? "\n" : ",\n");
        type_field(out, of.type);
        number_field(out, "count", of.count);
        number_field(out, "ns", of.ns);
        number_field(out, "average_ns", of.average_ns);
        number_field(out, "search_ns", of.search_ns);
        number_field(out, "searched", of.searched);
        number_field(out, "unwound", of.unwound);
        print_string(out, "}");
    }
}

static void async_row(printer *out, const view_async *row, uint32_t position, bool tree, view_facts *facts) {
    print_format(out, "{\"function\": %" PRIu32, position);
    if (tree)
        number_field(out, "depth", row->depth);
    view_async_facts(row, facts);
    view_print(out, facts, &facts_style, false);
    print_string(out, "}");
}

static void async_methods(printer *out, const report *r, const uint32_t *positions) {
    view_facts facts = {.list = NULL};
    for (uint32_t i = 0; i < view_async_count(r); i++) {
        const view_async row = view_async_method(r, i);
        print_string(out, i == 0 ? "\n" : ",\n");
        async_row(out, &row, positions[row.function], false, &facts);
    }
    view_facts_clear(&facts);
}

static void async_calls(printer *out, const report *r, const uint32_t *positions) {
    view_facts facts = {.list = NULL};
    view_async_walk walk = {.r = r};
    view_async row;
    for (bool first = true; view_next_async(&walk, &row); first = false) {
        print_string(out, first ? "\n" : ",\n");
        async_row(out, &row, positions[row.function], true, &facts);
    }
    view_facts_clear(&facts);
}

/* Absent when there are none. */
static void switches(printer *out, const report *r) {
    view_facts facts = {.list = NULL};
    uint32_t count = view_switch_count(r);
    for (uint32_t i = 0; i < count; i++) {
        const view_switch s = view_switch_at(r, i);
        view_switch_facts(&s, &facts);
        print_string(out, i == 0 ? ",\n\"switched\": [\n{\"name\": " : ",\n{\"name\": ");
        print_json(out, function_plain_name(s.function));
        view_print(out, &facts, &facts_style, false);
        print_string(out, "}");
    }
    view_facts_clear(&facts);
    if (count > 0)
        print_string(out, "\n]");
}

/* The lines on which functions call leaves; absent where none is known. */
static void leaf_calls(printer *out, const report *r, const uint32_t *positions) {
    const leaf_lines *l = &r->sum->sites.leaves;
    for (uint32_t i = 0; i < l->count; i++) {
        const leaf_line *at = &l->list[i];
        buffer path = BUFFER_INIT;
        print_string(out, i == 0 ? ",\n\"leaf_calls\": [\n" : ",\n");
        print_string(out, "{\"caller\": ");
        print_number(out, positions[at->caller]);
        number_field(out, "leaf", positions[at->leaf]);
        uint32_t line = view_source_of(&path, r, at->names, at->file, at->line);
        place_fields(out, &path, line);
        print_string(out, "}");
    }
    if (l->count > 0)
        print_string(out, "\n]");
}

/* The places that allocated objects, most first; absent where nobody has counted. */
static bool objects(printer *out, const report *r, const uint32_t *positions) {
    const aggregate *a = r->sum;
    const report_site **sorted = a->counted.objects > 0 ? sites_sorted(&a->sites, a->list.functions) : NULL;
    site_bytes bytes = {NULL, NULL};
    if (!sorted || !site_bytes_make(&bytes, a)) {
        bool none = !sorted && a->counted.objects == 0;
        site_bytes_clear(&bytes);
        free(sorted);
        return none;
    }
    print_string(out, ",\n\"objects\": [");
    for (uint32_t i = 0; i < a->sites.count; i++) {
        const report_site *s = sorted[i];
        print_string(out, i == 0 ? "\n" : ",\n");
        print_string(out, "{\"type\": ");
        print_json(out, a->sites.types[s->type].name);
        print_format(out, ", \"kind\": \"%s\"", site_kind_name(s->kind));
        number_field(out, "objects", s->objects);
        key(out, "function");
        if (s->function == FUNCTION_ROOT)
            print_string(out, "-1");
        else
            print_number(out, positions[s->function]);
        print_format(out, ", \"token\": \"0x%08" PRIx32 "\"", 0x06000000u + s->row);
        number_field(out, "offset", s->offset);
        if (site_bytes_of_method(&bytes, s) != SITE_BYTES_UNKNOWN)
            number_field(out, "method_bytes", site_bytes_of_method(&bytes, s));
        buffer path = BUFFER_INIT;
        uint32_t line = view_source_of(&path, r, s->names, s->file, s->line);
        place_fields(out, &path, line);
        print_string(out, "}");
    }
    print_string(out, "\n]");
    free(sorted);
    site_bytes_clear(&bytes);
    return true;
}

/* How the whole time splits: methods, then parts in the order of the list of leaves. Absent where there are no leaves.
 */
static bool parts(printer *out, const aggregate *a) {
    part_sum sums[PARTS];
    bool first = true;
    if (!parts_any(a) || aggregate_only_counts(a))
        return true;
    if (!parts_sum(sums, a))
        return false;
    print_string(out, ",\n\"parts\": [");
    for (int at = 0; at < PARTS; at++) {
        int i = at == 0 ? PART_METHODS : at % LEAF_PARTS; /* other calls last */
        const part_sum *sum = &sums[i];
        if (sum->calls == 0 && profile_add(sum->exclusive_ns, profile_add(sum->waiting_ns, sum->awaiting_ns)) == 0)
            continue;
        print_format(out, "%s{\"part\": \"%s\"", first ? "\n" : ",\n", part_name(i));
        first = false;
        number_field(out, "calls", sum->calls);
        number_field(out, "exclusive_ns", sum->exclusive_ns);
        number_field(out, "waiting_ns", sum->waiting_ns);
        number_field(out, "awaiting_ns", sum->awaiting_ns);
        for (int kind = 0; kind < FIGURES; kind++)
            if (a->counted.all[kind] > 0)
                figure_field(out, "exclusive", kind, sum->figures[kind]);
        print_string(out, "}");
    }
    print_string(out, "\n]");
    return true;
}

static const char *const offsets[] = {
    [ILJ_OFFSET_CALIBRATED] = "calibrated",
    [ILJ_OFFSET_NONE] = "none",
    [ILJ_OFFSET_ARTICLE] = "article",
};

/* In how many runs each label has which value; nothing when no run has any. False when memory ran out. */
static bool labels(printer *out, const report *r) {
    view_labels all;
    const bool done = view_labels_make(&all, r);
    for (uint32_t i = 0; i < all.count && done; i++) {
        const profile_facts *f = &all.list[i].of;
        print_string(out, i == 0 ? ",\n\"labels\": {\n" : ",\n");
        print_json(out, all.list[i].name);
        print_string(out, ": {");
        for (uint32_t k = 0; k < f->count; k++) {
            print_string(out, k > 0 ? ", " : "");
            print_json(out, f->values[k].value);
            print_string(out, ": ");
            print_number(out, f->values[k].runs);
        }
        print_string(out, i + 1 == all.count ? "}\n}" : "}");
    }
    view_labels_clear(&all);
    return done;
}

bool json_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    const report_function **sorted = report_sorted(a, ILJ_SORT_EXCLUSIVE);
    uint32_t *positions = calloc((size_t)a->list.function_count + 1, sizeof *positions);
    bool done = sorted && positions;
    if (!done)
        goto done;
    for (uint32_t i = 0; i < a->list.function_count; i++)
        positions[sorted[i] - a->list.functions] = i;

    print_format(out, "{\n\"format\": \"ilinject-profile\",\n\"version\": %d,\n\"runs\": [",
                 r->options->compact ? 2 : 1);
    print_runs(out, r);
    if (!labels(out, r)) {
        done = false;
        goto done;
    }
    print_format(out, ",\n\"offset\": \"%s\",\n\"totals\": ", offsets[r->options->offset]);
    totals(out, r, !aggregate_only_counts(a));
    print_string(out, ",\n\"modules\": [");
    for (uint32_t i = 0; i < a->list.module_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        module(out, &a->list.modules[i]);
    }
    print_string(out, "\n],\n\"functions\": [");
    const figure_list figures = figures_of(a, offsetof(figure_row, json));
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        function(out, r, &figures, sorted[i]);
    }
    print_string(out, "\n],\n\"threads\": [");
    threads(out, r, positions);
    print_string(out, "\n],\n\"exceptions\": [");
    exceptions_by_type(out, r);
    print_string(out, "\n],\n\"async\": [");
    async_methods(out, r, positions);
    print_string(out, "\n],\n\"async_tree\": [");
    async_calls(out, r, positions);
    print_string(out, "\n]");
    json_write_calls(out, r, positions);
    switches(out, r);
    leaf_calls(out, r, positions);
    done = objects(out, r, positions) && parts(out, a) && json_write_tests(out, r, positions);
    print_string(out, "\n}\n");
done:
    free(sorted);
    free(positions);
    return done;
}
