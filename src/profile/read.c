#include "profile/beside.h"
#include "profile/profile.h"

#include <inttypes.h>
#include <libdeflate.h>

#include "profile/parse.h"
#include "profile/run_keys.h"
#include "util/text_keep.h"

enum { HEADER_BYTES = 16, SECTION_BYTES = 16, MIN_NODE_BYTES = 7, MIN_MODULE_BYTES = 20, MAX_MODULES = 1 << 20 };

static const uint8_t magic[8] = {'I', 'L', 'P', 'R', 'O', 'F', '\r', '\n'};

static bool equals(bytes b, const char *s) {
    return bytes_equal(b, bytes_of(s, strlen(s)));
}

static bool try_decimal(bytes digits, uint64_t *value) {
    uint64_t v = 0;
    if (digits.size == 0)
        return false;
    for (size_t i = 0; i < digits.size; i++) {
        if (digits.data[i] < '0' || digits.data[i] > '9')
            return false;
        if (__builtin_mul_overflow(v, 10u, &v) || __builtin_add_overflow(v, (uint64_t)(digits.data[i] - '0'), &v) ||
            v > PROFILE_MAX)
            return false;
    }
    *value = v;
    return true;
}

/* NULL: of a later version. */
static const run_key *key_of(bytes key) {
    for (const run_key *of = run_keys; of < run_keys + RUN_KEYS; of++)
        if (equals(key, of->key))
            return of;
    return NULL;
}

ecma_status parse_run(parser *p) {
    profile_run *run = &p->out->run;
    bytes mode = {0};
    uint64_t count = parse_number(p, "the number of pairs");
    for (uint64_t i = 0; i < count && !p->in.failed; i++) {
        bytes key = parse_string(p, "a key");
        size_t at = parse_offset(p);
        bytes value = parse_string(p, "a value");
        const run_key *of = key_of(key);
        if (!of || p->in.failed)
            continue;
        if (of->kind == RUN_TEXT) {
            *run_text_at(run, of) = value;
        } else if (of->kind == RUN_MODE) {
            mode = value;
        } else if (of->kind == RUN_NUMBER && !try_decimal(value, run_number_at(run, of))) {
            char expected[80];
            snprintf(expected, sizeof expected, "a decimal number below 2^63 as the value of '%s'", of->key);
            return parse_damaged_at(p, at, expected);
        }
    }
    if (p->in.failed)
        return parse_missing(p);
    if (!run->merged)
        run->only_counts = equals(mode, "counts");
    run->mixed = equals(mode, "mixed");
    if (run->ticks_per_second == 0)
        return parse_damaged(p, "a pair 'ticks_per_second' that is not 0");
    return ECMA_OK;
}

ecma_status parse_modules(parser *p) {
    profile *out = p->out;
    size_t at = parse_offset(p);
    uint64_t count = parse_number(p, "the number of modules");
    if (p->in.failed)
        return parse_missing(p);
    if (count > reader_left(&p->in) / MIN_MODULE_BYTES || count > MAX_MODULES)
        return parse_damaged_at(p, at, "a number of modules that fits the section's size, at most 1048576");
    profile_module *modules = arena_alloc_array(&out->memory, (size_t)count, sizeof *modules);
    if (!modules)
        return diag_no_memory(p->d);
    uint64_t free_from = PROFILE_ID_FIRST;
    for (size_t i = 0; i < count; i++) {
        profile_module *m = &modules[i];
        at = parse_offset(p);
        uint64_t base = parse_number(p, "a module's base");
        uint64_t methods = parse_number(p, "a module's method count");
        m->assembly = parse_string(p, "an assembly's name");
        size_t mvid_at = parse_offset(p);
        m->mvid = reader_take(&p->in, 16);
        parse_note(p, mvid_at, "an MVID");
        m->names = parse_string(p, "a names resource");
        if (p->in.failed)
            return parse_missing(p);
        if (base < free_from)
            return parse_damaged_at(p, at, "a base of at least 2^24, not below the end of the module before");
        if (base > INT32_MAX || methods > (uint64_t)INT32_MAX + 1 - base)
            return parse_damaged_at(p, at, "ids below 2^31");
        m->base = (uint32_t)base;
        m->method_count = (uint32_t)methods;
        free_from = base + methods;
    }
    out->modules = modules;
    out->module_count = (size_t)count;
    return ECMA_OK;
}

