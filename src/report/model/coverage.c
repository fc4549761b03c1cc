#include "report/model/coverage.h"

#include <stdlib.h>

#include "profile/names_generated.h"
#include "util/list.h"

/* The calls of methods until they were switched off: the tree has lost those of one that the governor has taken out. */
typedef struct calls_till_off {
    map by_method; /* module and row: a position */
    uint64_t *calls;
} calls_till_off;

static bool add_switches(calls_till_off *off, const aggregate *a) {
    uint32_t count = 0;
    off->calls = calloc((size_t)a->switch_count + 1, sizeof *off->calls);
    for (uint32_t i = 0; i < a->switch_count && off->calls; i++) {
        const report_function *f = &a->switches[i].function;
        uint32_t *slot = map_slot(&off->by_method, map_key(f->module, f->row));
        if (!slot)
            return false;
        if (*slot == MAP_NONE)
            *slot = count++;
        off->calls[*slot] = profile_add(off->calls[*slot], a->switches[i].of.calls);
    }
    return off->calls != NULL;
}

/* The calls that ran the body. */
static uint64_t calls_of(const aggregate *a, const calls_till_off *off, uint32_t module, const names_method *m) {
    uint32_t at = map_find(&a->list.function_map, map_key(module, m->row));
    const report_function *f = at == MAP_NONE ? NULL : &a->list.functions[at];
    if (m->flags & NAMES_IS_ITERATOR && !(f && f->steps > 0))
        return 0;
    if (f && (f->calls > 0 || f->steps > 0))
        return f->calls > 0 ? f->calls : 1;
    at = map_find(&off->by_method, map_key(module, m->row));
    return at == MAP_NONE ? 0 : off->calls[at];
}

static bool is(bytes text, const char *word) {
    return bytes_equal(text, bytes_of(word, strlen(word)));
}

/* A constructor that stands in no source has no statement, and so no line where other methods have one. */
static bool is_implicit(const names *n, const names_method *m) {
    bytes name = names_text(n, m->name);
    return n->source_count > 0 && !m->line && (is(name, ".ctor") || is(name, ".cctor"));
}

/* What a compiler adds and no source has; the bodies of lambdas and local functions stand in one. mcs marks accessors
 * of events by nothing but that they have no line. */
static bool is_made(const names *n, const names_method *m) {
    bytes name = names_text(n, m->name);
    bool plain = generated_method_of(name).kind == GENERATED_PLAIN && !memchr(name.data, '$', name.size);
    if (m->flags & NAMES_ACCESSOR && n->source_count > 0 && !m->line)
        return true;
    return m->flags & NAMES_COMPILER_MADE && (plain || is(name, "<Clone>$")) &&
           generated_type_of(names_text(n, n->types[m->type].name)).kind != GENERATED_FILE_LOCAL;
}

static bool add_names(coverage *c, const aggregate *a, const calls_till_off *off, uint32_t unit) {
    const list_names *of = &a->list.read[unit];
    buffer name = BUFFER_INIT;
    bool done = true;
    for (uint32_t i = 0; i < of->names->method_count && done; i++) {
        const names_method *m = &of->names->methods[i];
        covered made = {.unit = unit, .assembly = names_assembly_name(a->list.modules[of->module].assembly)};
        made.function = (report_function){.module = of->module, .row = m->row, .names = of->names, .method = i};
        if (m->owner || m->row == 0 || m->flags & (NAMES_LEAF | NAMES_SCOPE | NAMES_OUTERMOST) ||
            is_implicit(of->names, m))
            continue;
        names_of_method(&name, &made.function.parts, of->names, i, false);
        if (made.function.parts.helper)
            continue;
        uint8_t *text = name.failed ? NULL : arena_alloc(&c->memory, name.size);
        done = text && list_grow((void **)&c->list, c->count, &c->capacity, sizeof *c->list);
        if (!done)
            break;
        memcpy(text, name.data, name.size);
        made.function.name = (bytes){text, name.size};
        made.made = is_made(of->names, m);
        made.calls = calls_of(a, off, of->module, m);
        c->list[c->count++] = made;
    }
    buffer_clear(&name);
    return done;
}

static int compare_texts(bytes a, bytes b) {
    size_t size = a.size < b.size ? a.size : b.size;
    int order = size ? memcmp(a.data, b.data, size) : 0;
    return order ? order : list_compare(a.size, b.size);
}

static int by_name(const covered *a, const covered *b) {
    int order = compare_texts(a->assembly, b->assembly);
    return order ? order : compare_texts(a->function.name, b->function.name);
}

static int by_unit(const void *left, const void *right) {
    const covered *a = left, *b = right;
    int order = by_name(a, b);
    order = order ? order : list_compare(a->unit, b->unit);
    return order ? order : list_compare(a->function.row, b->function.row);
}

static int by_ordinal(const void *left, const void *right) {
    const covered *a = left, *b = right;
    int order = by_name(a, b);
    order = order ? order : list_compare(a->ordinal, b->ordinal);
    return order ? order : list_compare(a->unit, b->unit);
}

