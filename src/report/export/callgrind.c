/* The callgrind format: https://valgrind.org/docs/manual/cl-format.html. For callgrind_annotate and KCachegrind.
 *
 * It knows functions and who called whom, no paths: each function's own time, and each pair's calls and inclusive time.
 * As callgrind itself does by default, what is called while it runs already is another function, `name'2`, so that the
 * inclusive time of the first is right. Threads are functions that nobody calls. Folded calls are called by a function
 * of that name, which their callers call; how often is not known, so it says once. Names are compressed: "(id) name"
 * once, "(id)" from then on. Costs stand at the line of a function's first statement, as far as symbols said it, and so
 * do calls; a call of a leaf has its own. */
#include <inttypes.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/model/figures.h"
#include "util/list.h"

/* One of each event. */
typedef struct costs {
    uint64_t ns, thrown, figures[FIGURES];
} costs;

/* A caller and a callee. */
typedef struct call_pair {
    uint32_t callee;
    uint32_t next; /* of the same caller: 1 + position, 0 none */
    uint64_t calls;
    costs of;
} call_pair;

typedef struct callee_list {
    uint32_t first, last; /* 1 + position, 0 none */
    costs own;
    bool used;
} callee_list;

/* Functions of the file: frames, then what is called while it runs, then threads. */
typedef struct graph {
    const report *r;
    view_frames frames;
    callee_list *functions;
    uint32_t function_count;
    call_pair *pairs;
    uint32_t pair_count, pair_capacity;
    map pair_map;
    uint32_t *above;  /* of each function of the report: nodes on the path that is walked */
    uint64_t *thrown; /* exceptions of each node's subtree; NULL: there were none */
    map files;        /* of modules' sources: the numbers, from 2; 1 is of what has none */
    uint32_t file_count;
} graph;

static void add_costs(costs *sum, costs more) {
    sum->ns = profile_add(sum->ns, more.ns);
    sum->thrown = profile_add(sum->thrown, more.thrown);
    profile_add_figures(sum->figures, more.figures);
}

static costs costs_of(uint64_t ns, uint64_t thrown, const uint64_t figures[FIGURES]) {
    costs of = {.ns = ns, .thrown = thrown};
    memcpy(of.figures, figures, sizeof of.figures);
    return of;
}

static bool add_call(graph *g, uint32_t caller, uint32_t callee, uint64_t calls, costs of) {
    uint32_t *slot = map_slot(&g->pair_map, map_key(caller, callee));
    if (!slot)
        return false;
    if (*slot == MAP_NONE) {
        if (!list_grow((void **)&g->pairs, g->pair_count, &g->pair_capacity, sizeof *g->pairs))
            return false;
        *slot = g->pair_count++;
        g->pairs[*slot] = (call_pair){.callee = callee};
        callee_list *list = &g->functions[caller];
        *(list->last ? &g->pairs[list->last - 1].next : &list->first) = *slot + 1;
        list->last = *slot + 1;
    }
    call_pair *pair = &g->pairs[*slot];
    pair->calls = profile_add(pair->calls, calls);
    add_costs(&pair->of, of);
    g->functions[caller].used = g->functions[callee].used = true;
    return true;
}

static bool is_nothing(costs c) {
    return c.ns == 0 && !profile_any_figure(c.figures);
}

static uint64_t above(uint64_t all, uint64_t known) {
    return all > known ? all - known : 0;
}

/* The difference, but for exceptions. */
static costs costs_above(costs all, const costs *known) {
    costs rest = {.ns = above(all.ns, known->ns)};
    for (int kind = 0; kind < FIGURES; kind++)
        rest.figures[kind] = above(all.figures[kind], known->figures[kind]);
    return rest;
}

/* The part of a node's inclusive costs that arose in calls that were folded away. */
static costs folded_part(const call_tree *tree, const report_node *n) {
    costs known = costs_of(n->times.exclusive_ns, 0, n->figures.all);
    for (uint32_t child = n->first_child; child != 0; child = tree->places.links[child].next_sibling) {
        const report_node callee = call_tree_node(tree, child);
        add_costs(&known, costs_of(callee.times.inclusive_ns, 0, callee.all_figures.all));
    }
    return costs_above(costs_of(n->times.inclusive_ns, 0, n->all_figures.all), &known);
}

