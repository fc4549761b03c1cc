#include "report/diff/diff.h"

#include "report/diff/lambdas.h"
#include "report/model/parts.h"
#include "util/hash.h"
#include "util/list.h"
#include "util/text_keep.h"

static double larger(double a, double b) {
    return a > b ? a : b;
}

/* ---- Entries ---------------------------------------------------------------------------------------------------- */

static uint32_t all_runs(const diff *d) {
    return d->runs[0] + d->runs[1];
}

void diff_start(diff *d, uint32_t before, uint32_t after) {
    d->runs[0] = before;
    d->runs[1] = after;
}

/* Room for that many entries, whose values are 0 in the run that is being added. */
static bool make_room(diff *d, diff_table *t, uint32_t count) {
    if (!list_reserve((void **)&t->entries, count, &t->capacity, sizeof *t->entries))
        return false;
    if (!t->values)
        t->values = calloc(all_runs(d), sizeof *t->values);
    return t->values && columns_extend(&t->values[d->added], t->capacity);
}

static bool grow(diff *d, diff_table *t) {
    return t->count < UINT32_MAX - 2 && (t->count < t->capacity || make_room(d, t, t->count + 1));
}

static double value_now(const diff *d, const diff_table *t, uint32_t entry, diff_metric metric) {
    return diff_value(d, t, entry, metric, d->added);
}

/* Sets the value in the run that is being added. */
static void set_value(diff *d, diff_table *t, uint32_t entry, diff_metric metric, double value) {
    uint64_t code;
    if (value < UINT32_MAX && (double)(uint32_t)value == value)
        code = (uint32_t)value;
    else
        memcpy(&code, &value, sizeof code);
    columns_set(&t->values[d->added], (unsigned)metric, entry, code);
}

static void add_value(diff *d, diff_table *t, uint32_t entry, diff_metric metric, double more) {
    if (more > 0)
        set_value(d, t, entry, metric, value_now(d, t, entry, metric) + more);
}

static void raise_value(diff *d, diff_table *t, uint32_t entry, diff_metric metric, double least) {
    if (least > value_now(d, t, entry, metric))
        set_value(d, t, entry, metric, least);
}

/* The method that a run's function is; MAP_NONE when memory ran out. */
static uint32_t function_of(diff *d, const aggregate *run, const report_function *f) {
    bytes assembly = function_assembly(&run->list, f);
    uint64_t hash = diff_hash_of(assembly, f->name);
    uint32_t *slot = map_slot(&d->function_map, hash);
    if (!slot)
        return MAP_NONE;
    uint32_t first = diff_first_named(d, *slot, assembly, f->name);
    if (first != MAP_NONE && d->functions[first].coming != MAP_NONE) {
        uint32_t found = d->functions[first].coming;
        d->functions[first].coming = d->functions[found].next_same;
        d->functions[first].met++;
        return found;
    }
    uint32_t position = d->methods.count;
    diff_function made = {.assembly = assembly,
                          .name = f->name,
                          .parts = f->parts,
                          .ordinal = first == MAP_NONE ? 0 : d->functions[first].met,
                          .next_alike = first == MAP_NONE ? *slot : MAP_NONE,
                          .next_same = MAP_NONE,
                          .met = 1,
                          .coming = MAP_NONE,
                          .last_same = position};
    if (d->methods.count >= FUNCTIONS_MOST ||
        !list_grow((void **)&d->functions, d->methods.count, &d->function_capacity, sizeof *d->functions) ||
        !grow(d, &d->methods) || !text_keep(&d->memory, &made.assembly) || !text_keep(&d->memory, &made.name))
        return MAP_NONE;
    d->methods.count++;
    d->functions[position] = made;
    d->methods.entries[position] = (diff_entry){.function = position, .kind = NODE_CALL};
    if (first == MAP_NONE) {
        *slot = position;
    } else {
        diff_function *head = &d->functions[first];
        d->functions[head->last_same].next_same = position;
        head->last_same = position;
        head->met++;
    }
    return position;
}

