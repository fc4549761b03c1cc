/* pprof: the message Profile of https://github.com/google/pprof/blob/main/proto/profile.proto, in gzip (RFC 1952).
 *
 * A sample for each node, with its thread as a label. Its values, and what a tool makes of them that adds them up by
 * function: "calls"; "exclusive", own time, whose sums along stacks are the inclusive times; "inclusive", which stands
 * at the outermost node of a function alone, so that the flat sums are the report's inclusive times, and the cumulated
 * ones mean nothing; "exceptions" that were first seen there. With async methods that waited also "awaiting", by their
 * logical call tree; where bytes were counted "alloc_space", those of the node's own code, likewise
 * "alloc_objects", "collections" and their "pause". Functions are locations
 * without addresses; modules are mappings, their MVIDs build ids.
 *
 * Messages are length-delimited fields one after another, so the file needs no whole profile in memory: what is packed
 * at once is bounded, and a larger file is several gzip members, which is one file to gzip and to all that reads pprof.
 */
#include <libdeflate.h>
#include <stdlib.h>

#include "report/export/export.h"
#include "report/export/protobuf.h"
#include "report/model/cut.h"
#include "report/model/figures.h"

enum { MEMBER_BYTES = 4 << 20, LEVEL = 6 };

/* Field numbers of profile.proto. */
enum {
    PROFILE_SAMPLE_TYPE = 1,
    PROFILE_SAMPLE = 2,
    PROFILE_MAPPING = 3,
    PROFILE_LOCATION = 4,
    PROFILE_FUNCTION = 5,
    PROFILE_STRING_TABLE = 6,
    PROFILE_TIME_NANOS = 9,
    PROFILE_DURATION_NANOS = 10,
    PROFILE_PERIOD_TYPE = 11,
    PROFILE_PERIOD = 12,
    PROFILE_COMMENT = 13,
    PROFILE_DEFAULT_SAMPLE_TYPE = 14,
    VALUE_TYPE_TYPE = 1,
    VALUE_TYPE_UNIT = 2,
    SAMPLE_LOCATION_ID = 1,
    SAMPLE_VALUE = 2,
    SAMPLE_LABEL = 3,
    LABEL_KEY = 1,
    LABEL_STR = 2,
    LABEL_NUM = 3,
    MAPPING_ID = 1,
    MAPPING_FILENAME = 5,
    MAPPING_BUILD_ID = 6,
    MAPPING_HAS_FUNCTIONS = 7,
    MAPPING_HAS_FILENAMES = 8,
    MAPPING_HAS_LINE_NUMBERS = 9,
    LOCATION_ID = 1,
    LOCATION_MAPPING_ID = 2,
    LOCATION_LINE = 4,
    LINE_FUNCTION_ID = 1,
    LINE_LINE = 2,
    FUNCTION_ID = 1,
    FUNCTION_NAME = 2,
    FUNCTION_FILENAME = 4,
    FUNCTION_START_LINE = 5,
};

#define WRITTEN_BY "written by ilinject " ILJ_VERSION

/* The string table starts with these; types and units of figures follow, then frames' names, assemblies, MVIDs and
 * threads. */
static const char *const strings[] = {
    "",           "calls",    "count",  "exclusive", "nanoseconds", "inclusive",
    "exceptions", "awaiting", "thread", "process",   "wall",
};
enum {
    STRING_CALLS = 1,
    STRING_COUNT,
    STRING_EXCLUSIVE,
    STRING_NANOSECONDS,
    STRING_INCLUSIVE,
    STRING_EXCEPTIONS,
    STRING_AWAITING,
    STRING_THREAD,
    STRING_PROCESS,
    STRING_WALL,
    STRINGS,
    STRINGS_MOST = STRINGS + 2 * FIGURES + 1,
};
_Static_assert(STRINGS == sizeof strings / sizeof strings[0], "each string has its number");

enum {
    VALUE_CALLS,
    VALUE_EXCLUSIVE,
    VALUE_INCLUSIVE,
    VALUE_EXCEPTIONS,
    VALUE_AWAITING,
    VALUE_FIGURES, /* one for each */
    VALUES = VALUE_FIGURES + FIGURES
};