static void add_own(graph *g, uint32_t function, const report_node *n) {
    callee_list *f = &g->functions[function];
    add_costs(&f->own, costs_of(n->times.exclusive_ns, n->thrown, n->figures.all));
    f->used = true;
}

/* All that stands below a thread's node. */
static bool add_thread(graph *g, uint32_t top) {
    const aggregate *a = g->r->sum;
    const fold_link *nodes = a->tree.places.links;
    const report_node of_top = call_tree_node(&a->tree, top);
    const uint32_t again = g->frames.count, thread = 2 * again + of_top.function;
    uint32_t last = top;
    costs folded_all = {0}, folded_known = {0};
    uint32_t *functions = NULL; /* by depth */
    uint32_t capacity = 0;
    bool done = list_grow((void **)&functions, 1, &capacity, sizeof *functions);
    if (done)
        functions[1] = thread; /* a thread's node stands at depth 1 */
    add_own(g, thread, &of_top);
    for (uint32_t node = nodes[top].first_child; done && node != 0;) {
        const report_node its = call_tree_node(&a->tree, node), *n = &its;
        for (; last != n->parent; last = nodes[last].parent) /* what is not on the path any more */
            if (link_is_call(&nodes[last]))
                g->above[node_function(&nodes[last])]--;
        last = node;
        bool folded = node_kind(&nodes[n->parent]) == NODE_FOLDED;
        uint32_t frame = view_frame_of(&g->frames, &nodes[node]);
        if (node_is_call(n) && (g->above[n->function]++ > 0 || folded))
            frame += again;
        done = list_grow((void **)&functions, n->depth, &capacity, sizeof *functions);
        if (!done)
            break;
        functions[n->depth] = frame;
        add_own(g, frame, n);
        if (n->kind == NODE_FOLDED) {
            folded_all = costs_of(n->times.inclusive_ns, 0, n->all_figures.all);
        } else {
            costs part = folded ? (costs){0} : folded_part(&a->tree, n);
            add_costs(&folded_known, part);
            done = add_call(g, functions[n->depth - 1], frame, view_node_calls(&a->tree, node),
                            costs_of(n->times.inclusive_ns, g->thrown ? g->thrown[node] : 0, n->all_figures.all)) &&
                   (is_nothing(part) || add_call(g, frame, g->frames.folded, 0, part));
        }
        node = walk_next(nodes, node);
        if (node != 0 && a->tree.depths[node] <= of_top.depth)
            node = 0;
    }
    for (; last != top; last = nodes[last].parent)
        if (link_is_call(&nodes[last]))
            g->above[node_function(&nodes[last])]--;
    free(functions);
    const costs rest = costs_above(folded_all, &folded_known);
    return done && (is_nothing(rest) || add_call(g, thread, g->frames.folded, 0, rest));
}

/* "(12) name" where it is named first. */
static void print_name_of(graph *g, printer *out, buffer *name, bool *named, uint32_t function) {
    const uint32_t again = g->frames.count;
    print_string(out, "(");
    print_number(out, function + 1);
    print_string(out, ")");
    if (!named[function]) {
        named[function] = true;
        if (function >= 2 * again)
            view_thread_name(name, g->r, &g->r->sum->tree.threads[function - 2 * again]);
        else
            view_frame_name(name, &g->frames, function % again);
        print_string(out, " ");
        print_bytes(out, (const char *)name->data, name->size);
        print_string(out, function >= again && function < 2 * again ? "'2" : "");
    }
    print_string(out, "\n");
}

/* The object file that functions are of: the module. */
static void print_object(graph *g, printer *out, buffer *name, bool *named, const char *key, uint32_t function) {
    const uint32_t again = g->frames.count;
    const aggregate *a = g->r->sum;
    const report_function *f = function < 2 * again ? view_frame_function(&g->frames, function % again) : NULL;
    uint32_t object = f && f->module != NO_MODULE ? f->module : a->list.module_count;
    print_string(out, key);
    print_string(out, "=(");
    print_number(out, object + 1);
    print_string(out, ")");
    if (!named[object]) {
        named[object] = true;
        if (object < a->list.module_count)
            view_module_name(name, &a->list.modules[object]);
        else
            view_text(name, bytes_of("???", 3));
        print_string(out, " ");
        print_bytes(out, (const char *)name->data, name->size);
    }
    print_string(out, "\n");
}

