/* parts.h - how a program's whole time splits: what its methods do themselves, and the calls of leaves by what they are
 * about (docs/leaves.md). */
#ifndef ILINJECT_REPORT_MODEL_PARTS_H
#define ILINJECT_REPORT_MODEL_PARTS_H

#include "report/model/aggregate.h"

/* The parts of leaves, and after them the methods. */
enum { PART_METHODS = LEAF_PARTS, PARTS };

typedef struct part_sum {
    uint64_t calls, exclusive_ns, waiting_ns, awaiting_ns, figures[FIGURES];
} part_sum;

static inline int part_of(const report_function *f) {
    return f->leaf || f->command ? (int)f->part : (int)PART_METHODS;
}

/* The calls that a part has of a function: a command's text stands below its leaf, whose call it is. */
static inline uint64_t part_calls(const report_function *f) {
    return f->command ? 0 : f->calls;
}

const char *part_name(int part);

/* Finds what each leaf is about. False when memory ran out. */
bool parts_find(function_list *a);

/* Is any function a leaf? */
bool parts_any(const aggregate *a);

/* For each function how long its async calls awaited something else than calls that they had started themselves; to be
 * freed with free, NULL when memory ran out. */
uint64_t *parts_awaiting(const aggregate *a);

/* False when memory ran out. */
bool parts_sum(part_sum sums[PARTS], const aggregate *a);

#endif