typedef struct pprof {
    printer *out;
    const report *r;
    view_frames frames;
    view_notes notes;
    struct libdeflate_compressor *compressor;
    buffer file;                 /* what waits to be packed */
    buffer message, inner, text; /* one that is made, one within it */
    bool absent[VALUES];         /* those that nobody has measured */
    const char *strings[STRINGS_MOST];
    uint32_t string_count;
    bool failed;
} pprof;

/* ---- Fields ----------------------------------------------------------------------------------------------------- */

/* Hands over what waits, as a gzip member. */
static void pack(pprof *p) {
    size_t bound = libdeflate_gzip_compress_bound(p->compressor, p->file.size);
    uint8_t *packed = malloc(bound);
    size_t size = packed ? libdeflate_gzip_compress(p->compressor, p->file.data, p->file.size, packed, bound) : 0;
    print_bytes(p->out, (const char *)packed, size);
    p->failed |= size == 0;
    free(packed);
    p->file.size = 0;
}

/* Ends the message that was made: it becomes a field of the file. */
static void put(pprof *p, unsigned field) {
    proto_bytes(&p->file, field, buffer_bytes(&p->message));
    p->message.size = 0;
    if (p->file.size >= MEMBER_BYTES)
        pack(p);
}

/* ---- Strings, functions, modules -------------------------------------------------------------------------------- */

static void put_text(pprof *p) {
    buffer_append(&p->message, p->text.data, p->text.size);
    put(p, PROFILE_STRING_TABLE);
}

/* The number of a string, which is added when it is new. */
static uint32_t string_of(pprof *p, const char *text) {
    for (uint32_t i = 0; i < p->string_count; i++)
        if (strcmp(p->strings[i], text) == 0)
            return i;
    p->strings[p->string_count] = text;
    return p->string_count++;
}

static void make_strings(pprof *p) {
    for (uint32_t i = 0; i < STRINGS; i++)
        p->strings[p->string_count++] = strings[i];
    for (int kind = 0; kind < FIGURES; kind++) {
        string_of(p, figure_kinds[kind].samples[0]);
        string_of(p, figure_kinds[kind].samples[1]);
    }
    string_of(p, WRITTEN_BY);
}

static uint32_t string_of_module(const pprof *p, uint32_t module) {
    return p->string_count + p->frames.count + 1 + 2 * module;
}
static uint32_t string_of_thread(const pprof *p, uint32_t thread) {
    return string_of_module(p, p->r->sum->list.module_count) + thread;
}

static uint32_t string_of_note(const pprof *p, uint32_t note) {
    return string_of_thread(p, p->r->sum->tree.thread_count) + note;
}

/* Of a frame's source. Many are the same, which costs little in gzip. */
static uint32_t string_of_source(const pprof *p, uint32_t frame) {
    return string_of_note(p, p->notes.count) + frame;
}

/* Does any method of the module have a line? */
static bool has_lines(const aggregate *a, uint32_t module) {
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        const report_function *f = &a->list.functions[i];
        if (f->module == module && f->names)
            return f->names->source_count > 0;
    }
    return false;
}

static bool has_sources(const aggregate *a) {
    bool any = false;
    for (uint32_t i = 0; i < a->list.module_count && !any; i++)
        any = has_lines(a, i);
    return any;
}

static void string_table(pprof *p) {
    const aggregate *a = p->r->sum;
    for (uint32_t i = 0; i < p->string_count; i++) {
        buffer_string(&p->message, p->strings[i]);
        put(p, PROFILE_STRING_TABLE);
    }
    for (uint32_t i = 0; i < p->frames.count; i++) {
        view_frame_name(&p->text, &p->frames, i);
        put_text(p);
    }
    buffer_string(&p->message, "(place not known)");
    put(p, PROFILE_STRING_TABLE);
    for (uint32_t i = 0; i < a->list.module_count; i++) {
        view_module_name(&p->text, &a->list.modules[i]);
        put_text(p);
        for (size_t k = 0; k < sizeof a->list.modules[i].mvid; k++)
            buffer_printf(&p->message, "%02x", a->list.modules[i].mvid[k]);
        put(p, PROFILE_STRING_TABLE);
    }
    for (uint32_t i = 0; i < a->tree.thread_count; i++) {
        view_thread_name(&p->text, p->r, &a->tree.threads[i]);
        put_text(p);
    }
    for (uint32_t i = 0; i < p->notes.count; i++) {
        view_note(&p->text, &p->notes, i);
        put_text(p);
    }
    for (uint32_t i = 0; i < p->frames.count && has_sources(a); i++) {
        const report_function *f = view_frame_function(&p->frames, i);
        p->text.size = 0;
        if (f)
            view_source(&p->text, p->r, f);
        put_text(p);
    }
}

