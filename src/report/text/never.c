#include <stdlib.h>

#include "report/model/coverage.h"
#include "report/print/format.h"
#include "report/text/text.h"
#include "report/view/source.h"

/* The methods that were never called in any of the profiles, by type; a type without any call is one line. */

static bytes type_of(const covered *c) {
    return (bytes){c->function.name.data, c->function.parts.type_bytes};
}

/* How many from the first one on are of its type. */
static uint32_t of_type(const covered *list, uint32_t count) {
    uint32_t i = 1;
    while (i < count && bytes_equal(list[i].assembly, list->assembly) && bytes_equal(type_of(&list[i]), type_of(list)))
        i++;
    return i;
}

static void print_place(printer *out, const report *r, const covered *c, buffer *b) {
    view_place(b, r, &c->function);
    if (b->size > 0) {
        print_string(out, "  ");
        print_set_style(out, PRINT_DIM);
        print_shown(out, buffer_bytes(b));
        print_set_style(out, PRINT_PLAIN);
    }
}

static void print_never(printer *out, const report *r, const covered *c, buffer *b) {
    const char *reason = coverage_reason(c);
    print_string(out, "  ");
    print_shown(out, function_plain_name(&c->function));
    print_place(out, r, c, b);
    if (reason)
        print_format(out, "  (%s)", reason);
    print_string(out, "\n");
}

static const covered *first_place(const covered *list, uint32_t count, const report *r, buffer *b) {
    for (uint32_t i = 0; i < count; i++) {
        view_place(b, r, &list[i].function);
        if (b->size > 0)
            return &list[i];
    }
    return list;
}

bool never_write(printer *out, const report *r) {
    coverage all = {0};
    buffer b = BUFFER_INIT;
    bool done = coverage_make(&all, r->sum);
    uint32_t top = r->options->top ? r->options->top : UINT32_MAX, rows = 0, left = 0;
    print_format(out, "Never called: %s of %s methods, in %s %s\n", format_count(all.count - all.called).text,
                 format_count(all.count).text, format_count(r->sum->runs).text, r->sum->runs == 1 ? "run" : "runs");
    for (uint32_t i = 0, count; i < all.count && done; i += count) {
        const covered *list = &all.list[i];
        uint32_t never = 0;
        count = of_type(list, all.count - i);
        for (uint32_t k = 0; k < count; k++)
            never += list[k].calls == 0;
        bool whole = never == count && count > 1 && type_of(list).size > 0;
        if (whole && rows < top) {
            print_string(out, "  ");
            print_shown(out, type_of(list));
            print_format(out, ": all %s methods", format_count(count).text);
            print_place(out, r, first_place(list, count, r, &b), &b);
            print_string(out, "\n");
            rows++;
            continue;
        }
        for (uint32_t k = 0; k < count; k++) {
            if (list[k].calls > 0)
                continue;
            if (rows++ < top && !whole)
                print_never(out, r, &list[k], &b);
            else
                left++;
        }
    }
    if (left > 0)
        print_format(out, "... %s more methods; --top=0 shows all\n", format_count(left).text);
    done = done && !b.failed;
    coverage_clear(&all);
    buffer_clear(&b);
    return done;
}
