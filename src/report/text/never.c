#include <stdlib.h>

#include "report/model/coverage.h"
#include "report/print/format.h"
#include "report/text/text.h"
#include "report/view/source.h"
#include "report/view/switches.h"

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

/* The methods of a type. */
typedef struct type_sums {
    uint32_t written, never; /* of those that stand in a source the ones without a call */
    uint32_t made, called;   /* of those that a compiler made the ones with calls */
    bool has_property;       /* an automatic one */
} type_sums;

static type_sums sums_of(const covered *list, uint32_t count) {
    type_sums s = {0};
    for (uint32_t i = 0; i < count; i++) {
        const bool called = list[i].calls > 0;
        if (list[i].made) {
            s.made++;
            s.called += called;
            s.has_property = s.has_property || (coverage_is_accessor(&list[i]) && coverage_has_type(&list[i]));
        } else {
            s.written++;
            s.never += !called;
        }
    }
    if (s.written == 0 && s.has_property) { /* a type of data: what is made is all that it has */
        s.written = s.made;
        s.never = s.called ? 0 : s.made;
    }
    return s;
}

/* Was all that was called recorded, as far as profiles say so? */
static bool is_all_known(const report *r) {
    for (size_t i = 0; i < r->profile_count; i++)
        if (r->profiles[i].run.stopped_ticks > 0)
            return false;
    for (uint32_t i = 0; i < view_switch_count(r); i++)
        if (view_switch_at(r, i).calls == 0)
            return false;
    return true;
}

static void print_head(printer *out, const report *r, const coverage *all) {
    uint32_t never = 0, written = 0;
    for (uint32_t i = 0, count; i < all->count; i += count) {
        count = of_type(&all->list[i], all->count - i);
        type_sums s = sums_of(&all->list[i], count);
        never += s.never;
        written += s.written;
    }
    print_format(out, "Never called: %s of %s methods, in %s %s%s\n", format_count(never).text,
                 format_count(written).text, format_count(r->sum->runs).text, r->sum->runs == 1 ? "run" : "runs",
                 is_all_known(r) ? "" : "; while recording was off, calls were not seen");
}

static void print_whole(printer *out, const report *r, const covered *list, uint32_t count, buffer *b) {
    print_string(out, "  ");
    print_shown(out, type_of(list));
    print_format(out, ": all %s methods", format_count(sums_of(list, count).never).text);
    print_place(out, r, first_place(list, count, r, b), b);
    print_string(out, "\n");
}

/* Counts the rows that do not fit as well. */
static void print_each(printer *out, const report *r, const covered *list, uint32_t count, uint32_t top, uint32_t *rows,
                       buffer *b) {
    for (uint32_t i = 0; i < count; i++)
        if (list[i].calls == 0 && !list[i].made && (*rows)++ < top)
            print_never(out, r, &list[i], b);
}

bool never_write(printer *out, const report *r) {
    coverage all = {0};
    buffer b = BUFFER_INIT;
    bool done = coverage_make(&all, r->sum);
    uint32_t top = r->options->top ? r->options->top : UINT32_MAX, rows = 0, left = 0;
    if (done)
        print_head(out, r, &all);
    for (uint32_t i = 0, count; i < all.count && done; i += count) {
        const covered *list = &all.list[i];
        count = of_type(list, all.count - i);
        type_sums s = sums_of(list, count);
        bool whole = s.never == s.written && s.called == 0 && s.written > 1 && type_of(list).size > 0;
        uint32_t before = rows < top ? rows : top;
        if (whole && rows++ < top)
            print_whole(out, r, list, count, &b);
        else if (whole)
            left += s.never;
        else
            print_each(out, r, list, count, top, &rows, &b);
        if (!whole)
            left += s.never - ((rows < top ? rows : top) - before);
    }
    if (left > 0)
        print_format(out, "... %s more methods; --top=0 shows all\n", format_count(left).text);
    done = done && !b.failed;
    coverage_clear(&all);
    buffer_clear(&b);
    return done;
}