static void add_to(profile_thread *t, profile_column column, uint32_t node, uint64_t more) {
    columns_set(&t->nodes, column, node, profile_add(profile_number(t, column, node), more));
}

/* Takes a callee's ticks off what the caller has left for itself, or for folded callees. */
static void take_from(profile_thread *t, profile_column left, uint32_t caller, uint64_t ticks) {
    const uint64_t whole = profile_number(t, left, caller);
    if (whole < ticks && caller != 0) /* the root is no method */
        add_to(t, PROFILE_OVER, caller, ticks - whole);
    columns_set(&t->nodes, left, caller, whole < ticks ? 0 : whole - ticks);
}

/* A node of merged runs has its own ticks in the file, one of a single run those of its folded callees. */
static void set_ticks(profile_thread *t, uint32_t index, uint64_t ticks, uint64_t folded_or_own) {
    const uint32_t parent = t->parents[index];
    const bool none = index == 0 || t->ids[index] == PROFILE_ID_FOLDED;
    uint64_t own, folded = folded_or_own;
    if (t->merged) {
        own = none ? 0 : folded_or_own;
        folded = ticks > own ? ticks - own : 0; /* and without its children's */
        if (!none)
            take_from(t, PROFILE_FOLDED_TICKS, parent, ticks);
    } else {
        own = !none && ticks > folded_or_own ? ticks - folded_or_own : 0;
        if (index == 0)
            ticks = 0;
        else
            take_from(t, PROFILE_OWN, parent, ticks);
        if (parent == 0 && !none)
            add_to(t, PROFILE_TICKS, 0, ticks);
    }
    columns_set(&t->nodes, PROFILE_TICKS, index, index > 0 || t->merged ? ticks : 0);
    columns_set(&t->nodes, PROFILE_OWN, index, own);
    columns_set(&t->nodes, PROFILE_FOLDED_TICKS, index, folded);
}

/* Takes one node's fields and puts it under `parent`; the shape so far is right. */
static ecma_status read_node(parser *p, profile_thread *t, uint32_t index, uint32_t parent, parse_shape *shape) {
    size_t at = parse_offset(p);
    uint64_t children = parse_number(p, "a node's child count");
    size_t id_at = parse_offset(p);
    uint64_t id = parse_number(p, "a node's id");
    uint64_t calls = parse_quantity(p, "a node's calls");
    uint64_t ticks = parse_quantity(p, "a node's ticks");
    uint64_t folded_or_own = parse_quantity(p, t->merged ? "a node's own ticks" : "a node's folded ticks");
    uint64_t resynchronised = parse_quantity(p, "a node's resynchronised frames");
    uint64_t open = parse_quantity(p, "a node's open frames");
    if (p->in.failed)
        return parse_missing(p);
    if (children > t->node_count - 1 - index)
        return parse_damaged_at(p, at, "a child count not above the number of nodes that are left");
    if (id > INT32_MAX)
        return parse_damaged_at(p, id_at, "an id below 2^31");
    if ((id == PROFILE_ID_ROOT) != (index == 0))
        return parse_damaged_at(p, id_at, index == 0 ? "the root's id, 0" : "an id other than the root's");
    if (id == PROFILE_ID_FOLDED && (parent != 0 || !parse_whole(shape)))
        return parse_damaged_at(p, id_at, "the folded calls as the last child of the root");
    if (index > 0 && t->ids[parent] == PROFILE_ID_FOLDED && children > 0)
        return parse_damaged_at(p, at, "no children under a folded method");

    t->ids[index] = (uint32_t)id;
    t->parents[index] = parent;
    columns_set(&t->nodes, PROFILE_CALLS, index, calls);
    columns_set(&t->nodes, PROFILE_RESYNCHRONISED, index, resynchronised);
    columns_set(&t->nodes, PROFILE_OPEN, index, open);
    set_ticks(t, index, ticks, folded_or_own);
    return parse_placed(shape, index, (uint32_t)children) ? ECMA_OK : diag_no_memory(p->d);
}