static uint32_t line_of(const graph *g, uint32_t function) {
    const uint32_t again = g->frames.count;
    const report_function *f = function < 2 * again ? view_frame_function(&g->frames, function % again) : NULL;
    return f && f->names ? f->names->methods[f->method].line : 0;
}

/* The line where the first function calls the other one, in its file; when that is not known its first line. */
static uint32_t call_line(const graph *g, uint32_t caller, uint32_t callee) {
    const uint32_t again = g->frames.count;
    const report_function *from = line_of(g, caller) ? view_frame_function(&g->frames, caller % again) : NULL,
                          *to = callee < 2 * again ? view_frame_function(&g->frames, callee % again) : NULL;
    const report_function *first = g->r->sum->list.functions;
    const leaf_lines *l = &g->r->sum->sites.leaves;
    const uint32_t at = from && to ? leaf_lines_of(l, (uint32_t)(from - first), (uint32_t)(to - first)) : MAP_NONE;
    const bool same = at != MAP_NONE && l->list[at].names == from->names &&
                      l->list[at].file == from->names->methods[from->method].file;
    return same ? l->list[at].line : line_of(g, caller);
}

/* The number of the file that a function is in. */
static uint32_t print_file(graph *g, printer *out, buffer *path, const char *key, uint32_t function) {
    const uint32_t again = g->frames.count;
    const report_function *f = line_of(g, function) ? view_frame_function(&g->frames, function % again) : NULL;
    uint32_t *slot = f ? map_slot(&g->files, map_key(f->module, f->names->methods[f->method].file)) : NULL;
    bool is_new = slot && *slot == MAP_NONE;
    if (is_new)
        *slot = 2 + g->file_count++;
    uint32_t file = slot ? *slot : 1;
    out->no_memory |= f && !slot;
    print_format(out, "%s=(%" PRIu32 ")", key, file);
    if (is_new) {
        view_source(path, g->r, f);
        print_string(out, " ");
        print_bytes(out, (const char *)path->data, path->size);
    }
    print_string(out, "\n");
    return file;
}

/* One of each event, to the end of the line. */
static void print_costs(const graph *g, printer *out, costs of) {
    print_string(out, " ");
    print_number(out, of.ns);
    if (g->thrown) {
        print_string(out, " ");
        print_number(out, of.thrown);
    }
    for (int kind = 0; kind < FIGURES; kind++)
        if (g->r->sum->counted.all[kind] > 0) {
            print_string(out, " ");
            print_number(out, of.figures[kind]);
        }
    print_string(out, "\n");
}

static void print_notes(const report *r, printer *out, bool *done) {
    view_notes notes;
    buffer line = BUFFER_INIT;
    *done = view_notes_make(&notes, r) && *done;
    for (uint32_t i = 0; i < notes.count && *done; i++) {
        view_note(&line, &notes, i);
        print_string(out, "desc: Note: ");
        print_bytes(out, (const char *)line.data, line.size);
        print_string(out, "\n");
        *done = !line.failed;
    }
    buffer_clear(&line);
    view_notes_clear(&notes);
}

/* A line for each event, and their order. */
static void print_events(const graph *g, printer *out) {
    print_string(out, "event: exclusive_ns : Own time in nanoseconds\n");
    print_string(out, g->thrown ? "event: exceptions : Exceptions that were thrown\n" : "");
    for (int kind = 0; kind < FIGURES; kind++)
        if (g->r->sum->counted.all[kind] > 0)
            print_format(out, "event: %s : %s\n", figure_kinds[kind].name, figure_kinds[kind].event);
    print_string(out, g->thrown ? "events: exclusive_ns exceptions" : "events: exclusive_ns");
    for (int kind = 0; kind < FIGURES; kind++)
        if (g->r->sum->counted.all[kind] > 0)
            print_format(out, " %s", figure_kinds[kind].name);
    print_string(out, "\n");
}

