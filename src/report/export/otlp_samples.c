/* The samples of an OTLP profile: nodes of the call tree, and of the async tree for what was awaited. Nodes of equal
 * stacks and attributes, as on threads of one name, are one sample. What no sample leads to is not in a table. */
#include <stdio.h>
#include <stdlib.h>

#include "report/export/otlp.h"
#include "report/model/cut.h"
#include "util/list.h"

/* Fields of opentelemetry/proto/profiles/v1development/profiles.proto, from 1.10 on. */
enum {
    MAPPING_FILENAME = 4,
    MAPPING_ATTRIBUTES = 5,
    LOCATION_MAPPING = 1,
    LOCATION_LINES = 3,
    LOCATION_ATTRIBUTES = 4,
    LINE_FUNCTION = 1,
    LINE_LINE = 2,
    FUNCTION_NAME = 1,
    FUNCTION_FILENAME = 3,
    FUNCTION_START_LINE = 4,
    ATTRIBUTE_KEY = 1,
    ATTRIBUTE_VALUE = 2,
    ANY_STRING = 1,
    ANY_INT = 3,
};

/* ---- Tables ----------------------------------------------------------------------------------------------------- */

static uint32_t string_of(otlp *o, bytes text) {
    return proto_table_number(&o->tables[OTLP_STRINGS], text);
}

uint32_t otlp_string(otlp *o, const char *text) {
    return string_of(o, bytes_of(text, strlen(text)));
}

/* Ends the message that was made: it is one of a table. */
static uint32_t number_of(otlp *o, unsigned table) {
    const uint32_t number = proto_table_number(&o->tables[table], buffer_bytes(&o->message));
    o->message.size = 0;
    return number;
}

/* Without a text the value is the number. */
uint32_t otlp_attribute(otlp *o, const char *key, bytes text, uint64_t number) {
    const uint32_t key_string = otlp_string(o, key);
    o->inner.size = 0;
    if (text.size > 0)
        proto_bytes(&o->inner, ANY_STRING, text);
    else
        proto_number(&o->inner, ANY_INT, number);
    proto_number(&o->message, ATTRIBUTE_KEY, key_string);
    proto_bytes(&o->message, ATTRIBUTE_VALUE, buffer_bytes(&o->inner));
    return number_of(o, OTLP_ATTRIBUTES);
}

static uint32_t mapping_of(otlp *o, const report_module *m) {
    static const uint8_t none[sizeof m->mvid];
    char mvid[2 * sizeof m->mvid + 1];
    for (size_t i = 0; i < sizeof m->mvid; i++)
        snprintf(mvid + 2 * i, 3, "%02x", m->mvid[i]);
    const bool known = memcmp(m->mvid, none, sizeof none) != 0;
    const uint32_t attribute = known ? otlp_attribute(o, "ilinject.mvid", bytes_of(mvid, sizeof mvid - 1), 0) : 0;
    view_module_name(&o->text, m);
    proto_number(&o->message, MAPPING_FILENAME, string_of(o, buffer_bytes(&o->text)));
    if (known) {
        o->inner.size = 0;
        buffer_varuint(&o->inner, attribute);
        proto_bytes(&o->message, MAPPING_ATTRIBUTES, buffer_bytes(&o->inner));
    }
    return number_of(o, OTLP_MAPPINGS);
}

/* Of a frame, or after the last one of what has no place. */
static uint32_t location_of(otlp *o, uint32_t frame) {
    if (o->locations[frame] != 0)
        return o->locations[frame];
    const report_function *f = frame < o->frames.count ? view_frame_function(&o->frames, frame) : NULL;
    const uint32_t type = f ? otlp_attribute(o, "profile.frame.type", bytes_of("dotnet", 6), 0) : 0;
    const bool placed = f && f->module != NO_MODULE;
    const uint32_t mapping = placed ? mapping_of(o, &o->r->sum->list.modules[f->module]) : 0;
    o->text.size = 0;
    if (frame < o->frames.count)
        view_frame_name(&o->text, &o->frames, frame);
    else
        buffer_string(&o->text, "(place not known)");
    const uint32_t name = string_of(o, buffer_bytes(&o->text));
    const uint32_t line = f ? view_source(&o->text, o->r, f) : 0;
    proto_number(&o->message, FUNCTION_NAME, name);
    if (line) { /* a path may hold what is no UTF-8, and a message may not */
        view_text(&o->inner, buffer_bytes(&o->text));
        proto_number(&o->message, FUNCTION_FILENAME, string_of(o, buffer_bytes(&o->inner)));
    }
    proto_number(&o->message, FUNCTION_START_LINE, line);
    const uint32_t function = number_of(o, OTLP_FUNCTIONS);
    o->inner.size = 0;
    proto_number(&o->inner, LINE_FUNCTION, function);
    proto_number(&o->inner, LINE_LINE, line);
    proto_number(&o->message, LOCATION_MAPPING, mapping);
    proto_bytes(&o->message, LOCATION_LINES, buffer_bytes(&o->inner));
    if (f) {
        o->inner.size = 0;
        buffer_varuint(&o->inner, type);
        proto_bytes(&o->message, LOCATION_ATTRIBUTES, buffer_bytes(&o->inner));
    }
    o->locations[frame] = number_of(o, OTLP_LOCATIONS);
    return o->locations[frame];
}

