#include <stdio.h>

#include "report/print/table.h"
#include "report/text/text.h"
#include "util/unicode.h"

/* The text report's section of async methods. */

enum { LEAST_NAME = 16, ROOM_FOR_NAMES = 20, MOST_CHILDREN = 8 };

/* A time that is 0 because nothing is known. */
static figure time_of(uint64_t ns, bool known) {
    return ns == 0 && !known ? (figure){"?", 1} : format_time(ns);
}

/* `linked`: each slice of these calls, and so their end, is known to be theirs. */
static table_row row_of(const async_figures *f, bool linked) {
    bool ended = linked && async_ended(f) > 0;
    return (table_row){{
        format_count(f->calls),
        format_count(f->suspensions),
        format_time(f->running_ns),
        time_of(f->awaiting_ns, linked && async_open(f) == 0),
        time_of(f->wall_ns, ended),
        f->unlinked ? (figure){"?", 1} : time_of(async_average(f), ended),
    }};
}

static table made_table(void) {
    return (table){.titles = {"Calls", "Suspended", "Running", "Awaiting", "Wall", "Average"},
                   .least_name = LEAST_NAME};
}

static void fit(table *t, const report *r) {
    table_fit(t, (const int[]){5, 1, -1}, ROOM_FOR_NAMES, r->options->width);
}

/* How the calls ended, in words; returns the columns, 0 when all completed. `sum`: all ends are in these figures, also
 * those of unlinked slices. */
static size_t describe_ends(char text[256], const async_figures *f, bool sum) {
    const struct {
        uint64_t count;
        const char *what;
    } ends[] = {{f->completed, "completed"},
                {f->failed, "failed"},
                {f->cancelled, "cancelled"},
                {async_open(f), sum ? "open" : "with an unknown end"},
                {f->unlinked, f->unlinked == 1 ? "unlinked slice" : "unlinked slices"}};
    size_t size = 0;
    if (f->completed == f->calls && f->failed == 0 && f->cancelled == 0 && f->unlinked == 0)
        return 0;
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++)
        if (ends[i].count != 0)
            size += (size_t)snprintf(text + size, 256 - size, "%s%s %s", size ? ", " : "",
                                     format_count(ends[i].count).text, ends[i].what);
    return size;
}

static bool is_linked(const report *r, uint32_t function) {
    return !r->sum->async.unlinked[function];
}

typedef struct async_row {
    uint32_t function;
    const async_figures *figures;
    uint32_t depth;
    bool sum;
} async_row;

/* The ends follow the name, or stand in a row of their own: below the name, or as far left of that as needed. */
static void print_row(const table *t, printer *out, const report *r, const async_row *of) {
    const report_function *f = &r->sum->functions[of->function];
    const uint32_t depth = of->depth;
    char ends[256] = "";
    size_t size = describe_ends(ends, of->figures, of->sum);
    table_row row = row_of(of->figures, is_linked(r, of->function));
    table_figures(t, out, &row);
    /* All others are async. */
    bytes shown = f->leaf ? f->name : function_plain_name(f);
    size_t room = table_indent(t, out, depth), name = unicode_width(shown);
    print_name(out, shown, f->parts.parameters, f->parts.suffix, room);
    if (size > 0 && (room < size + 2 || room - size - 2 < name)) {
        print_string(out, "\n");
        if (size <= table_room(t, depth + 1)) {
            table_figures(t, out, NULL);
            table_indent(t, out, depth + 1);
        } else {
            print_spaces(out, t->width > size ? t->width - size : 0);
        }
    } else if (size > 0) {
        print_string(out, "  ");
    }
    if (size > 0) {
        print_set_style(out, PRINT_DIM);
        print_string(out, ends);
        print_set_style(out, PRINT_PLAIN);
    }
    print_string(out, "\n");
}

/* ---- The tree: pre-order, without a stack ----------------------------------------------------------------------- */