static void modules(pprof *p) {
    for (uint32_t i = 0; i < p->r->sum->list.module_count; i++) {
        proto_number(&p->message, MAPPING_ID, i + 1);
        proto_number(&p->message, MAPPING_FILENAME, string_of_module(p, i));
        proto_number(&p->message, MAPPING_BUILD_ID, string_of_module(p, i) + 1);
        proto_number(&p->message, MAPPING_HAS_FUNCTIONS, 1);
        proto_number(&p->message, MAPPING_HAS_FILENAMES, has_lines(p->r->sum, i));
        proto_number(&p->message, MAPPING_HAS_LINE_NUMBERS, has_lines(p->r->sum, i));
        put(p, PROFILE_MAPPING);
    }
}

/* Each frame is a function and a location, whose ids are 1 + its number; one more is for what has none. */
static void functions(pprof *p) {
    for (uint32_t i = 0; i <= p->frames.count; i++) {
        const report_function *f = i < p->frames.count ? view_frame_function(&p->frames, i) : NULL;
        bool placed = f && f->module != NO_MODULE;
        uint32_t line = f ? view_source(&p->text, p->r, f) : 0;
        proto_number(&p->message, FUNCTION_ID, i + 1);
        proto_number(&p->message, FUNCTION_NAME, p->string_count + i);
        /* Without a system_name nobody takes the name for a mangled one that needs to be shortened. */
        proto_number(&p->message, FUNCTION_FILENAME,
                     line     ? string_of_source(p, i)
                     : placed ? string_of_module(p, f->module)
                              : 0);
        proto_number(&p->message, FUNCTION_START_LINE, line);
        put(p, PROFILE_FUNCTION);
        proto_number(&p->message, LOCATION_ID, i + 1);
        proto_number(&p->message, LOCATION_MAPPING_ID, placed ? f->module + 1 : 0);
        p->inner.size = 0;
        proto_number(&p->inner, LINE_FUNCTION_ID, i + 1);
        proto_number(&p->inner, LINE_LINE, line);
        proto_bytes(&p->message, LOCATION_LINE, buffer_bytes(&p->inner));
        put(p, PROFILE_LOCATION);
    }
}

/* ---- Samples ---------------------------------------------------------------------------------------------------- */

/* The stack stands in p->inner. */
static void sample(pprof *p, const uint64_t values[VALUES], uint32_t thread) {
    uint64_t any = 0;
    for (size_t i = 0; i < VALUES; i++)
        any |= values[i];
    if (any == 0)
        return;
    proto_bytes(&p->message, SAMPLE_LOCATION_ID, buffer_bytes(&p->inner));
    p->inner.size = 0;
    for (size_t i = 0; i < VALUES; i++)
        if (!p->absent[i])
            buffer_varuint(&p->inner, values[i]);
    proto_bytes(&p->message, SAMPLE_VALUE, buffer_bytes(&p->inner));
    if (thread != UINT32_MAX) {
        const report_thread *t = &p->r->sum->tree.threads[thread];
        p->inner.size = 0;
        proto_number(&p->inner, LABEL_KEY, STRING_THREAD);
        proto_number(&p->inner, LABEL_STR, string_of_thread(p, thread));
        proto_bytes(&p->message, SAMPLE_LABEL, buffer_bytes(&p->inner));
        p->inner.size = 0;
        proto_number(&p->inner, LABEL_KEY, STRING_PROCESS);
        proto_number(&p->inner, LABEL_NUM, view_program_of(p->r, t->run).pid);
        proto_bytes(&p->message, SAMPLE_LABEL, buffer_bytes(&p->inner));
    }
    put(p, PROFILE_SAMPLE);
}