/* ---- Paths ------------------------------------------------------------------------------------------------------ */

/* The path that goes on with a frame; 0 when memory ran out. */
static uint32_t path_below(otlp *o, uint32_t above, uint32_t frame) {
    const uint32_t location = location_of(o, frame);
    uint32_t *slot = map_slot(&o->known_paths, map_key(above, location));
    if (slot && *slot != MAP_NONE)
        return *slot;
    if (!slot || !list_grow((void **)&o->paths, o->path_count, &o->path_capacity, sizeof *o->paths)) {
        o->failed = true;
        if (slot)
            *slot = 0;
        return 0;
    }
    *slot = o->path_count;
    o->paths[o->path_count] = (otlp_path){above, location, o->paths[above].size + proto_varint_size(location), 0};
    return o->path_count++;
}

static bool reserve_last(otlp *o) {
    const uint32_t had = o->last_count;
    if (!list_reserve((void **)&o->last, o->path_count, &o->last_count, sizeof *o->last))
        return false;
    for (uint32_t i = had; i < o->last_count; i++)
        o->last[i] = UINT32_MAX;
    return true;
}

/* Adds a source to the sample of its stack and attributes. Those of the same attributes come one after another. */
static void add_sample(otlp *o, uint32_t path, uint32_t attributes, uint32_t source) {
    if (o->failed || !reserve_last(o) ||
        !list_grow((void **)&o->samples, o->sample_count, &o->sample_capacity, sizeof *o->samples)) {
        o->failed = true;
        return;
    }
    const uint32_t last = o->last[path];
    if (last != UINT32_MAX && o->samples[last].attributes == attributes) {
        o->next[source] = o->samples[last].source;
        o->samples[last].source = source;
        return;
    }
    if (o->paths[path].stack == 0)
        o->paths[path].stack = ++o->stack_count;
    o->last[path] = o->sample_count;
    o->samples[o->sample_count++] = (otlp_sample){path, attributes, source};
}

/* ---- Values ----------------------------------------------------------------------------------------------------- */

static uint64_t source_value(const otlp *o, unsigned type, uint32_t source) {
    const call_tree *t = &o->r->sum->tree;
    if (source >= t->node_count)
        return type == OTLP_AWAITING ? o->r->sum->async.nodes[source - t->node_count].figures.awaiting_ns : 0;
    if (type == OTLP_EXCEPTIONS)
        return node_number(t, NODE_THROWN, source);
    if (type == OTLP_AWAITING || node_kind(&t->places.links[source]) == NODE_THREAD)
        return 0;
    return node_number(t,
                       type == OTLP_CALLS  ? NODE_CALLS
                       : type == OTLP_WALL ? TIMES_EXCLUSIVE
                                           : NODE_FIGURE + (type - OTLP_FIGURES),
                       source);
}

uint64_t otlp_value(const otlp *o, unsigned type, const otlp_sample *sample) {
    uint64_t sum = 0;
    for (uint32_t source = sample->source;; source = o->next[source]) {
        sum = profile_add(sum, source_value(o, type, source));
        if (o->next[source] == 0)
            return sum;
    }
}

static bool has_value(const otlp *o, uint32_t source) {
    uint64_t any = 0;
    for (unsigned type = 0; type < OTLP_TYPES; type++)
        any |= source_value(o, type, source);
    return any != 0;
}

/* ---- The call tree ---------------------------------------------------------------------------------------------- */

enum { OF_BELOW = 1, OWN = 2 };

/* Which nodes have a value, or one below them: parents come before their children. NULL: memory ran out. */
static uint8_t *nodes_of_use(const otlp *o) {
    const call_tree *t = &o->r->sum->tree;
    uint8_t *use = calloc((size_t)t->node_count + 1, 1);
    for (uint32_t i = use ? t->node_count : 0; i-- > 1;) {
        use[i] |= has_value(o, i) ? OWN : 0;
        if (use[i])
            use[t->places.links[i].parent] |= OF_BELOW;
    }
    return use;
}

/* A thread, or what else is below the root, and the attributes of its samples. */
typedef struct branch {
    uint32_t attributes, node;
} branch;

static int by_attributes(const void *left, const void *right) {
    const branch *a = left, *b = right;
    return a->attributes != b->attributes ? list_compare(a->attributes, b->attributes) : list_compare(a->node, b->node);
}

