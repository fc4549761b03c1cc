/* Prometheus' text format 0.0.4 (https://prometheus.io/docs/instrumenting/exposition_formats): the methods with the
 * most time, one sample a method and family. Calls are counters. Times are gauges, as an estimate can become less when
 * more is known. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/rows.h"
#include "report/view/functions.h"

enum { METHODS = 20, METHODS_MOST = 1000 }; /* without --top, and whatever it says */

/* Methods that have a name and an assembly in common are one, as a series may stand only once. The assembly is named
 * without its version: a new one goes on with the series. */
typedef struct sample {
    bytes assembly, name;
    uint64_t calls, own_ns;
} sample;

/* In a label's value. `b` is scratch. */
static void label(printer *out, buffer *b, const char *name, bytes s) {
    b->size = 0;
    if (s.size > 0)
        view_text(b, s);
    print_format(out, "%s=\"", name);
    for (size_t i = 0; i < b->size; i++) {
        const char c = (char)b->data[i];
        print_string(out, c == '\\' || c == '"' ? "\\" : "");
        print_bytes(out, c == '\n' ? "\\n" : &c, c == '\n' ? 2 : 1);
    }
    print_string(out, "\"");
}

static void family(printer *out, const char *name, const char *type, const char *help) {
    print_format(out, "# HELP %s ", name);
    print_string(out, help);
    print_format(out, "\n# TYPE %s %s\n", name, type);
}

static void seconds(printer *out, uint64_t ns) {
    print_format(out, "%" PRIu64 ".%09" PRIu64 "\n", ns / 1000000000, ns % 1000000000);
}

static void whole(printer *out, const char *name, const char *type, const char *help, uint64_t value) {
    family(out, name, type, help);
    print_format(out, "%s %" PRIu64 "\n", name, value);
}

static void methods(printer *out, buffer *b, const sample *list, uint32_t count, const char *name, bool time) {
    for (uint32_t i = 0; i < count; i++) {
        print_format(out, "%s{", name);
        label(out, b, "assembly", list[i].assembly);
        print_string(out, ",");
        label(out, b, "method", list[i].name);
        print_string(out, "} ");
        if (time)
            seconds(out, list[i].own_ns);
        else
            print_format(out, "%" PRIu64 "\n", list[i].calls);
    }
}

static void add(sample *list, uint32_t *count, const view_function *f, const report_function *from) {
    report_row row;
    uint32_t i = 0;
    row_of_function(&row, from);
    bytes assembly = f->assembly;
    const uint8_t *comma = assembly.size ? memchr(assembly.data, ',', assembly.size) : NULL;
    assembly.size = comma ? (size_t)(comma - assembly.data) : assembly.size;
    while (i < *count && !(bytes_equal(list[i].assembly, assembly) && bytes_equal(list[i].name, f->name)))
        i++;
    if (i == *count)
        list[(*count)++] = (sample){.assembly = assembly, .name = f->name};
    list[i].calls = profile_add(list[i].calls, row.sums[ROW_CALLS]);
    list[i].own_ns = profile_add(list[i].own_ns, row.times.exclusive_ns);
}

static uint64_t run_count(const report *r) {
    uint64_t runs = 0;
    for (size_t i = 0; i < r->profile_count; i++)
        runs += view_runs_of(r, i);
    return runs;
}

bool prometheus_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    const uint32_t asked = r->options->top ? r->options->top : METHODS,
                   most = asked < METHODS_MOST ? asked : METHODS_MOST;
    const report_function **sorted = report_sorted(a, r->options->sort);
    sample *list = calloc(most, sizeof *list);
    uint32_t count = 0;
    buffer b = BUFFER_INIT;
    for (uint32_t i = 0; sorted && list && i < a->list.function_count && count < most; i++) {
        if (a->kept.text_count > 0 && !sorted[i]->wanted)
            continue;
        const view_function f = view_function_of(r, sorted[i]);
        add(list, &count, &f, sorted[i]);
    }
    if (sorted && list) {
        whole(out, "ilinject_runs", "gauge", "Runs whose profiles these figures are of.", run_count(r));
        whole(out, "ilinject_calls_total", "counter", "Calls of instrumented methods.", a->totals.enters);
        family(out, "ilinject_method_calls_total", "counter", "Calls of a method, of those with the most time.");
        methods(out, &b, list, count, "ilinject_method_calls_total", false);
    }
    if (sorted && list && view_has_time(r)) {
        family(out, "ilinject_own_seconds", "gauge", "Own time of instrumented methods; an estimate, which can fall.");
        print_string(out, "ilinject_own_seconds ");
        seconds(out, a->totals.exclusive_ns);
        family(out, "ilinject_method_own_seconds", "gauge",
               "Own time of a method, of those with the most time; an estimate, which can fall.");
        methods(out, &b, list, count, "ilinject_method_own_seconds", true);
    }
    const bool done = sorted && list && !b.failed;
    buffer_clear(&b);
    free(list);
    free(sorted);
    return done;
}