static uint32_t path_of(diff *d, uint32_t parent, report_node_kind kind, uint32_t function, uint32_t depth) {
    uint32_t place = kind == NODE_ROOT ? 0 : fold_child(&d->path_fold, parent, (uint32_t)kind << 29 | function);
    if (place == FOLD_NONE || (place == d->paths.count && !grow(d, &d->paths)))
        return MAP_NONE;
    if (place == d->paths.count)
        d->paths.entries[d->paths.count++] =
            (diff_entry){.function = function, .kind = kind, .parent = parent, .depth = depth};
    return place;
}
_Static_assert((int)NODE_ROOT < 8 && FUNCTIONS_MOST < 1 << 29, "a kind has three bits");

report_figure diff_row_of(diff_metric m) {
    static const report_figure rows[DIFF_FIGURES] = {
#define METRIC(ID, field, node_field, name) [DIFF_##ID] = ROW_##ID,
#include "facts/figures.def"
    };
    profile_figure kind = diff_figure_of(m);
    if (kind == FIGURES)
        return rows[m];
    return m == diff_figure(kind, true) ? figure_kinds[kind].all : figure_kinds[kind].own;
}

/* ---- Runs ------------------------------------------------------------------------------------------------------- */

/* What a run has counted, by entry: own figures, and those with all callees. */
typedef struct counted {
    const aggregate *run;
    const uint64_t *own, *all;
    double runs_in;
} counted;

static void add_figures(diff *d, diff_table *t, uint32_t entry, const counted *c) {
    for (profile_figure kind = 0; kind < FIGURES; kind++)
        if (c->run->counted.all[kind] > 0) {
            add_value(d, t, entry, diff_figure(kind, false), (double)c->own[kind] / c->runs_in);
            add_value(d, t, entry, diff_figure(kind, true), (double)c->all[kind] / c->runs_in);
        }
}

/* Adds what async calls took from their start to their end, and what they awaited themselves. */
static void add_awaited(diff *d, const aggregate *run, double runs_in, const uint32_t *functions, const uint64_t *own) {
    for (uint32_t i = 0; i < run->async.method_count; i++) {
        const async_method *m = &run->async.methods[i];
        double wall = run->async.unlinked[m->function] ? 0 : (double)m->figures.wall_ns / runs_in;
        raise_value(d, &d->methods, functions[m->function], DIFF_TAKEN, wall);
    }
    for (uint32_t i = 0; i < run->list.function_count; i++)
        add_value(d, &d->methods, functions[i], DIFF_OWN, (double)own[i] / runs_in);
}

static void see_ticks(diff_entry *e, double pause) {
    e->pause = larger(e->pause, pause);
}

static bool set_place(diff *d, diff_function *function, const report_function *f) {
    const names_method *m = f->names ? &f->names->methods[f->method] : NULL;
    bytes path = m && m->line ? names_text(f->names, m->file) : (bytes){0};
    if (!m || !m->line)
        return true;
    function->line = m->line;
    if (bytes_equal(path, function->path))
        return true;
    function->path = path;
    return text_keep(&d->memory, &function->path);
}