static void node_sample(pprof *p, uint32_t node, uint32_t thread, bool outermost) {
    const fold_link *nodes = p->r->sum->tree.places.links;
    const report_node its = call_tree_node(&p->r->sum->tree, node), *n = &its;
    uint64_t values[VALUES] = {[VALUE_EXCEPTIONS] = n->thrown};
    p->inner.size = 0;
    if (n->kind == NODE_THREAD) {
        buffer_varuint(&p->inner, p->frames.count + 1);
    } else {
        values[VALUE_CALLS] = n->calls;
        values[VALUE_EXCLUSIVE] = n->times.exclusive_ns;
        memcpy(&values[VALUE_FIGURES], n->figures.all, sizeof n->figures);
        values[VALUE_INCLUSIVE] = outermost ? n->times.inclusive_ns : 0;
        for (uint32_t at = node; node_kind(&nodes[at]) != NODE_THREAD; at = nodes[at].parent)
            buffer_varuint(&p->inner, view_frame_of(&p->frames, &nodes[at]) + 1);
    }
    sample(p, values, thread);
}

/* Inclusive time that stands at no node, since the calls were folded: 0 unless that is all there is of a function. */
static void rest_of_inclusive(pprof *p, uint64_t *seen) {
    const aggregate *a = p->r->sum;
    for (uint32_t i = 0; i < a->list.function_count; i++) {
        if (seen[i] >= a->list.functions[i].times.inclusive_ns)
            continue;
        p->inner.size = 0;
        buffer_varuint(&p->inner, i + 1);
        buffer_varuint(&p->inner, p->frames.folded + 1);
        sample(p, (const uint64_t[VALUES]){[VALUE_INCLUSIVE] = a->list.functions[i].times.inclusive_ns - seen[i]},
               UINT32_MAX);
    }
}

static bool samples(pprof *p) {
    const aggregate *a = p->r->sum;
    const fold_link *nodes = a->tree.places.links;
    uint32_t *above = calloc((size_t)a->list.function_count + 1, sizeof *above);
    uint64_t *seen = calloc((size_t)a->list.function_count + 1, sizeof *seen);
    bool done = above && seen;
    uint32_t last = 0, thread = 0;
    for (uint32_t node = walk_next(nodes, 0); done && node != 0; node = walk_next(nodes, node)) {
        const fold_link *n = &nodes[node];
        const uint32_t function = node_function(n);
        for (; last != n->parent; last = nodes[last].parent)
            if (link_is_call(&nodes[last]))
                above[node_function(&nodes[last])]--;
        last = node;
        if (node_kind(n) == NODE_THREAD)
            thread = function;
        /* A folded call has no caller; of deeper ones it is in their figures. */
        const report_node_kind caller = node_kind(&nodes[n->parent]);
        bool outermost = link_is_call(n) && above[function]++ == 0 && caller != NODE_FOLDED;
        outermost |= link_is_call(n) && caller == NODE_DEEP;
        if (outermost)
            seen[function] = profile_add(seen[function], node_number(&a->tree, TIMES_INCLUSIVE, node));
        node_sample(p, node, thread, outermost);
    }
    if (done)
        rest_of_inclusive(p, seen);
    free(above);
    free(seen);
    return done;
}

/* Below CUT_DEPTH a call stands with its own frame and that of deeper calls, as in trees that are cut. */
static void awaiting_stack(pprof *p, const uint32_t *cut, uint32_t node) {
    const async_node *nodes = p->r->sum->async.nodes;
    p->inner.size = 0;
    if (cut[node] != node) {
        buffer_varuint(&p->inner, nodes[node].function + 1);
        buffer_varuint(&p->inner, p->frames.deep + 1);
    }
    for (uint32_t at = cut[node]; at != 0; at = nodes[at].parent)
        buffer_varuint(&p->inner, nodes[at].function + 1);
}