static uint32_t attributes_of(otlp *o, const fold_link *link) {
    if (node_kind(link) != NODE_THREAD)
        return 0;
    const report_thread *t = &o->r->sum->tree.threads[node_function(link)];
    const bool alone = t->id != 0 && !t->merged;
    uint32_t list[3], count = 0;
    buffer packed = BUFFER_INIT;
    if (alone && t->name.size > 0)
        view_text(&o->text, t->name);
    else
        view_thread_name(&o->text, o->r, t);
    list[count++] = otlp_attribute(o, "thread.name", buffer_bytes(&o->text), 0);
    if (alone)
        list[count++] = otlp_attribute(o, "thread.id", (bytes){0}, t->id);
    const uint64_t pid = view_program_of(o->r, t->run).pid;
    if (o->r->profile_count > 1 && pid > 0)
        list[count++] = otlp_attribute(o, "process.pid", (bytes){0}, pid);
    for (uint32_t i = 0; i < count; i++)
        buffer_varuint(&packed, list[i]);
    const uint32_t set = proto_table_number(&o->sets, buffer_bytes(&packed));
    o->failed |= packed.failed;
    buffer_clear(&packed);
    return set;
}

/* The node and all below it. */
static void add_branch(otlp *o, const branch *b, const uint8_t *use, uint32_t *places) {
    const fold_link *links = o->r->sum->tree.places.links;
    uint32_t node = b->node;
    do {
        const bool thread = node_kind(&links[node]) == NODE_THREAD;
        if (use[node] && !thread)
            places[node] = path_below(o, places[links[node].parent], view_frame_of(&o->frames, &links[node]));
        if (use[node] & OWN)
            add_sample(o, thread ? path_below(o, 0, o->frames.count) : places[node], b->attributes, node);
        node = walk_next(links, node);
    } while (node != 0 && links[node].parent != 0 && !o->failed);
}

static bool add_nodes(otlp *o) {
    const call_tree *t = &o->r->sum->tree;
    const fold_link *links = t->places.links;
    uint32_t count = 0, all = 0;
    for (uint32_t i = t->node_count > 0 ? links[0].first_child : 0; i != 0; i = links[i].next_sibling)
        all++;
    branch *branches = calloc((size_t)all + 1, sizeof *branches);
    uint32_t *places = calloc((size_t)t->node_count + 1, sizeof *places);
    uint8_t *use = nodes_of_use(o);
    const bool ready = branches && places && use;
    for (uint32_t i = ready && all > 0 ? links[0].first_child : 0; i != 0; i = links[i].next_sibling)
        if (use[i])
            branches[count++] = (branch){attributes_of(o, &links[i]), i};
    if (ready)
        qsort(branches, count, sizeof *branches, by_attributes);
    for (uint32_t i = 0; ready && i < count; i++)
        add_branch(o, &branches[i], use, places);
    free(branches);
    free(places);
    free(use);
    return ready && !o->failed;
}

/* ---- The async tree --------------------------------------------------------------------------------------------- */

/* Below CUT_DEPTH a call stands with its own frame and that of deeper calls, as in trees that are cut. */
static bool add_awaiting(otlp *o) {
    const async_tree *tree = &o->r->sum->async;
    const uint32_t first = o->r->sum->tree.node_count;
    uint32_t *places = calloc((size_t)tree->node_count + 1, sizeof *places); /* paths: of deeper ones the last above */
    uint8_t *use = calloc((size_t)tree->node_count + 1, 1);
    const bool ready = places && use;
    for (uint32_t i = ready ? tree->node_count : 0; i-- > 1;) {
        use[i] |= tree->nodes[i].figures.awaiting_ns > 0 ? OWN : 0;
        if (use[i])
            use[tree->nodes[i].parent] |= OF_BELOW;
    }
    for (uint32_t i = 1; ready && i < tree->node_count && !o->failed; i++) {
        const async_node *n = &tree->nodes[i];
        const uint32_t above = places[n->parent];
        if (!use[i])
            continue;
        const bool deep = n->depth > CUT_DEPTH;
        places[i] = deep ? above : path_below(o, above, n->function);
        if (use[i] & OWN)
            add_sample(o, deep ? path_below(o, path_below(o, above, o->frames.deep), n->function) : places[i], 0,
                       first + i);
    }
    free(places);
    free(use);
    return ready && !o->failed;
}

/* ---- All -------------------------------------------------------------------------------------------------------- */

static void add_up(otlp *o) {
    for (uint32_t i = 0; i < o->sample_count; i++)
        for (unsigned type = 0; type < OTLP_TYPES; type++) {
            const uint64_t value = otlp_value(o, type, &o->samples[i]);
            o->totals[type] = profile_add(o->totals[type], value);
            o->counts[type] += value > 0;
        }
}

bool otlp_collect(otlp *o) {
    const aggregate *a = o->r->sum;
    o->locations = calloc((size_t)o->frames.count + 1, sizeof *o->locations);
    o->next = calloc((size_t)a->tree.node_count + a->async.node_count + 1, sizeof *o->next);
    if (!o->locations || !o->next || !list_grow((void **)&o->paths, 0, &o->path_capacity, sizeof *o->paths))
        return false;
    o->paths[o->path_count++] = (otlp_path){0};
    const bool done = add_nodes(o) && add_awaiting(o);
    map_clear(&o->known_paths);
    free(o->last);
    o->last = NULL;
    if (done)
        add_up(o);
    return done;
}