static ecma_status read_nodes(parser *p, profile_thread *t, parse_shape *shape) {
    for (uint32_t i = 0; i < t->node_count; i++) {
        uint32_t parent = 0;
        if (i > 0 && !parse_try_parent(shape, &parent))
            return parse_damaged(p, "the end of the tree: every node has its children already");
        ecma_status status = read_node(p, t, i, parent, shape);
        if (status != ECMA_OK)
            return status;
    }
    return parse_whole(shape) ? ECMA_OK
                              : parse_damaged(p, "more nodes: the child counts add up to more than the node count");
}

ecma_status parse_thread(parser *p) {
    profile_thread *t = p->thread;
    t->merged = p->kind == SECTION_TREE;
    if (!t->merged)
        t->id = parse_number(p, "a thread's id");
    t->name = parse_string(p, "a thread's name");
    t->count = parse_number(p, "the number of threads");
    size_t at = parse_offset(p);
    uint64_t count = parse_number(p, "the node count");
    if (p->in.failed)
        return parse_missing(p);
    if (count == 0 || count > UINT32_MAX || count > reader_left(&p->in) / MIN_NODE_BYTES)
        return parse_damaged_at(p, at, "a node count of at least 1 that fits the section's size");
    if (t->id > PROFILE_MAX || t->count > PROFILE_MAX)
        return parse_damaged_at(p, at, "a thread's id and number below 2^63");
    p->numbers = p->in.at;
    t->parents = arena_alloc_array(&p->out->memory, (size_t)count, sizeof *t->parents);
    t->ids = arena_alloc_array(&p->out->memory, (size_t)count, sizeof *t->ids);
    if (!t->parents || !t->ids || !columns_extend(&t->nodes, (uint32_t)count))
        return diag_no_memory(p->d);
    t->node_count = (uint32_t)count;
    parse_shape shape = {0};
    ecma_status status = read_nodes(p, t, &shape);
    parse_shape_clear(&shape);
    return status;
}

ecma_status parse_end(parser *p) {
    p->in = p->rest;
    return reader_left(&p->rest) == 0 ? ECMA_OK : parse_damaged(p, "nothing after the section END");
}

/* SECTIONS: of a later version. */
static section_id id_of(const char *kind) {
    int id = 0;
    while (id < SECTIONS && strcmp(kind, section_kind((section_id)id)) != 0)
        id++;
    return (section_id)id;
}

/* Is the section passed over? */
static bool is_passed(const parser *p) {
    return p->kind == SECTIONS || (p->only != 0 && !(p->only >> p->kind & 1));
}

/* The next section's payload, its CRC checked unless it is passed over, in p->in. */
static ecma_status next_section(parser *p) {
    reader *file = &p->rest;
    memcpy(p->section, section_kind(SECTION_END), sizeof p->section); /* what is missed when the file ends early */
    p->in = *file;
    p->missing = NULL;
    if (reader_left(file) < SECTION_BYTES)
        return parse_damaged(p, "a section header: the file ends before the section END");
    const uint8_t *kind = reader_take(file, 4);
    for (int i = 0; i < 4; i++)
        p->section[i] = kind[i] >= 0x20 && kind[i] < 0x7F ? (char)kind[i] : '?';
    uint32_t stated = reader_u32(file);
    uint64_t size = reader_u64(file);
    p->in = *file;
    if (size > reader_left(file)) {
        char expected[128];
        snprintf(expected, sizeof expected, "%" PRIu64 " bytes of payload, but the file has only %zu more", size,
                 reader_left(file));
        return parse_damaged(p, expected);
    }
    p->kind = id_of(p->section);
    bytes payload = reader_bytes(file, (size_t)size);
    uint32_t found = is_passed(p) && p->only != 0 ? stated : libdeflate_crc32(0, payload.data, payload.size);
    if (found != stated) {
        char expected[128];
        snprintf(expected, sizeof expected, "a payload with the CRC-32 %08" PRIx32 ", but this one has %08" PRIx32,
                 stated, found);
        return parse_damaged(p, expected);
    }
    p->in = reader_of(payload);
    return ECMA_OK;
}

