#include <stdio.h>

#include "report/print/table.h"
#include "report/text/text.h"

/* The text report's section of exceptions. */

enum {
    LEAST_NAME = 16,
    LEAST_IN_PHRASE = 10,
    MOST_TYPES = 20,
    MOST_WAYS = 8, /* below one node */
};

typedef struct exception_view {
    const report *r;
    const exceptions *e;
    table table;
} exception_view;

static table_row row_of(const exception_figures *f) {
    return (table_row){{format_count(f->count), format_time(f->ns), format_time(f->count ? f->ns / f->count : 0)}};
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* A function's name between two phrases, in the columns that are left. */
static void print_phrase(const exception_view *v, printer *out, const char *before, uint32_t function,
                         const char *behind, size_t room) {
    const report_function *f = &v->r->sum->functions[function];
    size_t taken = strlen(before) + strlen(behind);
    print_string(out, before);
    print_name(out, function_plain_name(f), f->parts.parameters, f->parts.suffix,
               room > taken + LEAST_IN_PHRASE ? room - taken : LEAST_IN_PHRASE);
    print_string(out, behind);
}

static void print_end(const exception_view *v, printer *out, const exception_node *n, size_t room) {
    static const struct {
        const char *without_catcher, *before, *behind;
    } words[] = {
#define OUTCOME(ID, Member, value, word, alone, before, after, meaning) [value] = {alone, before, after},
#include "facts/outcomes.def"
#undef OUTCOME
        [PROFILE_OUTCOMES] = {"ended in an unknown way", "ended in an unknown way in ", ""},
    };
    if (n->function == NO_FUNCTION)
        print_string(out, words[n->value].without_catcher);
    else
        print_phrase(v, out, words[n->value].before, n->function, words[n->value].behind, room);
}

static const char *range(char text[96], const char *before, uint32_t least, uint32_t most) {
    if (least == most)
        snprintf(text, 96, "%s%s", before, format_count(least).text);
    else
        snprintf(text, 96, "%s%s to %s", before, format_count(least).text, format_count(most).text);
    return text;
}

/* A frame that exceptions do nothing but start in takes one row with the node below it, which says so. */
static bool is_thrower(const exceptions *e, const exception_node *n) {
    const exception_node *child = &e->nodes[n->first_child];
    return n->kind == EXCEPTION_FRAME && child->kind == EXCEPTION_THROWN && child->next_sibling == 0;
}

/* Is the way's end one of exceptions that an await has thrown again? */
static bool is_thrown_again(const exceptions *e, const exception_node *n) {
    while (n->kind != EXCEPTION_END && n->kind != EXCEPTION_ROOT)
        n = &e->nodes[n->parent];
    return n->kind == EXCEPTION_END && profile_is_thrown_again(n->value);
}

static void print_label(const exception_view *v, printer *out, const exception_node *n, size_t room) {
    char times[96] = "";
    bytes name;
    switch (n->kind) {
    case EXCEPTION_TYPE:
        name = v->e->types[n->value].name;
        if (name.size == 0)
            print_string(out, "(type not known)");
        else
            print_name(out, name, name.size, name.size, room);
        break;
    case EXCEPTION_END:
        print_end(v, out, n, room);
        break;
    case EXCEPTION_FRAME:
        if (n->most > 1)
            range(times, " \u00d7 ", n->least, n->most);
        print_phrase(v, out,
                     !is_thrower(v->e, n)       ? "through "
                     : is_thrown_again(v->e, n) ? "thrown again in "
                                                : "thrown in ",
                     n->function, times, room);
        break;
    case EXCEPTION_GAP:
        print_string(out, range(times, "through ", n->least, n->most));
        print_string(out, " more frames");
        break;
    case EXCEPTION_THROWN:
    case EXCEPTION_ROOT:
        print_string(out, is_thrown_again(v->e, n) ? "thrown again here" : "first seen here");
        break;
    }
}

static void print_messages(const exception_view *v, printer *out, const exception_node *n, uint32_t depth) {
    for (uint32_t i = 0; i < n->message_count; i++) {
        bytes message = v->e->messages[n->messages + i];
        print_set_style(out, PRINT_DIM);
        table_figures(&v->table, out, NULL);
        size_t room = table_indent(&v->table, out, depth);
        print_string(out, "\"");
        print_line(out, message, room > LEAST_NAME ? room - 2 : LEAST_NAME);
        print_string(out, "\"\n");
        print_set_style(out, PRINT_PLAIN);
    }
}

/* The addition of --exceptions=full to an end. */
static void print_passes(const exception_view *v, printer *out, const exception_figures *f, uint32_t depth) {
    if (f->search_ns == 0 && f->searched == 0)
        return;
    figure passed = format_time(f->search_ns);
    print_set_style(out, PRINT_DIM);
    table_figures(&v->table, out, NULL);
    table_indent(&v->table, out, depth);
    print_format(out, "first pass %s, ", format_trimmed(&passed));
    print_format(out, "%s frame%s searched, ", format_count(f->searched).text, f->searched == 1 ? "" : "s");
    print_format(out, "%s unwound\n", format_count(f->unwound).text);
    print_set_style(out, PRINT_PLAIN);
}

/* ---- Walking: pre-order, without a stack ------------------------------------------------------------------------ */

/* An end that nothing is known about but itself says so in one row, too. So does one right where an await has thrown
 * the exception again: its message stands where it was first seen. */
static bool is_leaf(const exceptions *e, const exception_node *n) {
    const exception_node *child = &e->nodes[n->first_child];
    if (n->first_child == 0 || is_thrower(e, n))
        return true;
    bool at_once = n->kind == EXCEPTION_END && child->kind == EXCEPTION_THROWN && child->next_sibling == 0;
    return at_once && (profile_is_thrown_again(n->value) || (n->function == NO_FUNCTION && child->message_count == 0));
}

static uint32_t most_children(const exception_view *v, uint32_t parent) {
    return v->r->options->top == 0 ? UINT32_MAX : parent == 0 ? MOST_TYPES : MOST_WAYS;
}

static void measure_node(exception_view *v, printer *out, uint32_t node, uint32_t depth) {
    (void)out;
    (void)depth;
    table_row row = row_of(&v->e->nodes[node].figures);
    table_measure(&v->table, &row);
}

/* A frame that all exceptions of the row above went through has no figures of its own. */
static bool has_figures(const exceptions *e, const exception_node *n) {
    return n->kind <= EXCEPTION_END || n->next_sibling != 0 || e->nodes[e->nodes[n->parent].first_child].next_sibling;
}

static void print_node(exception_view *v, printer *out, uint32_t node, uint32_t depth) {
    const exception_node *n = &v->e->nodes[node];
    table_row row = row_of(&n->figures);
    if (n->kind == EXCEPTION_TYPE)
        print_set_style(out, PRINT_BOLD);
    table_figures(&v->table, out, has_figures(v->e, n) ? &row : NULL);
    size_t room = table_indent(&v->table, out, depth);
    print_label(v, out, n, room);
    if (n->kind == EXCEPTION_TYPE)
        print_set_style(out, PRINT_PLAIN);
    print_string(out, "\n");
    if (n->kind == EXCEPTION_END)
        print_passes(v, out, &n->figures, depth + 1);
    print_messages(v, out, is_thrower(v->e, n) ? &v->e->nodes[n->first_child] : n, depth + 1);
}

/* Calls `visit` for each node that is shown and, when printing, says how many of a node's children are not. */
static void walk(exception_view *v, printer *out, bool measuring) {
    const exception_node *nodes = v->e->nodes;
    uint32_t parent = 0, node = nodes[0].first_child, depth = 1, position = 0;
    for (;;) {
        if (node != 0 && position < most_children(v, parent)) {
            (measuring ? measure_node : print_node)(v, out, node, depth);
            position += most_children(v, parent) != UINT32_MAX;
            if (!is_leaf(v->e, &nodes[node])) {
                parent = node;
                node = nodes[node].first_child;
                depth++;
                position = 0;
            } else {
                node = nodes[node].next_sibling;
            }
            continue;
        }
        if (node != 0 && !measuring) {
            exception_figures rest = {0};
            uint32_t count = 0;
            for (; node != 0; node = nodes[node].next_sibling, count++)
                rest.count = profile_add(rest.count, nodes[node].figures.count);
            print_set_style(out, PRINT_DIM);
            table_figures(&v->table, out, NULL);
            table_indent(&v->table, out, depth);
            print_format(out, "\u2026 %s more, ", format_count(count).text);
            print_format(out, "%s time%s\n", format_count(rest.count).text, rest.count == 1 ? "" : "s");
            print_set_style(out, PRINT_PLAIN);
        }
        if (parent == 0)
            return;
        node = parent;
        parent = nodes[node].parent;
        depth--;
        position = most_children(v, parent) == UINT32_MAX ? 0 : 1;
        for (uint32_t at = nodes[parent].first_child; position > 0 && at != node; at = nodes[at].next_sibling)
            position++;
        node = nodes[node].next_sibling;
    }
}

void exceptions_write(printer *out, const report *r) {
    const exceptions *e = &r->sum->exceptions;
    if (e->node_count == 0)
        return;
    exception_view v = {.r = r, .e = e, .table = {.titles = {"Count", "Total", "Average"}, .least_name = LEAST_NAME}};
    print_string(out, "\n");
    walk(&v, out, true);
    table_head(&v.table, out, "Exceptions, down to where they were thrown", r->options->width);
    walk(&v, out, false);
}
