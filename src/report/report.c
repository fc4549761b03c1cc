#include "report/report.h"

#include <stdlib.h>

#include "context.h"
#include "os.h"
#include "report/cut.h"

static ecma_status write_report(const report *r, ilj_write_fn *write, void *user, diag *d) {
    printer *out = calloc(1, sizeof *out);
    if (!out)
        return diag_no_memory(d);
    out->write = write;
    out->user = user;
    out->color = r->options->color;
    bool done = report_formats[r->options->format].write(out, r);
    bool written = print_flush(out);
    free(out);
    return !done ? diag_no_memory(d) : written ? ECMA_OK : ECMA_IO;
}

/* All are read, so that each bad one is told; the first failure counts. */
static ecma_status read_all(profile *profiles, const report_input *inputs, size_t count) {
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < count; i++) {
        ecma_status one = profile_read(&profiles[i], inputs[i].content, inputs[i].d);
        if (status == ECMA_OK)
            status = one;
    }
    return status;
}

ecma_status report_run(const report_input *inputs, size_t count, const ilj_report_options *options, ilj_write_fn *write,
                       void *user) {
    const report_format *format = &report_formats[options->format];
    profile *profiles = calloc(count, sizeof *profiles);
    if (!profiles)
        return diag_no_memory(inputs[0].d);
    aggregate sum = AGGREGATE_INIT;
    sum.raw_names = options->raw_names;
    sum.by_thread = options->threads || format->threads;
    sum.as_called = format->as_called;
    sum.offset = options->offset;
    ecma_status status = read_all(profiles, inputs, count);
    for (size_t i = 0; i < count && status == ECMA_OK; i++) {
        status = aggregate_profile(&sum, &profiles[i], (uint32_t)i, inputs[i].d);
        if (!format->profiles)
            profile_drop_trees(&profiles[i]);
    }
    if (status == ECMA_OK)
        status = aggregate_finish(&sum, inputs[0].d);
    if (status == ECMA_OK && format->cut && !cut_deep(&sum))
        status = diag_no_memory(inputs[0].d);
    if (status == ECMA_OK)
        status = write_report(&(report){&sum, profiles, count, options}, write, user, inputs[0].d);
    aggregate_clear(&sum);
    for (size_t i = 0; i < count; i++)
        profile_clear(&profiles[i]);
    free(profiles);
    return status;
}

static int by_name(const void *left, const void *right) {
    const report_function *a = *(const report_function *const *)left, *b = *(const report_function *const *)right;
    return a->rank < b->rank ? -1 : a->rank > b->rank;
}

#define DESCENDING(name, value)                                                                                        \
    static int name(const void *left, const void *right) {                                                             \
        const report_function *a = *(const report_function *const *)left;                                              \
        const report_function *b = *(const report_function *const *)right;                                             \
        int64_t x = value(a), y = value(b);                                                                            \
        return x > y ? -1 : x < y ? 1 : by_name(left, right);                                                          \
    }
#define EXCLUSIVE(f) report_exclusive(&(f)->times)
#define INCLUSIVE(f) report_inclusive(&(f)->times)
#define CALLS(f)     (int64_t)(f)->calls
DESCENDING(by_exclusive, EXCLUSIVE)
DESCENDING(by_inclusive, INCLUSIVE)
DESCENDING(by_calls, CALLS)
DESCENDING(by_average, report_average)

const report_function **report_sorted(const aggregate *a, ilj_sort_key key) {
    static int (*const orders[])(const void *, const void *) = {
        [ILJ_SORT_EXCLUSIVE] = by_exclusive, [ILJ_SORT_INCLUSIVE] = by_inclusive, [ILJ_SORT_CALLS] = by_calls,
        [ILJ_SORT_AVERAGE] = by_average,     [ILJ_SORT_NAME] = by_name,
    };
    const report_function **sorted = calloc((size_t)a->function_count + 1, sizeof *sorted);
    if (!sorted)
        return NULL;
    for (uint32_t i = 0; i < a->function_count; i++)
        sorted[i] = &a->functions[i];
    qsort(sorted, a->function_count, sizeof *sorted, orders[key]);
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
    os_map *maps = calloc(profile_count, sizeof *maps);
    diag *diags = calloc(profile_count, sizeof *diags);
    report_input *inputs = calloc(profile_count, sizeof *inputs);
    ecma_status status = maps && diags && inputs ? ECMA_OK : diag_no_memory(&none);
    for (size_t i = 0; i < profile_count && maps && diags && inputs; i++) {
        diags[i] = context_diag(context, profiles[i]);
        ecma_status one = os_map_file(&maps[i], &diags[i], profiles[i]);
        if (status == ECMA_OK)
            status = one;
        inputs[i] = (report_input){maps[i].content, &diags[i]};
    }
    if (status == ECMA_OK)
        status = report_run(inputs, profile_count, options, write, user);
    for (size_t i = 0; i < profile_count && maps; i++)
        os_unmap(&maps[i]);
    free(maps);
    free(diags);
    free(inputs);
    return status_of(status);
}
