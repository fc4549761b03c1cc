/* parse.h - what the readers of a profile's sections share. For the files read*.c alone.
 *
 * The first field that could not be read is remembered; the rest read as 0, so that a reader checks once. */
#ifndef ILINJECT_PROFILE_PARSE_H
#define ILINJECT_PROFILE_PARSE_H

#include <stdio.h>

#include "profile/sections.h"
#include "util/list.h"
#include "util/varuint.h"

/* Where the parse is: a section, a reader over its payload, and the first field that could not be read. */
typedef struct parser {
    diag *d;
    const uint8_t *file;
    reader rest; /* of the file, after the section */
    char section[5];
    section_id kind;
    uint32_t only; /* the sections that are read, a bit each; 0: all */
    profile *out;
    profile_thread *thread; /* the last THRD or TREE before the section */
    reader in;
    const uint8_t *numbers; /* from here on the payload is numbers alone */
    const char *missing;    /* what the first failed read was after */
    size_t missing_at;
} parser;

static inline size_t parse_offset(const parser *p) {
    return (size_t)(p->in.at - p->file);
}

/* Tells what is wrong, as section and offset; returns ECMA_BAD_FILE. */
static inline ecma_status parse_damaged_at(const parser *p, size_t offset, const char *expected) {
    return diag_report(p->d, DIAG_PROFILE_DAMAGED, "section '%s', offset %zu: expected %s", p->section, offset,
                       expected);
}

static inline ecma_status parse_damaged(const parser *p, const char *expected) {
    return parse_damaged_at(p, parse_offset(p), expected);
}

static inline ecma_status parse_missing(const parser *p) {
    char expected[128];
    snprintf(expected, sizeof expected, "%s, but the section ends or the number is too large", p->missing);
    return parse_damaged_at(p, p->missing_at, expected);
}

static inline void parse_note(parser *p, size_t at, const char *what) {
    if (p->in.failed && !p->missing) {
        p->missing = what;
        p->missing_at = at;
    }
}

static inline uint64_t parse_number(parser *p, const char *what) {
    size_t at = parse_offset(p);
    uint64_t value = reader_varuint(&p->in);
    parse_note(p, at, what);
    return value;
}

/* A count of calls or ticks: larger ones are taken for the largest, so that sums can be made without overflow. */
static inline uint64_t parse_quantity(parser *p, const char *what) {
    uint64_t value = parse_number(p, what);
    return value > PROFILE_MAX ? PROFILE_MAX : value;
}

static inline bytes parse_string(parser *p, const char *what) {
    size_t at = parse_offset(p);
    bytes value = reader_counted(&p->in);
    parse_note(p, at, what);
    return value;
}

/* A number of elements, of which each takes at least `least` bytes. */
static inline ecma_status parse_count(parser *p, uint32_t *count, size_t least, const char *what) {
    size_t at = parse_offset(p);
    uint64_t value = parse_number(p, what);
    if (p->in.failed)
        return parse_missing(p);
    if (value > reader_left(&p->in) / least || value > UINT32_MAX) {
        char expected[80];
        snprintf(expected, sizeof expected, "%s that fits the section's size", what);
        return parse_damaged_at(p, at, expected);
    }
    *count = (uint32_t)value;
    return ECMA_OK;
}

/* The position of a node of the thread. */
static inline ecma_status parse_position(parser *p, uint32_t *position, const profile_thread *t, const char *what) {
    size_t at = parse_offset(p);
    uint64_t value = parse_number(p, what);
    if (p->in.failed)
        return parse_missing(p);
    if (value >= t->node_count) {
        char expected[80];
        snprintf(expected, sizeof expected, "%s of the section THRD before", what);
        return parse_damaged_at(p, at, expected);
    }
    *position = (uint32_t)value;
    return ECMA_OK;
}

/* Three times in ascending order. */
static inline void parse_range(parser *p, uint64_t *low, uint64_t *middle, uint64_t *high) {
    *low = parse_quantity(p, "a node's low time");
    *middle = profile_add(*low, parse_quantity(p, "a node's time"));
    *high = profile_add(*middle, parse_quantity(p, "a node's high time"));
}

/* The shape of a tree whose nodes stand in pre-order, each with its child count: the nodes, from the root down, that
 * children are still to come for. To be cleared. */
typedef struct parse_shape {
    struct parse_open {
        uint32_t node, children;
    } * open;
    uint32_t count, capacity;
} parse_shape;

/* The parent of the node that comes next, which takes one of its places; false when no place is left. Not for the root.
 */
static inline bool parse_try_parent(parse_shape *s, uint32_t *parent) {
    if (s->count == 0)
        return false;
    struct parse_open *innermost = &s->open[s->count - 1];
    *parent = innermost->node;
    s->count -= --innermost->children == 0;
    return true;
}

/* After a node; false when memory ran out. */
static inline bool parse_placed(parse_shape *s, uint32_t node, uint32_t children) {
    if (children == 0)
        return true;
    if (!list_grow((void **)&s->open, s->count, &s->capacity, sizeof *s->open))
        return false;
    s->open[s->count++] = (struct parse_open){node, children};
    return true;
}

/* True when no place is left at the end. */
static inline bool parse_whole(const parse_shape *s) {
    return s->count == 0;
}

static inline void parse_shape_clear(parse_shape *s) {
    free(s->open);
}

/* The reader of each section's payload: into p->out, or into p->thread. Statuses as of profile_read. */
#define SECTION(ID, kind, PLACE, needs, reader, IN, meaning) ecma_status parse_##reader(parser *p);
#include "facts/sections.def"
#undef SECTION

/* A fact: its values, and how many runs have each. */
ecma_status parse_facts(parser *p, profile_facts *facts);

/* Adds the labels that a run has by itself: `version` and `commit` of its entry assembly, unless it has some
 * of these names. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status parse_own_labels(parser *p);

/* Makes the depths of the thread's nodes, unless they are there. False when memory ran out. */
static inline bool parse_depths(parser *p) {
    profile_thread *t = p->thread;
    if (t->depths)
        return true;
    t->depths = arena_alloc_array(&p->out->memory, t->node_count, sizeof *t->depths);
    for (uint32_t i = 1; i < t->node_count && t->depths; i++)
        t->depths[i] = t->depths[t->parents[i]] + 1;
    return t->depths != NULL;
}

/* What COST ends in: the nodes' spans without what the probes cost. */
ecma_status parse_corrected_spans(parser *p);

#endif
