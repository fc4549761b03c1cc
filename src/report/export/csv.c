/* CSV as RFC 4180 has it (https://www.rfc-editor.org/rfc/rfc4180): the functions, a line each, with a header; lines end
 * in CR LF, texts stand in quotes. Rows and columns are those of `functions` in the JSON, in the order of --sort; low
 * and high are what the calibration leaves open. For each figure that was counted there are
 * two columns more. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/figures.h"

/* Spreadsheets compute a cell that begins like a formula, in quotes or not: an apostrophe before it keeps it a text. */
static bool is_formula(const buffer *b) {
    return b->size > 0 && memchr("=+-@", b->data[0], 4) != NULL;
}

static void text(printer *out, buffer *b, bytes s) {
    if (s.size > 0)
        export_text(b, s);
    else
        b->size = 0;
    print_string(out, is_formula(b) ? "\"'" : "\"");
    for (size_t i = 0; i < b->size; i++)
        print_bytes(out, b->data[i] == '"' ? "\"\"" : (const char *)b->data + i, b->data[i] == '"' ? 2 : 1);
    print_bytes(out, "\",", 2);
}

static void field(printer *out, uint64_t figure) {
    print_string(out, ",");
    print_number(out, figure);
}

/* Nothing where it is not known. */
static void durations_of(printer *out, const durations *d) {
    static const unsigned percents[] = {50, 90, 99};
    if (durations_has_span(d)) {
        field(out, d->min_ns);
        field(out, d->max_ns);
    } else {
        print_string(out, ",,");
    }
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        uint64_t ns;
        print_string(out, ",");
        if (durations_try_percentile(d, percents[i], &ns))
            print_number(out, ns);
    }
}

bool csv_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    const report_function **sorted = report_sorted(a, r->options->sort);
    if (!sorted)
        return false;
    buffer b = BUFFER_INIT;
    print_string(out, "assembly,module,token,name,type,method,machine,calls,steps,inclusive_ns,exclusive_ns,average_ns,"
                      "inclusive_low_ns,inclusive_high_ns,exclusive_low_ns,exclusive_high_ns,probe_ns,by_exception,"
                      "resynchronised,open,"
                      "min_ns,max_ns,p50_ns,p90_ns,p99_ns,waiting_ns");
    for (int kind = 0; kind < FIGURES; kind++)
        if (a->counted[kind] > 0)
            print_format(out, ",exclusive_%s,inclusive_%s", figure_kinds[kind].field, figure_kinds[kind].field);
    print_string(out, "\r\n");
    uint32_t shown = r->options->top && r->options->top < a->function_count ? r->options->top : a->function_count;
    for (uint32_t i = 0; i < shown; i++) {
        const report_function *f = sorted[i];
        const report_module none = {.named = false}, *m = f->module == NO_MODULE ? &none : &a->modules[f->module];
        text(out, &b, m->assembly);
        text(out, &b, m->module);
        if (f->row && !f->scope && !f->leaf)
            print_format(out, "0x%08" PRIx32, 0x06000000u + f->row);
        print_string(out, ",");
        text(out, &b, function_plain_name(f));
        text(out, &b, (bytes){f->name.data, f->parts.type_bytes});
        text(out, &b, (bytes){f->name.data + f->parts.method, f->parts.suffix - f->parts.method});
        print_string(out, report_machine_name(f->machine));
        const profile_times *t = &f->times;
        const int64_t times[] = {report_inclusive(t), report_exclusive(t), report_average(f)};
        enum { PROBES = 4 }; /* the last of the times */
        const uint64_t figures[] = {
            t->inclusive_low_ns, t->inclusive_high_ns, t->exclusive_low_ns, t->exclusive_high_ns,
            f->probe_ns,         f->by_exception,      f->resynchronised,   f->open};
        field(out, f->calls);
        field(out, f->steps);
        for (size_t k = 0; k < sizeof times / sizeof times[0]; k++) {
            print_string(out, ",");
            if (!aggregate_only_counts(a))
                print_signed(out, times[k]);
        }
        for (size_t k = 0; k < sizeof figures / sizeof figures[0]; k++)
            if (k <= PROBES && aggregate_only_counts(a))
                print_string(out, ",");
            else
                field(out, figures[k]);
        durations_of(out, &f->durations);
        if (aggregate_only_counts(a))
            print_string(out, ",");
        else
            field(out, f->waiting_ns);
        for (int kind = 0; kind < FIGURES; kind++)
            if (a->counted[kind] > 0) {
                field(out, f->figures[kind]);
                field(out, f->all_figures[kind]);
            }
        print_string(out, "\r\n");
    }
    bool done = !b.failed;
    buffer_clear(&b);
    free(sorted);
    return done;
}
