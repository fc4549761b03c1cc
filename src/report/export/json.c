#include "report/export/json.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "report/model/parts.h"
#include "report/model/rows.h"

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
    if (trust == TIMES_AT_MOST)
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

static void costs_fields(printer *out, const profile_costs *c) {
    print_format(out, "{\"inside_empty_ps\": %" PRIu64, c->inside_empty_ps);
    number_field(out, "outside_empty_ps", c->outside_empty_ps);
    number_field(out, "inside_work_ps", c->inside_work_ps);
    number_field(out, "outside_work_ps", c->outside_work_ps);
    number_field(out, "outside_last_ps", c->outside_last_ps);
}

static void costs(printer *out, const char *name, const profile_costs *c) {
    key(out, name);
    if (!profile_costs_known(c)) {
        print_string(out, "null");
        return;
    }
    costs_fields(out, c);
    print_string(out, "}");
}

static void calibration(printer *out, const profile_run *run) {
    key(out, "calibration");
    if (!profile_is_calibrated(run)) {
        print_string(out, "null");
        return;
    }
    costs_fields(out, &run->quiet);
    number_field(out, "clock_read_ps", run->clock_read_ps);
    number_field(out, "calibrations", run->calibrations);
    costs(out, "mean", &run->mean);
    costs(out, "high", &run->high);
    print_string(out, "}");
}

static void machine(printer *out, const profile_conditions *m) {
    const struct {
        const char *name;
        uint64_t value;
    } fields[] = {
        {"cpu_ns", m->cpu_ns},
        {"ready_ns", m->ready_ns},
        {"ran_ns", m->ran_ns},
        {"slices", m->slices},
        {"stolen_permille", m->stolen_permille},
        {"load_permille", m->load_permille},
        {"processors", m->processors},
        {"jit_methods", m->jit_methods},
        {"jit_ns", m->jit_ns},
        {"collections", m->collections},
        {"collection_ns", m->collection_ns},
        {"tracker_ns", m->tracker_ns},
    };
    enum { FIELDS = sizeof fields / sizeof fields[0] };
    bool known = false;
    for (unsigned i = 0; i < FIELDS; i++)
        known |= fields[i].value != 0;
    key(out, "machine");
    for (unsigned i = 0; i < FIELDS && known; i++)
        print_format(out, "%s\"%s\": %" PRIu64, i == 0 ? "{" : ", ", fields[i].name, fields[i].value);
    print_string(out, known ? "}" : "null");
}

static void governor(printer *out, const profile_governor *g) {
    if (g->percent == 0)
        return;
    key(out, "governor");
    print_format(out, "{\"percent\": %" PRIu64 ", \"call_ps\": %" PRIu64, g->percent, g->call_ps);
    print_format(out, ", \"permille\": %" PRIu64 ", \"settled_permille\": ", g->permille);
    if (g->settled > 0)
        print_format(out, "%" PRIu64 "}", g->settled - 1);
    else
        print_string(out, "null}");
}

static void optional_field(printer *out, const char *name, bool known, uint64_t value) {
    key(out, name);
    if (known)
        print_number(out, value);
    else
        print_string(out, "null");
}

static void run(printer *out, const profile *p, const profile_run *run) {
    print_string(out, "{\"name\": ");
    print_json(out, run->name);
    number_field(out, "pid", run->pid);
    string_field(out, "host", run->host);
    number_field(out, "start_ns", run->start_ns);
    number_field(out, "wall_ns", profile_ns(run, run->wall_ticks));
    string_field(out, "clock", run->clock);
    if (run->clock_step_ns > 0)
        number_field(out, "clock_step_ns", run->clock_step_ns);
    if (run->only_counts || run->mixed)
        print_format(out, ", \"mode\": \"%s\"", run->mixed ? "mixed" : "counts");
    if (run->bytes_counted + run->bytes_missing > 0)
        print_format(out, ", \"bytes\": \"%s\"", run->bytes_counted > 0 ? "counted" : "missing");
    calibration(out, run);
    machine(out, &run->machine);
    governor(out, &run->governor);
    string_field(out, "runtime", run->runtime);
    string_field(out, "reason", run->reason);
    string_field(out, "tracker", run->tracker);
    string_field(out, "file", bytes_of(p->file, strlen(p->file)));
    print_string(out, "}");
}

