/* cut.h - trees that are too deep for formats whose lines or stacks take as much as they are deep.
 *
 * A chain of 100,000 calls would make 100,000 stacks of 50,000 frames, and viewers walk a tree by recursion. */
#ifndef ILINJECT_REPORT_MODEL_CUT_H
#define ILINJECT_REPORT_MODEL_CUT_H

#include "report/model/aggregate.h"

enum { CUT_DEPTH = 512 };

/* Below each node at CUT_DEPTH, what lies deeper becomes one NODE_DEEP with a child for each function: its sums, and as
 * inclusive time that of those nodes of it that have no other one of it above them. Nothing changes in a tree that is
 * not deeper. False when memory ran out. */
bool cut_deep(aggregate *a);

#endif