static bool awaiting(pprof *p) {
    const async_tree *tree = &p->r->sum->async;
    uint32_t *cut = calloc((size_t)tree->node_count + 1, sizeof *cut); /* the nearest that is not too deep */
    if (!cut)
        return false;
    for (uint32_t i = 1; i < tree->node_count && !p->absent[VALUE_AWAITING]; i++) {
        cut[i] = tree->nodes[i].depth > CUT_DEPTH ? cut[tree->nodes[i].parent] : i;
        awaiting_stack(p, cut, i);
        sample(p, (const uint64_t[VALUES]){[VALUE_AWAITING] = tree->nodes[i].figures.awaiting_ns}, UINT32_MAX);
    }
    free(cut);
    return true;
}

/* ---- The whole -------------------------------------------------------------------------------------------------- */

static void value_type(pprof *p, unsigned field, unsigned type, unsigned unit) {
    proto_number(&p->message, VALUE_TYPE_TYPE, type);
    proto_number(&p->message, VALUE_TYPE_UNIT, unit);
    put(p, field);
}

static void head(pprof *p) {
    value_type(p, PROFILE_SAMPLE_TYPE, STRING_CALLS, STRING_COUNT);
    value_type(p, PROFILE_SAMPLE_TYPE, STRING_EXCLUSIVE, STRING_NANOSECONDS);
    value_type(p, PROFILE_SAMPLE_TYPE, STRING_INCLUSIVE, STRING_NANOSECONDS);
    value_type(p, PROFILE_SAMPLE_TYPE, STRING_EXCEPTIONS, STRING_COUNT);
    if (!p->absent[VALUE_AWAITING])
        value_type(p, PROFILE_SAMPLE_TYPE, STRING_AWAITING, STRING_NANOSECONDS);
    for (int kind = 0; kind < FIGURES; kind++)
        if (!p->absent[VALUE_FIGURES + kind])
            value_type(p, PROFILE_SAMPLE_TYPE, string_of(p, figure_kinds[kind].samples[0]),
                       string_of(p, figure_kinds[kind].samples[1]));
    value_type(p, PROFILE_PERIOD_TYPE, STRING_WALL, STRING_NANOSECONDS);
    const view_span span = view_span_of(p->r);
    proto_number(&p->file, PROFILE_TIME_NANOS, span.start_ns);
    proto_number(&p->file, PROFILE_DURATION_NANOS, span.wall_ns);
    proto_number(&p->file, PROFILE_PERIOD, 1);
    proto_number(&p->file, PROFILE_COMMENT, string_of(p, WRITTEN_BY));
    for (uint32_t i = 0; i < p->notes.count; i++)
        proto_number(&p->file, PROFILE_COMMENT, string_of_note(p, i));
    proto_number(&p->file, PROFILE_DEFAULT_SAMPLE_TYPE, view_has_time(p->r) ? STRING_EXCLUSIVE : STRING_CALLS);
}

bool pprof_write(printer *out, const report *r) {
    pprof p = {.out = out, .r = r, .compressor = libdeflate_alloc_compressor(LEVEL)};
    if (!p.compressor || !view_frames_make(&p.frames, r)) {
        libdeflate_free_compressor(p.compressor);
        return false;
    }
    bool noted = view_notes_make(&p.notes, r);
    for (int kind = 0; kind < FIGURES; kind++)
        p.absent[VALUE_FIGURES + kind] = r->sum->counted.all[kind] == 0;
    p.absent[VALUE_AWAITING] = true;
    for (uint32_t i = 1; i < r->sum->async.node_count; i++)
        p.absent[VALUE_AWAITING] &= r->sum->async.nodes[i].figures.awaiting_ns == 0;
    make_strings(&p);
    head(&p);
    string_table(&p);
    modules(&p);
    functions(&p);
    bool done = samples(&p) && noted && awaiting(&p);
    pack(&p);
    done = done && !p.failed && !p.file.failed && !p.message.failed && !p.inner.failed && !p.text.failed;
    buffer_clear(&p.file);
    buffer_clear(&p.message);
    buffer_clear(&p.inner);
    buffer_clear(&p.text);
    view_notes_clear(&p.notes);
    view_frames_clear(&p.frames);
    libdeflate_free_compressor(p.compressor);
    return done;
}