static ecma_status read_header(bytes file, diag *d, reader *r) {
    *r = reader_of(file);
    if (file.size < sizeof magic || memcmp(file.data, magic, sizeof magic) != 0)
        return diag_report(d, DIAG_NOT_PROFILE,
                           "not a profile: offset 0: expected the magic bytes of a profile, ILPROF");
    reader_skip(r, sizeof magic);
    uint16_t major = reader_u16(r);
    uint16_t minor = reader_u16(r);
    reader_skip(r, 4);
    if (r->failed)
        return diag_report(d, DIAG_PROFILE_DAMAGED,
                           "header, offset %zu: expected %d bytes of header, but the file has %zu", sizeof magic,
                           HEADER_BYTES, file.size);
    if (major != 1)
        return diag_report(d, major > 1 ? DIAG_PROFILE_VERSION : DIAG_PROFILE_DAMAGED,
                           "header, offset %zu: version %u.%u; expected 1, the only one this program reads",
                           sizeof magic, major, minor);
    return ECMA_OK;
}

/* Room for one thread more: p->thread. */
static ecma_status add_thread(parser *p, size_t *capacity) {
    profile *out = p->out;
    if (out->thread_count == *capacity) {
        *capacity = *capacity ? *capacity * 2 : 8;
        profile_thread *grown = arena_alloc_array(&out->memory, *capacity, sizeof *grown);
        if (!grown)
            return diag_no_memory(p->d);
        if (out->thread_count)
            memcpy(grown, out->threads, out->thread_count * sizeof *grown);
        out->threads = grown;
    }
    p->thread = &out->threads[out->thread_count++];
    return ECMA_OK;
}

/* One section, as a bit of a set of them. */
#define OF(ID) (1u << SECTION_##ID)
_Static_assert(SECTIONS <= 32, "a set of sections is an uint32_t");

static const struct {
    uint32_t needs;
    ecma_status (*read)(parser *p);
} sections[SECTIONS] = {
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) {needs, parse_##reader},
#include "facts/sections.def"
#undef SECTION
};

/* NULL: the section may stand here. Otherwise what is expected; `text` has room for it. `seen`: the sections before;
 * of those that follow a tree those of the last tree alone. */
static const char *expected_place(char text[80], section_id id, uint32_t seen) {
    const uint32_t itself = 1u << id;
    switch (section_place_of(id)) {
    case PLACE_HEAD:
        if (id == SECTION_RUN)
            return seen & OF(RUN) ? "one section RUN, the first" : NULL;
        if (seen & OF(RUN) && !(seen & (itself | OF(MODS))))
            return NULL;
        snprintf(text, 80, "one section %s, after RUN", section_kind(id));
        return text;
    case PLACE_TREE:
        if (seen & OF(MODS))
            return NULL;
        snprintf(text, 80, "sections %s after RUN and MODS", section_kind(id));
        return text;
    case PLACE_OF_TREE:
        return seen & sections[id].needs && !(seen & itself) ? NULL : "at most one of its kind, after a section THRD";
    case PLACE_OF_RUN:
        if (seen & OF(MODS) && !(seen & itself))
            return NULL;
        snprintf(text, 80, "at most one section %s, after RUN and MODS", section_kind(id));
        return text;
    case PLACE_LAST:
        break;
    }
    return seen & OF(MODS) ? NULL : "the sections RUN and MODS before END";
}

/* Those of a tree, and what follows it. */
static uint32_t sections_of_trees(void) {
    uint32_t set = 0;
    for (int id = 0; id < SECTIONS; id++)
        set |= (uint32_t)section_is_of_tree((section_id)id) << id;
    return set;
}

/* Are all of its strings, if it has any, before p->numbers? */
static bool has_numbers(section_id id) {
    return id >= SECTION_THRD && id <= SECTION_HIST;
}

static ecma_status read_sections(parser *p) {
    size_t capacity = 0;
    uint32_t seen = 0;
    for (;;) {
        ecma_status status = next_section(p);
        if (status != ECMA_OK)
            return status;
        if (is_passed(p))
            continue;
        char text[80];
        const char *expected = expected_place(text, p->kind, seen);
        if (expected)
            return parse_damaged(p, expected);
        if (section_place_of(p->kind) == PLACE_TREE) {
            seen &= ~sections_of_trees();
            status = add_thread(p, &capacity);
        }
        seen |= 1u << p->kind;
        p->numbers = p->in.at;
        if (status == ECMA_OK)
            status = sections[p->kind].read(p);
        if (status == ECMA_OK && p->out->used && has_numbers(p->kind))
            p->out->used(p->numbers, (size_t)(p->in.at - p->numbers));
        if (status == ECMA_OK && p->thread && (p->thread->nodes.failed || p->thread->timings.failed))
            status = diag_no_memory(p->d);
        if (status != ECMA_OK || section_place_of(p->kind) == PLACE_LAST)
            return status;
    }
}

