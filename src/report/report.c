#include "report/report.h"

#include <stdlib.h>
#include <string.h>

#include "input/context.h"
#include "platform/os.h"
#include "report/choice_file.h"
#include "report/export/table_rows.h"
#include "report/formats.h"
#include "report/model/bounds.h"
#include "report/model/cut.h"
#include "report/model/timeline.h"
#include "report/model/trend.h"
#include "report/questions.h"
#include "report/text/text.h"
#include "report/where.h"
#include "report/work.h"

static ecma_status write_report(const report *r, ilj_write_fn *write, void *user, diag *d) {
    printer *out = calloc(1, sizeof *out);
    if (!out)
        return diag_no_memory(d);
    out->write = write;
    out->user = user;
    out->color = r->options->color;
    const report_format *format = &report_formats[r->options->format];
    ecma_status status = ECMA_OK;
    if (format->make)
        status = format->make(out, r, d);
    else if (!format->write(out, r) || out->no_memory)
        status = diag_no_memory(d);
    if (!print_flush(out) && !status)
        status = ECMA_IO;
    free(out);
    return status;
}

/* A profile while it is being read, and as long as its tree is needed. */
typedef struct source {
    profile p;
    os_map map;
} source;

/* Reads the `run`th profile and, unless one before was bad, adds it (`matched` not NULL). It is kept only when that is
 * wanted. */
typedef enum keeping {
    KEEP_RUN,
    KEEP_CALLS, /* all of one that has calls with values, or a timeline */
    KEEP_ALL
} keeping;
static ecma_status add_source(aggregate *sum, source *s, const report_input *input, uint32_t run,
                              matched_profile *matched, keeping keep) {
    bytes content = input->content;
    ecma_status status = ECMA_OK;
    if (input->at_path) {
        status = os_read_file(&s->map, input->d, input->d->file);
        content = s->map.content;
        s->p.used = os_discard;
    }
    if (status == ECMA_OK)
        status = profile_read(&s->p, content, input->d);
    if (status == ECMA_OK && matched && keep == KEEP_CALLS &&
        (timeline_is_recorded(&s->p) || timeline_is_sampled(&s->p))) {
        keep = KEEP_ALL;
        matched->keep_threads = true;
        matched->uses_up = false;
    }
    if (status == ECMA_OK && matched)
        status = aggregate_profile(sum, &s->p, run, matched, input->d);
    if (status == ECMA_OK && matched && (keep == KEEP_ALL || (keep == KEEP_CALLS && s->p.calls.count > 0)))
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
    matched_profile *matched;
    size_t count;
} gathered;

static void gathered_clear(gathered *g) {
    aggregate_clear(&g->sum);
    for (size_t i = 0; i < g->count && g->sources && g->profiles && g->matched; i++) {
        matched_profile_clear(&g->matched[i]);
        profile_clear(&g->profiles[i]);
        os_unmap(&g->sources[i].map);
    }
    free(g->matched);
    free(g->sources);
    free(g->profiles);
}

static bool any_timeline(const gathered *g) {
    for (size_t i = 0; i < g->count; i++)
        if (timeline_is_recorded(&g->profiles[i]))
            return true;
    return false;
}

static bool any_lines(const aggregate *sum) {
    for (uint32_t i = 0; i < sum->list.read_count; i++)
        if (sum->list.read[i].names->source_count > 0)
            return true;
    return false;
}

