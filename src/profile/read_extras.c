#include <stdlib.h>

#include "profile/parse.h"

/* Sections that may follow a THRD, of exceptions and async methods: EXCP, ASYN and SLIC. */

enum { MIN_TYPE_BYTES = 1, MIN_ENTRY_BYTES = 2, MIN_PATH_BYTES = 10, MIN_ASYNC_BYTES = 11, MIN_SLICE_BYTES = 2 };

/* ---- EXCP ------------------------------------------------------------------------------------------------------- */

static ecma_status read_types(parser *p, arena *memory, profile_thread *t) {
    uint32_t count = 0;
    ecma_status status = parse_count(p, &count, MIN_TYPE_BYTES, "a number of exception types");
    if (status != ECMA_OK)
        return status;
    t->exception_types = arena_alloc_array(memory, count, sizeof *t->exception_types);
    if (!t->exception_types)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count; i++)
        t->exception_types[i] = parse_string(p, "an exception type's name");
    t->exception_type_count = count;
    return p->in.failed ? parse_missing(p) : ECMA_OK;
}

static ecma_status read_entries(parser *p, profile_thread *t) {
    uint32_t count = 0, node = 0;
    ecma_status status = parse_count(p, &count, MIN_ENTRY_BYTES, "a number of nodes");
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++) {
        status = parse_position(p, &node, t, "a node");
        uint64_t frames = parse_quantity(p, "a node's frames left by exception");
        if (status == ECMA_OK && p->in.failed)
            status = parse_missing(p);
        if (status == ECMA_OK)
            columns_set(&t->nodes, PROFILE_BY_EXCEPTION, node,
                        profile_add(profile_number(t, PROFILE_BY_EXCEPTION, node), frames));
    }
    return status;
}

/* For each node the last position below it, malloc's: a node is at or above another when that one's position lies
 * between its own and its last. NULL when memory ran out. */
static uint32_t *find_last(const profile_thread *t) {
    uint32_t *last = malloc(t->node_count * sizeof *last);
    for (uint32_t i = 0; i < t->node_count && last; i++)
        last[i] = i;
    for (uint32_t i = t->node_count; last && i-- > 1;) {
        uint32_t parent = t->parents[i];
        if (last[parent] < last[i])
            last[parent] = last[i];
    }
    return last;
}

/* `last`: from find_last. */
static ecma_status read_path(parser *p, const profile_thread *t, const uint32_t *last, profile_path *path) {
    size_t at = parse_offset(p);
    uint64_t type = parse_number(p, "a path's type");
    if (!p->in.failed && type > t->exception_type_count)
        return parse_damaged_at(p, at, "0 or 1 + the position of a type");
    ecma_status status = p->in.failed ? parse_missing(p) : parse_position(p, &path->thrower, t, "a thrower");
    at = parse_offset(p);
    if (status == ECMA_OK)
        status = parse_position(p, &path->catcher, t, "a catcher");
    if (status != ECMA_OK)
        return status;
    if (path->catcher > path->thrower || path->thrower > last[path->catcher])
        return parse_damaged_at(p, at, "a catcher that is the thrower or above it");
    path->type = (uint32_t)type;
    uint64_t outcome = parse_number(p, "a path's outcome");
    path->outcome = outcome < PROFILE_OUTCOMES ? (uint32_t)outcome : PROFILE_OUTCOMES;
    path->count = parse_quantity(p, "a path's count");
    path->ticks = parse_quantity(p, "a path's ticks");
    path->search_ticks = parse_quantity(p, "a path's search ticks");
    path->frames_searched = parse_quantity(p, "a path's frames searched");
    path->frames_unwound = parse_quantity(p, "a path's frames unwound");
    uint64_t messages = parse_number(p, "a path's message count");
    for (uint64_t i = 0; i < messages && !p->in.failed; i++) {
        bytes message = parse_string(p, "a message");
        if (i < PROFILE_MESSAGES)
            path->messages[path->message_count++] = message;
    }
    return p->in.failed ? parse_missing(p) : ECMA_OK;
}

