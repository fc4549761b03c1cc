/* leaf_lines.h - the lines on which functions call leaves, as the names of their modules have them. */
#ifndef ILINJECT_REPORT_MODEL_LEAF_LINES_H
#define ILINJECT_REPORT_MODEL_LEAF_LINES_H

#include "report/model/match.h"

enum { LEAF_LINES_MOST = 8 /* of one function and one leaf; the others are left out */ };

typedef struct leaf_line {
    uint32_t caller, leaf; /* positions of functions */
    const names *names;    /* that `file` is a text of */
    uint32_t file, line;
    uint32_t next; /* of the same function and leaf: a position; MAP_NONE: it is the last one */
} leaf_line;

/* Starts all zero. */
typedef struct leaf_lines {
    leaf_line *list;
    uint32_t count, capacity;
    map by_call; /* function and leaf: the position of the first one */
} leaf_lines;

/* Adds those of the profile that is being matched. False when memory ran out. */
bool leaf_lines_add(leaf_lines *l, const matching *match);

/* The position of the first line on which the function calls the leaf, both positions of functions; MAP_NONE: none is
 * known. */
uint32_t leaf_lines_of(const leaf_lines *l, uint32_t caller, uint32_t leaf);

void leaf_lines_clear(leaf_lines *l);

#endif