/* For a merged profile those that it lists; where there is one, the number of all is reported. */
static void print_runs(printer *out, const report *r) {
    uint64_t all = 0;
    bool first = true, merged = false;
    for (size_t i = 0; i < r->profile_count; i++) {
        const profile *p = &r->profiles[i];
        all = profile_add(all, profile_runs_in(&p->run));
        merged |= p->run.merged != 0;
        for (uint32_t k = 0; k < (p->run.merged ? p->runs.count : 1); k++) {
            print_string(out, first ? "\n" : ",\n");
            first = false;
            run(out, p, p->run.merged ? &p->runs.listed[k] : &p->run);
        }
    }
    print_string(out, "\n]");
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
        if (r->sum->counted[kind] > 0)
            figure_field(out, "exclusive", kind, t->figures[kind]);
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

static void function(printer *out, const aggregate *a, const figure_list *figures, const report_function *f) {
    if (f->module == NO_MODULE)
        print_string(out, "{\"module\": -1");
    else
        print_format(out, "{\"module\": %" PRIu32, f->module);
    key(out, "token");
    if (f->row && !f->scope && !f->leaf)
        print_format(out, "\"0x%08" PRIx32 "\"", 0x06000000u + f->row);
    else
        print_string(out, "null");
    string_field(out, "name", function_plain_name(f));
    string_field(out, "type", (bytes){f->name.data, f->parts.type_bytes});
    string_field(out, "method", (bytes){f->name.data + f->parts.method, f->parts.suffix - f->parts.method});
    if (f->leaf || f->command) {
        key(out, f->leaf ? "leaf" : "command");
        print_string(out, "true");
        key(out, "part");
        print_format(out, "\"%s\"", leaf_part_name(f->part));
    }
    key(out, "machine");
    if (f->machine == PROFILE_PLAIN)
        print_string(out, "null");
    else
        print_format(out, "\"%s\"", report_machine_name(f->machine));
    report_row row;
    row_of_function(&row, f);
    for (size_t i = 0; i < figures->count; i++) {
        row_value v = figure_value(a, &row, figures->ids[i]);
        function_field(out, &figure_rows[figures->ids[i]], &v);
    }
    print_string(out, "}");
}

/* `positions`: of the functions. `i`: the node. */
static void node(printer *out, const report *r, const profile_run *run, const matched_thread *t, uint32_t i,
                 const uint32_t *positions) {
    const profile_node *n = &t->corrected.t.nodes[i];
    const matched_node *means = &t->nodes[i];
    print_string(out, "{\"function\": ");
    if (means->function == FUNCTION_ROOT || means->function == FUNCTION_FOLDED)
        print_signed(out, means->function == FUNCTION_ROOT ? -1 : -2);
    else
        print_number(out, positions[means->function]);
    number_field(out, "depth", n->depth);
    number_field(out, "calls", means->machine ? 0 : n->calls);
    number_field(out, "steps", means->machine ? n->calls : 0);
    times_fields(out, &t->corrected.timings[i].times, whole_of(r->sum));
    waiting_field(out, t->corrected.timings[i].blocked_ns);
    figure_fields(out, run->counted, n->figures, n->all_figures);
    optional_field(out, "min_ns", n->min_ticks <= n->max_ticks, profile_ns(run, n->min_ticks));
    optional_field(out, "max_ns", n->min_ticks <= n->max_ticks, profile_ns(run, n->max_ticks));
    number_field(out, "by_exception", n->by_exception);
    number_field(out, "resynchronised", n->resynchronised);
    number_field(out, "open", n->open);
    print_string(out, "}");
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
        [PROFILE_CAUGHT] = "caught",
        [PROFILE_CAUGHT_BELOW] = "caught below",
        [PROFILE_LEFT_THREAD] = "left thread",
        [PROFILE_REPLACED] = "replaced",
        [PROFILE_STORED] = "stored",
        [PROFILE_ON_ITS_WAY] = "on its way",
        [PROFILE_CAUGHT_AGAIN] = "caught again",
        [PROFILE_STORED_AGAIN] = "stored again",
        [PROFILE_LEFT_AGAIN] = "left thread again",
        [PROFILE_HELD] = "held",
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
    key(out, "tree");
    for (uint32_t i = 0; i < t->node_count; i++) {
        print_string(out, i == 0 ? "[\n" : ",\n");
        node(out, r, run, matched, i, positions);
    }
    print_string(out, "\n], \"exceptions\": [");
    for (uint32_t i = 0; i < t->path_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        path(out, run, t, &t->paths[i]);
    }
    print_string(out, t->path_count ? "\n]}" : "]}");
}

static void threads(printer *out, const report *r, const uint32_t *positions) {
    bool first = true;
    size_t run = 0; /* of the profile */
    for (size_t i = 0; i < r->profile_count; i++) {
        const profile *p = &r->profiles[i];
        for (size_t k = 0; k < r->matched[i].thread_count; k++) {
            print_string(out, first ? "\n" : ",\n");
            first = false;
            thread(out, r, &p->run, run, &r->matched[i].threads[k], positions);
        }
        run += p->run.merged ? p->runs.count : 1;
    }
}

/* Types alone; the paths are those of the threads. */
static void exceptions_by_type(printer *out, const exceptions *e) {
    bool first = true;
    for (uint32_t i = e->node_count ? e->nodes[0].first_child : 0; i != 0; i = e->nodes[i].next_sibling) {
        const exception_figures *f = &e->nodes[i].figures;
        print_string(out, first ? "\n" : ",\n");
        first = false;
        type_field(out, e->types[e->nodes[i].value].name);
        number_field(out, "count", f->count);
        number_field(out, "ns", f->ns);
        number_field(out, "average_ns", f->count ? f->ns / f->count : 0);
        number_field(out, "search_ns", f->search_ns);
        number_field(out, "searched", f->searched);
        number_field(out, "unwound", f->unwound);
        print_string(out, "}");
    }
}

static void async_fields(printer *out, const async_figures *f) {
    number_field(out, "calls", f->calls);
    number_field(out, "completed", f->completed);
    number_field(out, "failed", f->failed);
    number_field(out, "cancelled", f->cancelled);
    number_field(out, "open", async_open(f));
    number_field(out, "suspensions", f->suspensions);
    number_field(out, "running_ns", f->running_ns);
    number_field(out, "awaiting_ns", f->awaiting_ns);
    number_field(out, "wall_ns", f->wall_ns);
    bool has_average = f->unlinked == 0 && async_ended(f) > 0;
    optional_field(out, "average_ns", has_average, has_average ? async_average(f) : 0);
    number_field(out, "unlinked", f->unlinked);
    print_string(out, "}");
}

static void async_methods(printer *out, const async_tree *tree, const uint32_t *positions) {
    for (uint32_t i = 0; i < tree->method_count; i++) {
        print_format(out, "%s{\"function\": %" PRIu32, i == 0 ? "\n" : ",\n", positions[tree->methods[i].function]);
        async_fields(out, &tree->methods[i].figures);
    }
}

static void async_calls(printer *out, const async_tree *tree, const uint32_t *positions) {
    uint32_t node = tree->node_count ? tree->nodes[0].first_child : 0;
    for (bool first = true; node != 0; first = false) {
        const async_node *n = &tree->nodes[node];
        print_format(out, "%s{\"function\": %" PRIu32, first ? "\n" : ",\n", positions[n->function]);
        number_field(out, "depth", n->depth);
        async_fields(out, &n->figures);
        if (n->first_child != 0) {
            node = n->first_child;
            continue;
        }
        while (node != 0 && tree->nodes[node].next_sibling == 0)
            node = tree->nodes[node].parent;
        node = tree->nodes[node].next_sibling;
    }
}

/* Absent when there are none. */
static void switches(printer *out, const aggregate *a) {
    for (uint32_t i = 0; i < a->switch_count; i++) {
        const report_switch *s = &a->switches[i];
        print_string(out, i == 0 ? ",\n\"switched\": [\n" : ",\n");
        print_string(out, "{\"name\": ");
        print_json(out, function_plain_name(&s->function));
        number_field(out, "run", s->run);
        number_field(out, "calls", s->of.calls);
        number_field(out, "at_ns", s->of.at_ns);
        key(out, "off_by_governor");
        print_string(out, s->of.reasons & PROFILE_BY_GOVERNOR ? "true" : "false");
        key(out, "off_by_user");
        print_string(out, s->of.reasons & PROFILE_BY_USER ? "true}" : "false}");
    }
    if (a->switch_count > 0)
        print_string(out, "\n]");
}

/* The places that allocated objects, most first; absent where nobody has counted. */
static bool objects(printer *out, const aggregate *a, const uint32_t *positions) {
    const report_site **sorted = a->objects_counted > 0 ? sites_sorted(&a->sites, a->functions) : NULL;
    if (!sorted)
        return a->objects_counted == 0;
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
        print_string(out, "}");
    }
    print_string(out, "\n]");
    free(sorted);
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
            if (a->counted[kind] > 0)
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

bool json_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    const report_function **sorted = report_sorted(a, ILJ_SORT_EXCLUSIVE);
    uint32_t *positions = calloc((size_t)a->function_count + 1, sizeof *positions);
    bool done = sorted && positions;
    if (!done)
        goto done;
    for (uint32_t i = 0; i < a->function_count; i++)
        positions[sorted[i] - a->functions] = i;

    print_string(out, "{\n\"format\": \"ilinject-profile\",\n\"version\": 1,\n\"runs\": [");
    print_runs(out, r);
    print_format(out, ",\n\"offset\": \"%s\",\n\"totals\": ", offsets[r->options->offset]);
    totals(out, r, !aggregate_only_counts(a));
    print_string(out, ",\n\"modules\": [");
    for (uint32_t i = 0; i < a->module_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        module(out, &a->modules[i]);
    }
    print_string(out, "\n],\n\"functions\": [");
    const figure_list figures = figures_of(a, offsetof(figure_row, json));
    for (uint32_t i = 0; i < a->function_count; i++) {
        print_string(out, i == 0 ? "\n" : ",\n");
        function(out, a, &figures, sorted[i]);
    }
    print_string(out, "\n],\n\"threads\": [");
    threads(out, r, positions);
    print_string(out, "\n],\n\"exceptions\": [");
    exceptions_by_type(out, &a->exceptions);
    print_string(out, "\n],\n\"async\": [");
    async_methods(out, &a->async, positions);
    print_string(out, "\n],\n\"async_tree\": [");
    async_calls(out, &a->async, positions);
    print_string(out, "\n]");
    json_write_calls(out, r, positions);
    switches(out, a);
    done = objects(out, a, positions) && parts(out, a);
    print_string(out, "\n}\n");
done:
    free(sorted);
    free(positions);
    return done;
}