static bool add_methods(diff *d, const aggregate *run, double runs_in, uint32_t *functions) {
    const report_function **sorted = calloc((size_t)run->list.function_count + 1, sizeof *sorted);
    if (!sorted)
        return false;
    for (uint32_t i = 0; i < run->list.function_count; i++)
        sorted[run->list.functions[i].rank] = &run->list.functions[i]; /* equal names by their order in the module */
    for (uint32_t i = 0; i < d->methods.count; i++) {
        d->functions[i].met = 0;
        d->functions[i].coming = i;
    }
    uint32_t *lambdas = d->added >= d->runs[0] && d->runs[0] > 0 ? diff_pair_lambdas(d, run) : NULL;
    bool done = lambdas || d->added < d->runs[0] || d->runs[0] == 0;
    for (uint32_t i = 0; i < run->list.function_count && done; i++) {
        const report_function *f = sorted[i];
        uint32_t at = (uint32_t)(f - run->list.functions);
        uint32_t position = lambdas && lambdas[at] != MAP_NONE ? lambdas[at] : function_of(d, run, f);
        functions[at] = position;
        done = position != MAP_NONE;
        if (!done)
            break;
        done = !d->places || set_place(d, &d->functions[position], f);
        const counted c = {run, f->figures.all, f->all_figures.all, runs_in};
#define METRIC(ID, field, node_field, name) add_value(d, &d->methods, position, DIFF_##ID, (double)f->field / runs_in);
#include "facts/figures.def"
        add_figures(d, &d->methods, position, &c);
        add_value(d, &d->methods, position, DIFF_TAKEN, (double)f->times.inclusive_ns / runs_in);
        add_value(d, &d->methods, position, DIFF_OWN,
                  (double)f->times.exclusive_ns / runs_in + (double)f->waiting_ns / runs_in);
        d->methods.entries[position].seen[d->added >= d->runs[0]] = true;
        see_ticks(&d->methods.entries[position], f->by_ticks ? (double)run->pause_ns / runs_in : 0);
    }
    free(lambdas);
    free(sorted);
    uint64_t *awaiting = done ? parts_awaiting(run) : NULL;
    if (awaiting)
        add_awaited(d, run, runs_in, functions, awaiting);
    free(awaiting);
    return awaiting != NULL;
}

static void add_awaited_of_paths(diff *d, const aggregate *run, double runs_in, const uint32_t *places) {
    const async_tree *async = &run->async;
    for (uint32_t i = 0; i < async->place_count; i++) {
        const async_place *p = &async->places[i];
        if (p->call_node == 0)
            continue;
        add_value(d, &d->paths, places[p->call_node], DIFF_OWN, (double)p->own_awaiting_ns / runs_in);
        raise_value(d, &d->paths, places[p->call_node], DIFF_TAKEN, (double)p->figures.wall_ns / runs_in);
    }
}