ecma_status parse_exceptions(parser *p) {
    arena *memory = &p->out->memory;
    profile_thread *t = p->thread;
    uint32_t count = 0;
    ecma_status status = read_types(p, memory, t);
    if (status == ECMA_OK)
        status = read_entries(p, t);
    if (status == ECMA_OK)
        status = parse_count(p, &count, MIN_PATH_BYTES, "a number of paths");
    if (status != ECMA_OK)
        return status;
    t->paths = arena_alloc_array(memory, count, sizeof *t->paths);
    if (!t->paths || !parse_depths(p))
        return diag_no_memory(p->d);
    uint32_t *last = find_last(t);
    if (!last)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++)
        status = read_path(p, t, last, &t->paths[i]);
    free(last);
    t->path_count = count;
    return status;
}

/* ---- ASYN ------------------------------------------------------------------------------------------------------- */

static ecma_status read_async_node(parser *p, profile_async *n, uint32_t left, bool root, uint32_t *child_count) {
    size_t at = parse_offset(p);
    uint64_t children = parse_number(p, "a node's child count");
    size_t id_at = parse_offset(p);
    uint64_t id = parse_number(p, "a node's id");
    n->calls = parse_quantity(p, "a node's calls");
    n->suspensions = parse_quantity(p, "a node's suspensions");
    n->completed = parse_quantity(p, "a node's completed calls");
    n->failed = parse_quantity(p, "a node's failed calls");
    n->cancelled = parse_quantity(p, "a node's cancelled calls");
    n->running_ticks = parse_quantity(p, "a node's running ticks");
    n->awaiting_ticks = parse_quantity(p, "a node's awaiting ticks");
    n->wall_ticks = parse_quantity(p, "a node's wall ticks");
    n->unlinked = parse_quantity(p, "a node's unlinked slices");
    if (p->in.failed)
        return parse_missing(p);
    if (children > left)
        return parse_damaged_at(p, at, "a child count not above the number of nodes that are left");
    if (id > INT32_MAX || (id == PROFILE_ID_ROOT) != root)
        return parse_damaged_at(p, id_at, root ? "the root's id, 0" : "an id below 2^31 that is not the root's");
    n->id = (uint32_t)id;
    *child_count = (uint32_t)children;
    return ECMA_OK;
}

static ecma_status read_async_nodes(parser *p, const profile_thread *t, parse_shape *shape) {
    for (uint32_t i = 0; i < t->async_count; i++) {
        uint32_t children = 0;
        if (i > 0 && !parse_try_parent(shape, &t->async[i].parent))
            return parse_damaged(p, "the end of the tree: every node has its children already");
        ecma_status status = read_async_node(p, &t->async[i], t->async_count - 1 - i, i == 0, &children);
        if (status == ECMA_OK && !parse_placed(shape, i, children))
            status = diag_no_memory(p->d);
        if (status != ECMA_OK)
            return status;
    }
    return parse_whole(shape) ? ECMA_OK
                              : parse_damaged(p, "more nodes: the child counts add up to more than the node count");
}

ecma_status parse_async(parser *p) {
    profile_thread *t = p->thread;
    uint32_t count = 0;
    size_t at = parse_offset(p);
    ecma_status status = parse_count(p, &count, MIN_ASYNC_BYTES, "a node count");
    if (status != ECMA_OK)
        return status;
    if (count == 0)
        return parse_damaged_at(p, at, "a node count of at least 1");
    t->async = arena_alloc_array(&p->out->memory, count, sizeof *t->async);
    if (!t->async)
        return diag_no_memory(p->d);
    t->async_count = count;
    parse_shape shape = {0};
    status = read_async_nodes(p, t, &shape);
    parse_shape_clear(&shape);
    return status;
}

/* ---- SLIC ------------------------------------------------------------------------------------------------------- */

