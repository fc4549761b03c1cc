#include "report/report.h"

#include <stdlib.h>

#include "choice/suggest.h"
#include "context.h"
#include "os.h"
#include "report/cut.h"
#include "report/timeline.h"
#include "report/waiting.h"

static ecma_status write_report(const report *r, ilj_write_fn *write, void *user, diag *d) {
    printer *out = calloc(1, sizeof *out);
    if (!out)
        return diag_no_memory(d);
    out->write = write;
    out->user = user;
    out->color = r->options->color;
    bool done = report_formats[r->options->format].write(out, r) && !out->no_memory;
    bool written = print_flush(out);
    free(out);
    return !done ? diag_no_memory(d) : written ? ECMA_OK : ECMA_IO;
}

/* A profile while it is being read, and as long as its tree is needed. */
typedef struct source {
    profile p;
    os_map map;
} source;

/* Reads the `run`th profile and, unless one before was bad, adds it. It is kept only when that is wanted. */
typedef enum keeping { KEEP_RUN, KEEP_CALLS, KEEP_ALL } keeping; /* CALLS: all of one that has calls with values */
static ecma_status add_source(aggregate *sum, source *s, const report_input *input, uint32_t run, bool add,
                              keeping keep) {
    bytes content = input->content;
    ecma_status status = ECMA_OK;
    if (input->at_path) {
        status = os_map_file(&s->map, input->d, input->d->file);
        content = s->map.content;
    }
    if (status == ECMA_OK)
        status = profile_read(&s->p, content, input->d);
    if (status == ECMA_OK && add)
        status = aggregate_profile(sum, &s->p, run, input->d);
    if (status == ECMA_OK && add && (keep == KEEP_ALL || (keep == KEEP_CALLS && s->p.calls.count > 0)))
        return status;
    if (status == ECMA_OK && !profile_keep_run(&s->p))
        status = diag_no_memory(input->d);
    os_unmap(&s->map);
    return status;
}

/* One report's profiles, and what they come to. */
typedef struct gathered {
    aggregate sum;
    source *sources;
    profile *profiles;
    size_t count;
} gathered;

static void gathered_clear(gathered *g) {
    aggregate_clear(&g->sum);
    for (size_t i = 0; i < g->count && g->sources && g->profiles; i++) {
        profile_clear(&g->profiles[i]);
        os_unmap(&g->sources[i].map);
    }
    free(g->sources);
    free(g->profiles);
}

static bool any_timeline(const gathered *g) {
    for (size_t i = 0; i < g->count; i++)
        if (timeline_is_recorded(&g->profiles[i]))
            return true;
    return false;
}

static ecma_status gather(gathered *g, const report_input *inputs, size_t count, const ilj_report_options *options) {
    const report_format *format = &report_formats[options->format];
    *g = (gathered){.sum = AGGREGATE_INIT, .count = count};
    g->sources = calloc(count, sizeof *g->sources);
    g->profiles = calloc(count, sizeof *g->profiles);
    aggregate *sum = &g->sum;
    sum->raw_names = options->raw_names;
    sum->by_thread = options->threads || options->by == ILJ_BY_THREAD || format->threads;
    sum->as_called = format->as_called;
    sum->offset = options->offset;
    ecma_status status = g->sources && g->profiles ? ECMA_OK : diag_no_memory(inputs[0].d);
    if (status == ECMA_OK)
        status = text_check_columns(options->columns, inputs[0].d);
    if (status == ECMA_OK)
        status = filter_compile(&sum->filter, options->patterns, options->pattern_count, &sum->memory, inputs[0].d);
    if (status != ECMA_OK)
        return status; /* nothing is read */
    /* All are read, so that each bad one is told; the first failure counts. */
    for (size_t i = 0; i < count && g->sources && g->profiles; i++) {
        ecma_status one = add_source(sum, &g->sources[i], &inputs[i], (uint32_t)i, status == ECMA_OK,
                                     format->profiles || options->view == ILJ_VIEW_CALLS ? KEEP_ALL
                                     : format->calls                                     ? KEEP_CALLS
                                                                                         : KEEP_RUN);
        g->profiles[i] = g->sources[i].p;
        if (status == ECMA_OK)
            status = one;
    }
    if (status == ECMA_OK && sum->offset == ILJ_OFFSET_CALIBRATED)
        waiting_widen(sum, g->profiles, count);
    if (status == ECMA_OK)
        status = aggregate_finish(sum, inputs[0].d);
    if (status == ECMA_OK && format->timeline && !any_timeline(g))
        status =
            diag_report(inputs[0].d, DIAG_NO_TIMELINE,
                        "it has no timeline, which this format is made of: run the program with ILINJECT_TIMELINE=1");
    if (status == ECMA_OK && format->cut && !cut_deep(sum))
        status = diag_no_memory(inputs[0].d);
    return status;
}