static ecma_status read_file(profile *out, bytes file, uint32_t only, diag *d) {
    reader r;
    ecma_status status = read_header(file, d, &r);
    if (status != ECMA_OK)
        return status;
    profile made = {.used = out->used, .file = d->file, .memory = out->memory};
    parser p = {.d = d, .file = file.data, .rest = r, .only = only, .out = &made};
    status = read_sections(&p);
    if (status == ECMA_OK)
        status = parse_own_labels(&p);
    if (status != ECMA_OK)
        profile_clear(&made);
    else {
        made.run.leaf_ps = beside_of_leaves(&made);
        *out = made;
    }
    return status;
}

ecma_status profile_read(profile *out, bytes file, diag *d) {
    return read_file(out, file, 0, d);
}

ecma_status profile_read_run(profile *out, bytes file, diag *d) {
    return read_file(out, file, OF(RUN) | OF(RUNS) | OF(MODS) | OF(LABL) | OF(END), d);
}

static void clear_tables(profile *p) {
    for (size_t i = 0; i < p->thread_count; i++) {
        columns_clear(&p->threads[i].nodes);
        columns_clear(&p->threads[i].timings);
    }
}

void profile_clear(profile *p) {
    clear_tables(p);
    const profile empty = {.used = p->used, .memory.one_by_one = p->memory.one_by_one};
    arena_clear(&p->memory);
    *p = empty;
}

static bool keep_facts(arena *a, profile_run *run) {
    bool done = text_keep(a, &run->id);
    for (int kind = 0; kind < PROFILE_FACTS && done; kind++)
        done = text_keep(a, profile_fact_of(run, (profile_fact_kind)kind));
    return done;
}

static bool keep_values(arena *a, profile_facts *f) {
    profile_fact *values = arena_alloc_array(a, f->count, sizeof *values);
    if (!values)
        return false;
    for (uint32_t i = 0; i < f->count; i++) {
        values[i] = f->values[i];
        if (!text_keep(a, &values[i].value))
            return false;
    }
    f->values = values;
    return true;
}

static bool keep_runs(arena *a, profile_runs *runs) {
    profile_run *listed = arena_alloc_array(a, runs->count, sizeof *listed);
    if (!listed)
        return false;
    for (uint32_t i = 0; i < runs->count; i++) {
        listed[i] = runs->listed[i];
        if (!keep_facts(a, &listed[i]))
            return false;
    }
    runs->listed = listed;
    for (int kind = 0; kind < PROFILE_FACTS; kind++)
        if (!keep_values(a, &runs->facts[kind]))
            return false;
    return true;
}

static bool keep_labels(arena *a, profile *p) {
    profile_label *labels = arena_alloc_array(a, p->label_count, sizeof *labels);
    if (!labels)
        return false;
    for (uint32_t i = 0; i < p->label_count; i++) {
        labels[i] = p->labels[i];
        if (!text_keep(a, &labels[i].name) || !keep_values(a, &labels[i].of))
            return false;
    }
    p->labels = labels;
    return true;
}

bool profile_keep_run(profile *p) {
    profile kept = {.file = p->file,
                    .run = p->run,
                    .runs = p->runs,
                    .labels = p->labels,
                    .label_count = p->label_count,
                    .labels_more = p->labels_more,
                    .memory.one_by_one = p->memory.one_by_one};
    if (!keep_facts(&kept.memory, &kept.run) || !keep_runs(&kept.memory, &kept.runs) ||
        !keep_labels(&kept.memory, &kept)) {
        arena_clear(&kept.memory);
        return false;
    }
    clear_tables(p);
    arena_clear(&p->memory);
    *p = kept;
    return true;
}

const profile_module *profile_module_of(const profile *p, uint32_t id) {
    size_t low = 0, high = p->module_count;
    while (low < high) { /* the first module with base > id is high */
        size_t middle = low + (high - low) / 2;
        if (p->modules[middle].base <= id)
            low = middle + 1;
        else
            high = middle;
    }
    /* Modules without methods share their base with the next: the last one with this base is the one that may hold it.
     */
    if (low == 0)
        return NULL;
    const profile_module *m = &p->modules[low - 1];
    return profile_module_has(m, id) ? m : NULL;
}
