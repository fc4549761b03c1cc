#include "report/view/exceptions.h"

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

/* An end that nothing is known about but itself says so in one row, too. So does one right where an await has thrown
 * the exception again: its message stands where it was first seen. */
static bool is_leaf(const exceptions *e, const exception_node *n) {
    const exception_node *child = &e->nodes[n->first_child];
    if (n->first_child == 0 || is_thrower(e, n))
        return true;
    bool at_once = n->kind == EXCEPTION_END && child->kind == EXCEPTION_THROWN && child->next_sibling == 0;
    return at_once && (profile_is_thrown_again(n->value) || (n->function == NO_FUNCTION && child->message_count == 0));
}

/* A frame that all exceptions of the row above went through has no figures of its own. */
static bool has_figures(const exceptions *e, const exception_node *n) {
    return n->kind <= EXCEPTION_END || n->next_sibling != 0 || e->nodes[e->nodes[n->parent].first_child].next_sibling;
}

static view_exception row_of(const view_exceptions *w, const exceptions *e, const exception_node *n) {
    const exception_figures *f = &n->figures;
    bool named = (n->kind == EXCEPTION_END || n->kind == EXCEPTION_FRAME) && n->function != NO_FUNCTION;
    view_exception row = {.kind = n->kind,
                          .depth = w->depth,
                          .outcome = n->kind == EXCEPTION_END ? n->value : 0,
                          .function = named ? &w->r->sum->list.functions[n->function] : NULL,
                          .least = n->least,
                          .most = n->most,
                          .again = is_thrown_again(e, n),
                          .thrower = w->folds && is_thrower(e, n),
                          .has_figures = has_figures(e, n),
                          .count = f->count,
                          .ns = f->ns,
                          .average_ns = f->count ? f->ns / f->count : 0,
                          .search_ns = f->search_ns,
                          .searched = f->searched,
                          .unwound = f->unwound};
    const exception_node *messages = row.thrower ? &e->nodes[n->first_child] : n;
    row.message_count = messages->message_count;
    row.messages = row.message_count ? &e->messages[messages->messages] : NULL;
    if (n->kind == EXCEPTION_TYPE)
        row.type = e->types[n->value].name;
    return row;
}

static uint32_t most_below(const view_exceptions *w, uint32_t parent) {
    uint32_t most = parent == 0 ? w->top : w->below;
    return most == 0 ? UINT32_MAX : most;
}

/* Goes on after `parent`, which is done. */
static void leave(view_exceptions *w, const exception_node *nodes) {
    uint32_t above = nodes[w->parent].parent;
    w->node = nodes[w->parent].next_sibling;
    w->depth--;
    w->position = most_below(w, above) == UINT32_MAX ? 0 : 1;
    for (uint32_t at = nodes[above].first_child; w->position > 0 && at != w->parent; at = nodes[at].next_sibling)
        w->position++;
    w->parent = above;
}

bool view_next_exception(view_exceptions *w, view_exception *row) {
    const exceptions *e = &w->r->sum->exceptions;
    const exception_node *nodes = e->nodes;
    if (e->node_count == 0)
        return false;
    if (!w->begun) {
        w->node = nodes[0].first_child;
        w->depth = 1;
    }
    w->begun = true;
    while (w->node == 0 && w->parent != 0)
        leave(w, nodes);
    if (w->node == 0)
        return false;
    const exception_node *n = &nodes[w->node];
    if (w->position >= most_below(w, w->parent)) {
        *row = (view_exception){.depth = w->depth};
        for (; w->node != 0; w->node = nodes[w->node].next_sibling, row->more++)
            row->count = profile_add(row->count, nodes[w->node].figures.count);
        return true;
    }
    *row = row_of(w, e, n);
    w->position += most_below(w, w->parent) != UINT32_MAX;
    if (w->types || (w->folds ? is_leaf(e, n) : n->first_child == 0)) {
        w->node = n->next_sibling;
        return true;
    }
    w->parent = w->node;
    w->node = n->first_child;
    w->depth++;
    w->position = 0;
    return true;
}

bool view_has_exceptions(const report *r) {
    return r->sum->exceptions.node_count > 0;
}