static void print_more(const table *t, printer *out, const async_tree *tree, uint32_t from, uint32_t depth) {
    uint64_t calls = 0, count = 0;
    for (uint32_t node = from; node != 0; node = tree->nodes[node].next_sibling, count++)
        calls = profile_add(calls, tree->nodes[node].figures.calls);
    print_set_style(out, PRINT_DIM);
    table_figures(t, out, NULL);
    table_indent(t, out, depth);
    print_format(out, "\u2026 %s more, ", format_count(count).text);
    print_format(out, "%s call%s\n", format_count(calls).text, calls == 1 ? "" : "s");
    print_set_style(out, PRINT_PLAIN);
}

static uint32_t most_children(const report *r, uint32_t parent) {
    if (r->options->top == 0 || r->options->format == ILJ_REPORT_CALLTREE)
        return UINT32_MAX;
    return parent == 0 ? r->options->top : MOST_CHILDREN;
}

static void print_tree(const table *t, printer *out, const report *r) {
    const async_tree *tree = &r->sum->async;
    const async_node *nodes = tree->nodes;
    uint32_t parent = 0, node = nodes[0].first_child, position = 0;
    for (;;) {
        if (node != 0 && position < most_children(r, parent)) {
            const async_node *n = &nodes[node];
            print_row(t, out, r, &(async_row){n->function, &n->figures, n->depth, is_linked(r, n->function)});
            parent = node;
            node = nodes[node].first_child;
            position = 0;
            continue;
        }
        if (node != 0)
            print_more(t, out, tree, node, nodes[node].depth);
        if (parent == 0)
            return;
        node = nodes[parent].next_sibling;
        uint32_t above = nodes[parent].parent;
        position = most_children(r, above) == UINT32_MAX ? 0 : 1;
        for (uint32_t at = nodes[above].first_child; position > 0 && at != parent; at = nodes[at].next_sibling)
            position++;
        parent = above;
    }
}

void async_write_tree(printer *out, const report *r) {
    const async_tree *tree = &r->sum->async;
    if (tree->method_count == 0)
        return;
    table t = made_table();
    for (uint32_t i = 1; i < tree->node_count; i++) {
        table_row row = row_of(&tree->nodes[i].figures, is_linked(r, tree->nodes[i].function));
        table_measure(&t, &row);
    }
    print_string(out, "\n");
    fit(&t, r);
    table_head(&t, out, "Async call tree", r->options->width);
    print_tree(&t, out, r);
}

void async_write(printer *out, const report *r) {
    const async_tree *tree = &r->sum->async;
    if (tree->method_count == 0)
        return;
    uint32_t top = r->options->top, shown = top == 0 || top > tree->method_count ? tree->method_count : top;
    table t = made_table();
    for (uint32_t i = 0; i < shown; i++) {
        table_row row = row_of(&tree->methods[i].figures, is_linked(r, tree->methods[i].function));
        table_measure(&t, &row);
    }
    print_string(out, "\n");
    fit(&t, r);
    table_head(&t, out, "Async methods", r->options->width);
    for (uint32_t i = 0; i < shown; i++)
        print_row(&t, out, r, &(async_row){tree->methods[i].function, &tree->methods[i].figures, 1, true});
    if (shown < tree->method_count) {
        print_set_style(out, PRINT_DIM);
        print_format(out, "\u2026 %s more async method%s\n", format_count(tree->method_count - shown).text,
                     tree->method_count - shown == 1 ? "" : "s");
        print_set_style(out, PRINT_PLAIN);
    }
    if (r->sum->totals.folded_async > 0) {
        print_set_style(out, PRINT_DIM);
        print_format(out, "%s calls are counted as if no async method had made them: there were too many\n",
                     format_count(r->sum->totals.folded_async).text);
        print_set_style(out, PRINT_PLAIN);
    }
    if (r->options->async)
        async_write_tree(out, r);
}