/* Makes those of different names that are one method one; the first one's place counts where it has one. */
static void join(coverage *c) {
    uint32_t count = 0;
    if (c->count > 0)
        qsort(c->list, c->count, sizeof *c->list, by_unit);
    for (uint32_t i = 1; i < c->count; i++) {
        covered *one = &c->list[i];
        one->ordinal = by_name(one, one - 1) == 0 && one->unit == one[-1].unit ? one[-1].ordinal + 1 : 0;
    }
    if (c->count > 0)
        qsort(c->list, c->count, sizeof *c->list, by_ordinal);
    for (uint32_t i = 0; i < c->count; i++) {
        covered *last = count > 0 ? &c->list[count - 1] : NULL, *one = &c->list[i];
        if (last && by_name(last, one) == 0 && last->ordinal == one->ordinal)
            last->calls = last->function.module == one->function.module ? last->calls /* they are the same */
                                                                        : profile_add(last->calls, one->calls);
        else
            c->list[count++] = *one;
    }
    c->count = count;
}

bool coverage_make(coverage *c, const aggregate *a) {
    calls_till_off off = {.by_method = MAP_INIT};
    bool done = add_switches(&off, a);
    for (uint32_t i = 0; i < a->list.read_count && done; i++)
        done = add_names(c, a, &off, i);
    map_clear(&off.by_method);
    free(off.calls);
    if (done)
        join(c);
    return done;
}

void coverage_clear(coverage *c) {
    free(c->list);
    arena_clear(&c->memory);
    *c = (coverage){0};
}

/* ---- Names ------------------------------------------------------------------------------------------------------ */

/* The type in the source: what a compiler made lies in it. */
static uint32_t written_type(const names *n, uint32_t type) {
    while (n->types[type].enclosing) {
        generated_type_kind kind = generated_type_of(names_text(n, n->types[type].name)).kind;
        if (kind != GENERATED_CLOSURE && kind != GENERATED_MACHINE && kind != GENERATED_FUNCTION)
            break;
        type = n->types[type].enclosing - 1;
    }
    return type;
}

bool coverage_is_accessor(const covered *c) {
    return c->function.names->methods[c->function.method].flags & NAMES_ACCESSOR;
}

bool coverage_is_excluded(const covered *c) {
    return c->function.names->methods[c->function.method].flags & NAMES_EXCLUDED;
}

bool coverage_has_type(const covered *c) {
    const names *n = c->function.names;
    bytes name = names_text(n, n->types[n->methods[c->function.method].type].name);
    return !memchr(name.data, '<', name.size) || generated_type_of(name).kind == GENERATED_FILE_LOCAL;
}

void coverage_type_name(buffer *b, const covered *c) {
    const names *n = c->function.names;
    uint32_t path[NAMES_MAX_NESTING], depth = 0;
    uint32_t type = written_type(n, n->methods[c->function.method].type);
    path[depth++] = type;
    for (; depth < NAMES_MAX_NESTING && n->types[type].enclosing; type = path[depth - 1]) {
        path[depth] = n->types[type].enclosing - 1;
        depth++;
    }
    bytes space = names_text(n, n->types[type].space);
    buffer_append(b, space.data, space.size);
    buffer_string(b, space.size ? "." : "");
    while (depth-- > 0) {
        bytes name = names_text(n, n->types[path[depth]].name);
        buffer_append(b, name.data, name.size);
        buffer_string(b, depth ? "/" : "");
    }
}

void coverage_method_name(buffer *b, const covered *c) {
    const report_function *f = &c->function;
    bytes name = names_text(f->names, f->names->methods[f->method].name);
    if (generated_method_of(name).kind != GENERATED_PLAIN)
        name = (bytes){f->name.data + f->parts.method, f->parts.parameters - f->parts.method};
    buffer_append(b, name.data, name.size);
}

const char *coverage_reason(const covered *c) {
    static const char *const framework[] = {"ToString", "Equals",        "GetHashCode", "CompareTo",
                                            "Dispose",  "GetObjectData", "Clone",       "GetEnumerator",
                                            "MoveNext", "Convert",       "ConvertBack", "OnDeserialized"};
    const names *n = c->function.names;
    const names_method *m = &n->methods[c->function.method];
    bytes name = names_text(n, m->name);
    bool bare = names_text(n, m->parameters).size == 0;
    if (m->route)
        return "an endpoint";
    if (is(name, ".cctor"))
        return "a type initializer";
    if (is(name, "Finalize") && bare)
        return "a finalizer";
    if (is(name, ".ctor"))
        return bare ? "serializers call such a constructor" : NULL;
    for (size_t i = 0; i < sizeof framework / sizeof framework[0]; i++)
        if (is(name, framework[i]))
            return "frameworks call such methods";
    if (m->flags & NAMES_IMPLEMENTS)
        return "it implements an interface";
    if (m->flags & NAMES_OVERRIDES)
        return "it overrides a base's method";
    bool sets = m->flags & NAMES_ACCESSOR && name.size > 4 && memcmp(name.data, "set_", 4) == 0;
    return sets ? "serializers and bindings call setters" : NULL;
}