static bool add_paths(diff *d, const aggregate *run, double runs_in, const uint32_t *functions) {
    uint32_t *places = calloc((size_t)run->tree.node_count + 1, sizeof *places);
    if (!places)
        return false;
    bool done = true;
    for (uint32_t i = 0; i < run->tree.node_count && done; i++) {
        const report_node its = call_tree_node(&run->tree, i), *n = &its;
        bool called = n->kind == NODE_CALL || n->kind == NODE_RESUMED;
        places[i] = path_of(d, i == 0 ? 0 : places[n->parent], n->kind, called ? functions[n->function] : 0, n->depth);
        done = places[i] != MAP_NONE;
        if (!done)
            break;
        const counted c = {run, n->figures.all, n->all_figures.all, runs_in};
#define METRIC(ID, field, node_field, name)                                                                            \
    add_value(d, &d->paths, places[i], DIFF_##ID, (double)n->node_field / runs_in);
#include "facts/figures.def"
        add_figures(d, &d->paths, places[i], &c);
        add_value(d, &d->paths, places[i], DIFF_TAKEN, (double)n->times.inclusive_ns / runs_in);
        add_value(d, &d->paths, places[i], DIFF_OWN, (double)n->times.exclusive_ns / runs_in);
        if (n->kind == NODE_WAITING)
            add_value(d, &d->paths, places[n->parent], DIFF_OWN, (double)n->times.inclusive_ns / runs_in);
        d->paths.entries[places[i]].seen[d->added >= d->runs[0]] = true;
        see_ticks(&d->paths.entries[places[i]], n->ticked_calls > 0 ? (double)run->pause_ns / runs_in : 0);
    }
    if (done)
        add_awaited_of_paths(d, run, runs_in, places);
    free(places);
    return done;
}

/* Those that the governor switched off have no figures in this run. */
static bool add_switches(diff *d, const aggregate *run) {
    for (uint32_t i = 0; i < run->switch_count; i++) {
        const report_switch *s = &run->switches[i];
        if (!s->function.wanted || !(s->of.reasons & PROFILE_BY_GOVERNOR))
            continue;
        uint32_t position = function_of(d, run, &s->function);
        if (position == MAP_NONE)
            return false;
        d->switched += !d->functions[position].switched;
        d->functions[position].switched = true;
    }
    return true;
}

/* Those that a price left out have no figures; the names say how many they are. */
static uint64_t left_out_for_price(const aggregate *run) {
    static const char reason[] = "called too often";
    uint64_t count = 0;
    for (uint32_t i = 0; i < run->list.module_count; i++) {
        const report_module *m = &run->list.modules[i];
        for (uint32_t k = 0; m->named && k < m->names->left_out_count; k++) {
            const names_left_out *l = &m->names->left_out[k];
            if (l->reason.size >= sizeof reason - 1 && memcmp(l->reason.data, reason, sizeof reason - 1) == 0)
                count = profile_add(count, l->count);
        }
    }
    return count;
}

bool diff_add(diff *d, const aggregate *run, uint64_t runs_in) {
    uint32_t *functions = calloc((size_t)run->list.function_count + 1, sizeof *functions);
    bool done = functions && fold_start(&d->path_fold) && make_room(d, &d->methods, run->list.function_count) &&
                add_methods(d, run, (double)runs_in, functions) && add_switches(d, run);
    if (done && !d->methods_only)
        done = make_room(d, &d->paths, run->tree.node_count) && add_paths(d, run, (double)runs_in, functions) &&
               !d->paths.values[d->added].failed;
    free(functions);
    done = done && !d->methods.values[d->added].failed;
    d->untimed |= aggregate_only_counts(run);
    uint64_t *priced = &d->priced[d->added >= d->runs[0]];
    const uint64_t left_out = left_out_for_price(run);
    *priced = left_out > *priced ? left_out : *priced;
    for (int kind = 0; kind < FIGURES; kind++)
        d->without[kind] |= run->counted.all[kind] < runs_in;
    d->added++;
    return done;
}

/* ---- Arithmetic: without the mathematical library, which would be loaded at every start -------------------------- */

/* By Newton's method, from above. */
static double root(double x) {
    double r = larger(x, 1);
    while (x > 0) {
        double next = (r + x / r) / 2;
        if (next >= r)
            return r;
        r = next;
    }
    return 0;
}

#define LN_2 0.6931471805599453

/* For x >= 1. */
static double logarithm(double x) {
    double exponent = 0, sum = 0;
    for (; x >= 2; x /= 2)
        exponent++;
    double part = (x - 1) / (x + 1), power = part;
    for (int i = 1; i < 40; i += 2, power *= part * part)
        sum += power / i;
    return exponent * LN_2 + 2 * sum;
}

static double exponential(double x) {
    double scale = 1, sum = 1, term = 1;
    for (; x > LN_2; x -= LN_2)
        scale *= 2;
    for (; x < -LN_2; x += LN_2)
        scale /= 2;
    for (int i = 1; i < 24; i++)
        sum += term *= x / i;
    return scale * sum;
}

/* ---- Judging ---------------------------------------------------------------------------------------------------- */

/* The same of the normal distribution. */
#define NORMAL_99 2.576

/* Student's t, 99.5 %: two-sided 99 %. Between two rows the one with fewer degrees of freedom counts. */
static double quantile(uint32_t freedom) {
    static const struct {
        uint32_t freedom;
        double t;
    } rows[] = {{1, 63.657}, {2, 9.925},  {3, 5.841},  {4, 4.604},  {5, 4.032},  {6, 3.707},  {7, 3.499},  {8, 3.355},
                {9, 3.250},  {10, 3.169}, {11, 3.106}, {12, 3.055}, {13, 3.012}, {14, 2.977}, {15, 2.947}, {16, 2.921},
                {18, 2.878}, {20, 2.845}, {25, 2.787}, {30, 2.750}, {40, 2.704}, {60, 2.660}, {120, 2.617}};
    size_t i = 0;
    while (i + 1 < sizeof rows / sizeof rows[0] && rows[i + 1].freedom <= freedom)
        i++;
    return rows[i].t;
}

typedef struct moments {
    double mean[2];
    double least[2], most[2];
    double log[2];  /* means of the logarithms */
    double squares; /* of their distances from these */
} moments;

static moments moments_of(const diff *d, const diff_table *t, uint32_t entry, diff_metric metric) {
    const bool timed = diff_is_time(metric); /* logarithms are of times alone */
    moments m = {.squares = 0};
    for (int side = 0; side < 2; side++) {
        uint32_t first = side == 0 ? 0 : d->runs[0], count = d->runs[side];
        m.least[side] = m.most[side] = diff_value(d, t, entry, metric, first);
        double sum = 0, logs = 0;
        for (uint32_t i = 0; i < count; i++) {
            double value = diff_value(d, t, entry, metric, first + i);
            sum += value;
            logs += timed ? logarithm(value + 1) : 0;
            m.least[side] = value < m.least[side] ? value : m.least[side];
            m.most[side] = larger(m.most[side], value);
        }
        m.mean[side] = sum / count;
        m.log[side] = logs / count;
        for (uint32_t i = 0; i < count && timed && count > 1; i++) {
            double away = logarithm(diff_value(d, t, entry, metric, first + i) + 1) - m.log[side];
            m.squares += away * away;
        }
    }
    return m;
}

static uint32_t freedom(const diff *d) {
    return all_runs(d) - 2;
}

/* The spread within the sides, drawn towards the typical one. */
static double spread_of(const diff *d, const moments *m, diff_metric metric) {
    double usual = d->spread[metric];
    return root((m->squares + DIFF_PRIOR * usual * usual) / (freedom(d) + DIFF_PRIOR));
}

/* Of the logarithm of the mean of a side, as a square: what ticks that come by chance add to one run's. */
static double by_chance(const diff_entry *e, double mean) {
    return e->pause > 0 ? e->pause / larger(mean, e->pause) : 0;
}

/* What is noise of the logarithm of a mean after, compared with that before from side 0, or alone from side 1. */
static double noise_of(const diff *d, const diff_entry *e, const moments *m, diff_metric metric, int side) {
    const bool known = diff_knows_noise(d);
    const double spread = known ? spread_of(d, m, metric) : 0;
    double sum = 0;
    for (; side < 2; side++)
        sum += larger(spread * spread, by_chance(e, m->mean[side])) / d->runs[side];
    return (known ? quantile(freedom(d) + DIFF_PRIOR) : NORMAL_99) * root(sum);
}

diff_change diff_of(const diff *d, const diff_table *t, uint32_t entry, diff_metric metric) {
    const diff_entry *e = &t->entries[entry];
    moments m = moments_of(d, t, entry, metric);
    diff_change c = {.before = m.mean[0],
                     .after = m.mean[1],
                     .change = m.mean[1] - m.mean[0],
                     .least = {m.least[0], m.least[1]},
                     .most = {m.most[0], m.most[1]}};
    if (diff_is_time(metric)) {
        const double factor = m.log[1] - m.log[0], noise = noise_of(d, e, &m, metric, 0);
        c.verdict = factor > noise ? DIFF_MORE : factor < -noise ? DIFF_LESS : DIFF_SAME;
        c.noise = exponential(noise) - 1;
        c.least_change = noise == 0     ? c.change
                         : c.before > 0 ? c.before * (exponential(factor - noise) - 1)
                                        : c.after * exponential(-noise);
    } else {
        c.verdict = m.least[1] > m.most[0] ? DIFF_MORE : m.most[1] < m.least[0] ? DIFF_LESS : DIFF_SAME;
    }
    if (!e->seen[0])
        c.verdict = DIFF_NEW;
    else if (!e->seen[1])
        c.verdict = DIFF_GONE;
    return c;
}

double diff_weight(const diff_change *c) {
    double size = c->change < 0 ? -c->change : c->change, most = larger(c->before, c->after);
    return most > 0 ? size * size / most : 0;
}

double diff_least_after(const diff *d, const diff_table *t, uint32_t entry, diff_metric metric) {
    moments m = moments_of(d, t, entry, metric);
    if (!diff_is_time(metric))
        return m.least[1];
    return m.mean[1] * exponential(-noise_of(d, &t->entries[entry], &m, metric, 1));
}

typedef struct weighed {
    double spread, weight;
} weighed;

static int by_spread(const void *left, const void *right) {
    double a = ((const weighed *)left)->spread, b = ((const weighed *)right)->spread;
    return a < b ? -1 : a > b;
}

/* Half of the time of the methods that are on both sides has no larger one. */
static double typical(const diff *d, diff_metric metric, weighed *spreads) {
    double whole = 0, passed = 0;
    size_t count = 0;
    for (uint32_t i = 0; i < d->methods.count; i++) {
        moments m = moments_of(d, &d->methods, i, metric);
        double weight = m.mean[0] + m.mean[1];
        if (!d->methods.entries[i].seen[0] || !d->methods.entries[i].seen[1] || weight <= 0)
            continue;
        spreads[count++] = (weighed){root(m.squares / freedom(d)), weight};
        whole += weight;
    }
    if (count > 0)
        qsort(spreads, count, sizeof *spreads, by_spread);
    for (size_t i = 0; i < count; i++) {
        passed += spreads[i].weight;
        if (passed >= whole / 2)
            return spreads[i].spread;
    }
    return 0;
}

diff_verdict diff_judged(const diff *d, const diff_change *time) {
    double size = time->change < 0 ? -time->change : time->change;
    if (diff_knows_noise(d) || time->verdict == DIFF_NEW || time->verdict == DIFF_GONE)
        return time->verdict;
    bool small = size < DIFF_LEAST_OF_OWN * time->before || size < DIFF_LEAST_OF_WHOLE * d->whole;
    return small ? DIFF_SAME : time->verdict;
}

bool diff_judge(diff *d) {
    double sums[2] = {0, 0};
    for (uint32_t i = 0; i < d->methods.count; i++) {
        diff_change own = diff_of(d, &d->methods, i, DIFF_OWN);
        sums[0] += own.before;
        sums[1] += own.after;
    }
    d->whole = larger(sums[0], sums[1]);
    if (!diff_knows_noise(d))
        return true;
    weighed *spreads = calloc((size_t)d->methods.count + 1, sizeof *spreads);
    if (!spreads)
        return false;
    for (int metric = 0; metric < DIFF_METRICS; metric++)
        if (diff_is_time((diff_metric)metric))
            d->spread[metric] = typical(d, (diff_metric)metric, spreads);
    free(spreads);
    return true;
}

static void clear_table(diff_table *t, uint32_t runs) {
    for (uint32_t i = 0; i < runs && t->values; i++)
        columns_clear(&t->values[i]);
    free(t->values);
    free(t->entries);
}

void diff_clear(diff *d) {
    free(d->functions);
    clear_table(&d->methods, all_runs(d));
    clear_table(&d->paths, all_runs(d));
    map_clear(&d->function_map);
    fold_clear(&d->path_fold);
    arena_clear(&d->memory);
    *d = DIFF_INIT;
}