ecma_status parse_slices(parser *p) {
    profile_thread *t = p->thread;
    uint32_t count = 0;
    uint64_t node = 0;
    ecma_status status = parse_count(p, &count, MIN_SLICE_BYTES, "a number of slices");
    for (uint32_t i = 0; i < count && status == ECMA_OK; i++) {
        size_t at = parse_offset(p);
        uint64_t step = parse_number(p, "a slice's node");
        uint64_t place = parse_number(p, "a slice's place");
        if (p->in.failed)
            return parse_missing(p);
        if (step == 0 || step >= t->node_count - node)
            return parse_damaged_at(p, at, "positions of nodes in their order");
        node += step;
        if (place == 0 || place >= t->async_count || t->async[place].id != t->ids[node])
            return parse_damaged_at(p, at, "the position of a node of ASYN with the same id");
        columns_set(&t->nodes, PROFILE_PLACE, (uint32_t)node, place);
    }
    t->has_slices = true;
    return status;
}

ecma_status parse_switches(parser *p) {
    enum { MIN_SWITCH_BYTES = 4 };
    profile *out = p->out;
    uint32_t count = 0, last = PROFILE_ID_FIRST - 1;
    ecma_status status = parse_count(p, &count, MIN_SWITCH_BYTES, "a number of methods");
    if (status != ECMA_OK)
        return status;
    out->switches = arena_alloc_array(&out->memory, count, sizeof *out->switches);
    if (!out->switches)
        return diag_no_memory(p->d);
    for (uint32_t i = 0; i < count; i++) {
        profile_switch *s = &out->switches[i];
        size_t at = parse_offset(p);
        uint64_t id = parse_number(p, "a method's id");
        uint64_t reasons = parse_number(p, "the reasons for which a method is off");
        s->at_ns = parse_quantity(p, "when a method was switched");
        s->calls = parse_quantity(p, "the calls of a method till then");
        if (p->in.failed)
            return parse_missing(p);
        if (id <= last || id > INT32_MAX)
            return parse_damaged_at(p, at, "ids of methods in their order, below 2^31");
        s->id = last = (uint32_t)id;
        s->reasons = (uint32_t)(reasons & (PROFILE_OFF | PROFILE_OFF * PROFILE_WAS_OFF));
    }
    out->switch_count = count;
    return ECMA_OK;
}

/* The module, from position `first` on, that begins with the id; SIZE_MAX when there is none. */
static size_t module_at(const profile *p, uint64_t base, size_t first) {
    for (size_t i = first; i < p->module_count; i++)
        if (p->modules[i].base == base)
            return i;
    return SIZE_MAX;
}

ecma_status parse_sites(parser *p) {
    enum { MIN_MODULE_BYTES = 4, MIN_SITE_BYTES = 2 };
    profile *out = p->out;
    uint32_t modules = 0;
    ecma_status status = parse_count(p, &modules, MIN_MODULE_BYTES, "a number of modules");
    if (status != ECMA_OK)
        return status;
    out->sites = arena_alloc_array(&out->memory, reader_left(&p->in) / MIN_SITE_BYTES + 1, sizeof *out->sites);
    if (!out->sites)
        return diag_no_memory(p->d);
    size_t module = 0;
    for (uint32_t i = 0; i < modules; i++) {
        size_t at = parse_offset(p);
        uint64_t base = parse_number(p, "the first id of a module");
        uint32_t count = 0;
        if ((status = parse_count(p, &count, MIN_SITE_BYTES, "a number of places")) != ECMA_OK)
            return status;
        module = module_at(out, base, module);
        if (module == SIZE_MAX)
            return parse_damaged_at(p, at, "the first id of a module of MODS, in their order");
        uint64_t site = 0;
        for (uint32_t k = 0; k < count; k++) {
            at = parse_offset(p);
            uint64_t step = parse_number(p, "a place that allocates objects");
            profile_site *made = &out->sites[out->site_count];
            made->objects = parse_quantity(p, "the objects that a place allocated");
            if (p->in.failed)
                return parse_missing(p);
            if ((k > 0 && step == 0) || step > INT32_MAX - site)
                return parse_damaged_at(p, at, "places in their order, below 2^31");
            site += step;
            made->module = (uint32_t)module;
            made->site = (uint32_t)site;
            out->site_count++;
        }
        module++;
    }
    return ECMA_OK;
}