ecma_status report_run(const report_input *inputs, size_t count, const ilj_report_options *options, ilj_write_fn *write,
                       void *user) {
    if (options->format == ILJ_REPORT_SUGGESTIONS && options->overhead)
        return suggest_run(inputs, count, options->overhead, write, user);
    size_t before_count = options->before_count, now_count = count - before_count;
    gathered now, before = {.sum = AGGREGATE_INIT};
    ecma_status status = gather(&now, inputs, now_count, options), of_before = ECMA_OK;
    if (before_count > 0)
        of_before = gather(&before, inputs + now_count, before_count, options);
    if (status == ECMA_OK)
        status = of_before;
    if (status == ECMA_OK) {
        report then = {
            .sum = &before.sum, .profiles = before.profiles, .profile_count = before_count, .options = options};
        report r = {&now.sum, now.profiles, now_count, before_count > 0 ? &then : NULL, options};
        status = write_report(&r, write, user, inputs[0].d);
    }
    gathered_clear(&now);
    gathered_clear(&before);
    return status;
}

typedef struct sorted_function {
    const report_function *f;
    int64_t key;
} sorted_function;

static int by_key(const void *left, const void *right) {
    const sorted_function *a = left, *b = right;
    if (a->key != b->key)
        return a->key > b->key ? -1 : 1;
    return a->f->rank < b->f->rank ? -1 : a->f->rank > b->f->rank;
}

static int64_t key_of(const aggregate *a, const report_function *f, ilj_sort_key key) {
    if (aggregate_only_counts(a) && key != ILJ_SORT_NAME)
        key = ILJ_SORT_CALLS;
    switch (key) {
    case ILJ_SORT_EXCLUSIVE:
        return report_certain_exclusive(a, &f->times);
    case ILJ_SORT_INCLUSIVE:
        return report_certain_inclusive(a, &f->times);
    case ILJ_SORT_CALLS:
        return (int64_t)f->calls;
    case ILJ_SORT_AVERAGE:
        return f->calls ? report_certain_inclusive(a, &f->times) / (int64_t)f->calls : 0;
    case ILJ_SORT_MAX:
        return durations_has_span(&f->durations) ? (int64_t)f->durations.max_ns : -1;
    case ILJ_SORT_NAME:
        break;
    }
    return 0;
}

const report_function **report_sorted(const aggregate *a, ilj_sort_key key) {
    sorted_function *keys = calloc((size_t)a->function_count + 1, sizeof *keys);
    const report_function **sorted = calloc((size_t)a->function_count + 1, sizeof *sorted);
    if (keys && sorted) {
        for (uint32_t i = 0; i < a->function_count; i++)
            keys[i] = (sorted_function){&a->functions[i], key_of(a, &a->functions[i], key)};
        qsort(keys, a->function_count, sizeof *keys, by_key);
        for (uint32_t i = 0; i < a->function_count; i++)
            sorted[i] = keys[i].f;
    } else {
        free(sorted);
        sorted = NULL;
    }
    free(keys);
    return sorted;
}

const char *report_machine_name(uint32_t machine) {
    static const char *const names[] = {
        [PROFILE_PLAIN] = "",
        [PROFILE_ITERATOR] = "iterator",
        [PROFILE_ASYNC] = "async",
        [PROFILE_ASYNC_ITERATOR] = "async iterator",
        [PROFILE_RUNTIME_ASYNC] = "runtime async",
    };
    return names[machine];
}

ilj_status ilj_report(ilj_context *context, const char *const *profiles, size_t profile_count,
                      const ilj_report_options *options, ilj_write_fn *write, void *user) {
    diag none = context_diag(context, "");
    if (profile_count == 0)
        return status_of(diag_report(&none, DIAG_NO_PROFILE, "no profile was given"));
    size_t count = profile_count + options->before_count;
    diag *diags = calloc(count, sizeof *diags);
    report_input *inputs = calloc(count, sizeof *inputs);
    ecma_status status = diags && inputs ? ECMA_OK : diag_no_memory(&none);
    for (size_t i = 0; i < count && status == ECMA_OK; i++) {
        diags[i] = context_diag(context, i < profile_count ? profiles[i] : options->before[i - profile_count]);
        inputs[i] = (report_input){.d = &diags[i], .at_path = true};
    }
    if (status == ECMA_OK)
        status = report_run(inputs, count, options, write, user);
    free(diags);
    free(inputs);
    return status_of(status);
}
