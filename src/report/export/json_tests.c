#include "report/export/json.h"

#include "report/model/figures.h"
#include "report/model/tests.h"

static void field(printer *out, const char *name, uint64_t value) {
    print_string(out, ", \"");
    print_string(out, name);
    print_string(out, "\": ");
    print_number(out, value);
}

static void one(printer *out, const report *r, const test_row *row, const uint32_t *positions) {
    static const char other[] = "(all other code)";
    const report_function *f = row->function;
    print_string(out, "{\"name\": ");
    print_json(out, f ? test_name(f) : bytes_of(other, sizeof other - 1));
    print_format(out, ", \"kind\": \"%s\", \"function\": ", test_kind_name(row->kind));
    if (f)
        print_number(out, positions[f - r->sum->list.functions]);
    else
        print_string(out, "-1");
    field(out, "calls", row->calls);
    field(out, "calls_below", row->below);
    field(out, "duration_ns", row->duration_ns);
    field(out, "inclusive_ns", row->times.inclusive_ns);
    field(out, "exclusive_ns", row->times.exclusive_ns);
    field(out, "waiting_ns", row->waiting_ns);
    field(out, "awaiting_ns", row->awaiting_ns);
    field(out, "exceptions", row->thrown);
    if (row->kind == NAMES_ROOT_TEST)
        field(out, "set_up_ns", row->set_up_ns);
    for (int kind = 0; kind < FIGURES; kind++)
        if (r->sum->counted.all[kind] > 0) {
            print_format(out, ", \"inclusive_%s\": ", figure_kinds[kind].field);
            print_number(out, row->figures[kind]);
        }
    print_string(out, "}");
}

bool json_write_tests(printer *out, const report *r, const uint32_t *positions) {
    test_rows rows;
    if (!tests_any(r->sum) || aggregate_only_counts(r->sum))
        return true;
    bool done = tests_make(&rows, r);
    for (uint32_t i = 0; i < rows.count && done; i++) {
        print_string(out, i == 0 ? ",\n\"tests\": [\n" : ",\n");
        one(out, r, &rows.rows[i], positions);
    }
    if (done && rows.count > 0)
        print_string(out, "\n]");
    tests_clear(&rows);
    return done;
}
