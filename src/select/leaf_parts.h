/* leaf_parts.h - what a leaf is about: a lock, a file, a database (docs/leaves.md).
 *
 * Profiles do not say it. It follows from a leaf's name, by the list of leaves.def, however the leaf was asked for. */
#ifndef ILINJECT_SELECT_LEAF_PARTS_H
#define ILINJECT_SELECT_LEAF_PARTS_H

#include "profile/names.h"
#include "select/pattern.h"

typedef enum leaf_part {
    LEAF_PART_OTHER, /* what the list does not name, and native methods */
#define LEAF_PART(part, name) LEAF_PART_##part,
#include "select/leaves.def"
    LEAF_PARTS
} leaf_part;

/* As reports name it, in plain lower case. */
const char *leaf_part_name(leaf_part part);

/* The list's patterns. */
typedef struct leaf_parts {
    pattern *patterns;
} leaf_parts;

/* Compiles the list into the arena. False when memory ran out. */
bool leaf_parts_make(leaf_parts *l, arena *a);

/* The part of a leaf, a method of the names. `scratch` is written over; when it has failed, memory ran out. */
leaf_part leaf_parts_find(const leaf_parts *l, const names *n, uint32_t method, buffer *scratch);

#endif