static bool print_graph(graph *g, printer *out) {
    const report *r = g->r;
    bool *named = calloc((size_t)g->function_count + 1, sizeof *named);
    bool *objects = calloc((size_t)r->sum->list.module_count + 1, sizeof *objects);
    buffer name = BUFFER_INIT;
    bool done = named && objects, lines = false;
    for (uint32_t i = 0; i < g->frames.count && !lines; i++)
        lines = line_of(g, i) != 0;
    const view_program program = view_program_of(r, 0);
    view_text(&name, program.name);
    print_format(
        out, "# callgrind format\nversion: 1\ncreator: ilinject " ILJ_VERSION "\npid: %" PRIu64 "\ncmd: ", program.pid);
    print_bytes(out, (const char *)name.data, name.size);
    print_string(out, "\npart: 1\n");
    print_notes(r, out, &done);
    print_string(out, "\npositions: line\n");
    print_events(g, out);
    print_string(out, "summary:");
    print_costs(g, out,
                costs_of(r->sum->totals.exclusive_ns, g->thrown ? g->thrown[0] : 0, r->sum->totals.figures.all));
    print_string(out, "\nfl=(1) ???\n");
    for (uint32_t i = 0; done && i < g->function_count; i++) {
        const callee_list *f = &g->functions[i];
        if (!f->used)
            continue;
        print_string(out, "\n");
        print_object(g, out, &name, objects, "ob", i);
        if (lines)
            print_file(g, out, &name, "fl", i);
        print_string(out, "fn=");
        print_name_of(g, out, &name, named, i);
        print_number(out, line_of(g, i));
        print_costs(g, out, f->own);
        for (uint32_t at = f->first; at != 0; at = g->pairs[at - 1].next) {
            const call_pair *pair = &g->pairs[at - 1];
            print_object(g, out, &name, objects, "cob", pair->callee);
            if (lines)
                print_file(g, out, &name, "cfi", pair->callee);
            print_string(out, "cfn=");
            print_name_of(g, out, &name, named, pair->callee);
            /* The costs of no call would be own ones to callgrind_annotate. */
            print_string(out, "calls=");
            print_number(out, pair->calls > 0 ? pair->calls : 1);
            print_format(out, " %" PRIu32 "\n%" PRIu32, line_of(g, pair->callee), call_line(g, i, pair->callee));
            print_costs(g, out, pair->of);
        }
    }
    done = done && !name.failed;
    buffer_clear(&name);
    free(named);
    free(objects);
    return done;
}

/* Children stand after their parent. */
static bool sum_thrown(graph *g) {
    const aggregate *a = g->r->sum;
    bool any = false;
    for (uint32_t i = 0; i < a->tree.node_count && !any; i++)
        any = node_number(&a->tree, NODE_THROWN, i) > 0;
    if (!any)
        return true;
    g->thrown = calloc(a->tree.node_count, sizeof *g->thrown);
    for (uint32_t i = a->tree.node_count; g->thrown && i-- > 0;) {
        const uint32_t parent = a->tree.places.links[i].parent;
        g->thrown[i] = profile_add(g->thrown[i], node_number(&a->tree, NODE_THROWN, i));
        if (i > 0)
            g->thrown[parent] = profile_add(g->thrown[parent], g->thrown[i]);
    }
    return g->thrown != NULL;
}

bool callgrind_write(printer *out, const report *r) {
    const aggregate *a = r->sum;
    graph g = {.r = r, .pair_map = MAP_INIT, .files = MAP_INIT};
    if (!view_frames_make(&g.frames, r))
        return false;
    g.function_count = 2 * g.frames.count + a->tree.thread_count;
    g.functions = calloc((size_t)g.function_count + 1, sizeof *g.functions);
    g.above = calloc((size_t)a->list.function_count + 1, sizeof *g.above);
    bool done = g.functions && g.above && sum_thrown(&g);
    const fold_link *nodes = a->tree.places.links;
    for (uint32_t top = nodes[0].first_child; done && top != 0; top = nodes[top].next_sibling)
        done = add_thread(&g, top);
    done = done && print_graph(&g, out);
    free(g.functions);
    free(g.above);
    free(g.thrown);
    free(g.pairs);
    map_clear(&g.pair_map);
    map_clear(&g.files);
    view_frames_clear(&g.frames);
    return done;
}