static ecma_status gather(gathered *g, const report_input *inputs, size_t count, const ilj_report_options *options) {
    const report_format *format = &report_formats[options->format];
    *g = (gathered){.sum = AGGREGATE_INIT, .count = count};
    g->sources = calloc(count, sizeof *g->sources);
    g->profiles = calloc(count, sizeof *g->profiles);
    g->matched = calloc(count, sizeof *g->matched);
    aggregate *sum = &g->sum;
    sum->list.raw_names = options->raw_names || format->raw_names;
    sum->tree.by_thread = !format->alone && (options->threads || options->by == ILJ_BY_THREAD || format->threads);
    sum->tree.as_called = format->as_called;
    sum->physical = options->physical || sum->list.raw_names;
    sum->offset = options->offset;
    bool ready = g->sources && g->profiles && g->matched;
    ecma_status status = ready ? ECMA_OK : diag_no_memory(inputs[0].d);
    if (status == ECMA_OK)
        status = text_check_columns(options->columns, inputs[0].d);
    if (status == ECMA_OK)
        status = filter_compile(&sum->list.filter, "--filter", options->patterns, options->pattern_count,
                                &sum->list.memory, inputs[0].d);
    if (status == ECMA_OK && options->tests)
        status = questions_begin(sum, options->tests, inputs[0].d);
    if (status != ECMA_OK)
        return status; /* nothing is read */
    /* All are read, so that each bad one is reported; the first failure counts. */
    for (size_t i = 0; i < count && ready; i++) {
        g->matched[i].keep_threads = format->profiles;
        g->matched[i].uses_up = !format->profiles;
        ecma_status one =
            add_source(sum, &g->sources[i], &inputs[i], (uint32_t)i, status == ECMA_OK ? &g->matched[i] : NULL,
                       format->profiles || options->view == ILJ_VIEW_CALLS ? KEEP_ALL
                       : format->calls                                     ? KEEP_CALLS
                                                                           : KEEP_RUN);
        g->profiles[i] = g->sources[i].p;
        if (status == ECMA_OK)
            status = one;
    }
    if (status == ECMA_OK && !bounds_set(sum, g->profiles, count))
        status = diag_no_memory(inputs[0].d);
    if (status == ECMA_OK)
        status = aggregate_finish(sum, inputs[0].d);
    if (status == ECMA_OK && format->timeline && !any_timeline(g))
        status =
            diag_report(inputs[0].d, DIAG_NO_TIMELINE,
                        "it has no timeline, which this format is made of: run the program with ILINJECT_TIMELINE=1");
    if (status == ECMA_OK && format->lines && !any_lines(sum))
        status = diag_report(inputs[0].d, DIAG_NO_LINES,
                             "no method has a line, which this format is made of: instrument with symbols (.pdb, .mdb) "
                             "beside the assemblies");
    if (status == ECMA_OK && format->cut && !cut_deep(sum))
        status = diag_no_memory(inputs[0].d);
    return status;
}

/* Rows are of one profile after another, in the memory of one. */
static ecma_status write_rows(const report_input *inputs, size_t count, const ilj_report_options *options,
                              ilj_write_fn *write, void *user) {
    printer *out = calloc(1, sizeof *out);
    if (!out)
        return diag_no_memory(inputs[0].d);
    out->write = write;
    out->user = user;
    table_rows s;
    table_rows_start(&s, out, options->format == ILJ_REPORT_ROWS_CSV);
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < count && !out->failed; i++) {
        gathered one;
        ecma_status its = gather(&one, &inputs[i], 1, options);
        const report r = {&one.sum, one.profiles, one.matched, 1, NULL, options, NULL, NULL};
        if (its == ECMA_OK && status == ECMA_OK && (!table_rows_add(&s, &r) || out->no_memory))
            its = diag_no_memory(inputs[i].d);
        gathered_clear(&one);
        if (status == ECMA_OK)
            status = its;
    }
    bool written = print_flush(out);
    table_rows_clear(&s);
    free(out);
    return status == ECMA_OK && !written ? ECMA_IO : status;
}

/* What each profile alone comes to, in the memory of one; without a tree by thread. What was said of it was said when
 * it was read first; one that cannot be read again has no figures. */
