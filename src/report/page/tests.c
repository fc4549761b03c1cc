#include "report/page/tests.h"

#include "report/model/tests.h"
#include "report/page/json.h"
#include "report/view/names.h"

static void one(printer *out, const test_row *row, buffer *text) {
    static const char other[] = "(all other code)";
    view_text(text, row->function ? test_name(row->function) : bytes_of(other, sizeof other - 1));
    print_string(out, "{\"name\":");
    page_string(out, buffer_bytes(text));
    print_format(out, ",\"kind\":\"%s\"", test_kind_name(row->kind));
    page_field(out, "calls", row->calls);
    page_field(out, "duration", row->duration_ns);
    page_field(out, "inclusive", row->times.inclusive_ns);
    page_field(out, "exclusive", row->times.exclusive_ns);
    page_field(out, "waiting", profile_add(row->waiting_ns, row->awaiting_ns));
    page_field(out, "exceptions", row->thrown);
    page_field(out, "bytes", row->figures[FIGURE_BYTES]);
    print_string(out, "}");
}

bool page_tests_write(printer *out, const report *r, buffer *text) {
    test_rows rows;
    if (!tests_any(r->sum) || aggregate_only_counts(r->sum))
        return true;
    bool done = tests_make(&rows, r);
    for (uint32_t i = 0; i < rows.count && done; i++) {
        print_string(out, i == 0 ? ",\n\"tests\":[\n" : ",\n");
        one(out, &rows.rows[i], text);
    }
    if (done && rows.count > 0)
        print_string(out, "]");
    tests_clear(&rows);
    return done;
}
