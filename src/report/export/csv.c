/* CSV as RFC 4180 has it (https://www.rfc-editor.org/rfc/rfc4180): the functions, a line each, with a header; lines end
 * in CR LF, texts stand in quotes. Rows and columns are those of `functions` in the JSON, in the order of --sort; low
 * and high are what the calibration leaves open. For each figure that was counted there are two columns more; file and
 * line stand last, so that readers by position go on. */
#include <inttypes.h>
#include <stddef.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/rows.h"
#include "report/view/functions.h"
#include "report/view/source.h"

/* Spreadsheets compute a cell that begins like a formula, in quotes or not: an apostrophe before it keeps it a text. */
static bool is_formula(const buffer *b) {
    return b->size > 0 && memchr("=+-@", b->data[0], 4) != NULL;
}

static void quoted(printer *out, const buffer *b) {
    print_string(out, is_formula(b) ? "\"'" : "\"");
    for (size_t from = 0; from < b->size;) {
        const uint8_t *quote = memchr(b->data + from, '"', b->size - from);
        size_t to = quote ? (size_t)(quote - b->data) + 1 : b->size;
        print_bytes(out, (const char *)b->data + from, to - from);
        print_string(out, quote ? "\"" : "");
        from = to;
    }
    print_string(out, "\"");
}

static void text(printer *out, buffer *b, bytes s) {
    if (s.size > 0)
        view_text(b, s);
    else
        b->size = 0;
    quoted(out, b);
    print_string(out, ",");
}

/* Nothing where no line is known. */
static void place(printer *out, buffer *b, const report *r, const report_function *f) {
    uint32_t line = view_source(b, r, f);
    print_string(out, ",");
    if (line)
        quoted(out, b);
    print_string(out, ",");
    if (line)
        print_number(out, line);
}

bool csv_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    const report_function **sorted = report_sorted(a, r->options->sort);
    if (!sorted)
        return false;
    buffer b = BUFFER_INIT;
    const figure_list figures = figures_of(a, offsetof(figure_row, csv));
    print_string(out, "assembly,module,token,name,type,method,machine");
    for (size_t k = 0; k < figures.count; k++) {
        print_string(out, ",");
        print_string(out, figure_rows[figures.ids[k]].field);
    }
    print_string(out, ",file,line\r\n");
    uint32_t shown =
        r->options->top && r->options->top < a->list.function_count ? r->options->top : a->list.function_count;
    for (uint32_t i = 0; i < shown; i++) {
        if (a->kept.text_count > 0 && !sorted[i]->wanted)
            continue;
        const view_function f = view_function_of(r, sorted[i]);
        text(out, &b, f.assembly);
        text(out, &b, f.module_name);
        if (f.token)
            print_format(out, "0x%08" PRIx32, f.token);
        print_string(out, ",");
        text(out, &b, f.name);
        text(out, &b, f.type);
        text(out, &b, f.method);
        print_string(out, f.machine);
        report_row row;
        row_of_function(&row, sorted[i]);
        for (size_t k = 0; k < figures.count; k++) { /* nothing where it is not known */
            row_value v = figure_value(a, &row, figures.ids[k]);
            print_string(out, ",");
            if (v.known)
                print_signed(out, v.value);
        }
        place(out, &b, r, sorted[i]);
        print_string(out, "\r\n");
    }
    bool done = !b.failed;
    buffer_clear(&b);
    free(sorted);
    return done;
}