static ecma_status find_trend(trend *t, const report *r, const report_input *inputs) {
    ilj_report_options options = *r->options;
    options.format = ILJ_REPORT_CSV;
    ecma_status status = trend_start(t, r) ? ECMA_OK : diag_no_memory(inputs[0].d);
    for (size_t i = 0; i < t->point_count && status == ECMA_OK; i++) {
        const trend_point *p = &t->points[i];
        report_input input = inputs[p->profile + (p->r == r ? 0 : r->profile_count)];
        diag quiet = {.file = input.d->file};
        gathered alone;
        input.d = &quiet;
        const ecma_status its = gather(&alone, &input, 1, &options);
        if (its == ECMA_OK)
            trend_add(t, i, &alone.sum);
        else if (its == ECMA_NO_MEMORY)
            status = diag_no_memory(inputs[0].d);
        gathered_clear(&alone);
    }
    return status;
}

static ecma_status run_all(const report_input *inputs, size_t count, const ilj_report_options *options,
                           ilj_write_fn *write, void *user) {
    if (options->format == ILJ_REPORT_SUGGESTIONS && options->overhead)
        return choice_file_write(inputs, count, options->overhead, write, user);
    if (options->format == ILJ_REPORT_ROWS || options->format == ILJ_REPORT_ROWS_CSV)
        return write_rows(inputs, count, options, write, user);
    size_t before_count = options->before_count, now_count = count - before_count;
    gathered now, before = {.sum = AGGREGATE_INIT};
    ecma_status status = gather(&now, inputs, now_count, options), of_before = ECMA_OK;
    if (status == ECMA_OK && options->counted_count > 0)
        status = work_compare(&now.sum, inputs, now_count, options);
    if (before_count > 0)
        of_before = gather(&before, inputs + now_count, before_count, options);
    if (status == ECMA_OK)
        status = of_before;
    if (status == ECMA_OK) {
        report then = {&before.sum, before.profiles, before.matched, before_count, NULL, options, NULL, NULL};
        report r = {&now.sum, now.profiles, now.matched, now_count, before_count > 0 ? &then : NULL,
                    options,  NULL,         NULL};
        bool *wanted = NULL;
        trend each = {.points = NULL};
        status = questions_find(&wanted, &r, inputs[0].d);
        if (status == ECMA_OK && report_formats[options->format].trend)
            status = find_trend(&each, &r, inputs);
        r.wanted = wanted;
        r.trend = &each;
        if (status == ECMA_OK)
            status = write_report(&r, write, user, inputs[0].d);
        trend_clear(&each);
        free(wanted);
    }
    gathered_clear(&now);
    gathered_clear(&before);
    return status;
}

ecma_status report_run(const report_input *inputs, size_t count, const ilj_report_options *options, ilj_write_fn *write,
                       void *user) {
    if (options->where_count == 0)
        return run_all(inputs, count, options, write, user);
    report_input *kept = calloc(count, sizeof *kept);
    if (!kept)
        return diag_no_memory(inputs[0].d);
    const size_t before = options->before_count, all = count - before;
    size_t wanted = all;
    memcpy(kept, inputs, count * sizeof *kept);
    ecma_status status = where_keep(kept, &wanted, options->where, options->where_count);
    memmove(kept + wanted, kept + all, before * sizeof *kept);
    if (status == ECMA_OK)
        status = run_all(kept, wanted + before, options, write, user);
    free(kept);
    return status;
}

ilj_status ilj_report(ilj_context *context, const char *const *profiles, size_t profile_count,
                      const ilj_report_options *options, ilj_write_fn *write, void *user) {
    diag none = context_diag(context, "");
    ilj_report_options own;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_report_options", context);
    if (status)
        return status;
    if (profile_count == 0)
        return diag_report(&none, DIAG_NO_PROFILE, "no profile was given");
    size_t count = profile_count + own.before_count;
    diag *diags = calloc(count, sizeof *diags);
    report_input *inputs = calloc(count, sizeof *inputs);
    status = diags && inputs ? ECMA_OK : diag_no_memory(&none);
    for (size_t i = 0; i < count && status == ECMA_OK; i++) {
        diags[i] = context_diag(context, i < profile_count ? profiles[i] : own.before[i - profile_count]);
        inputs[i] = (report_input){.d = &diags[i], .at_path = true};
    }
    if (status == ECMA_OK)
        status = report_run(inputs, count, &own, write, user);
    free(diags);
    free(inputs);
    return status;
}
