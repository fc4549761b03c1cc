/* logical.h - the logical order of a call tree: what an async method does after an await stands where the method was
 * called, not below what completed the await.
 *
 * A slice is one run of an async call's code, from its start or from an await to the next await or the end. The first
 * one runs below the call. Each later one is recorded where a thread ran it: in a thread of its own, or on top of the
 * frames that completed what it awaited. aggregate_profile lets later slices wait as children of their thread's root,
 * with all that they called, by their place in the async tree (NODE_SLICE) or, where the profile does not say it, by
 * their function (NODE_UNLINKED). The place of a slice is the call's node:
 *
 * - one node of the tree is the call of that function by that chain of async callers: the slice is a part of it;
 * - several are, as the same async method calls it by different ways: a node of its own, NODE_RESUMED, below the
 *   nearest node that is above all of them;
 * - none is: NODE_RESUMED below the nearest async caller that has a node, or at the top.
 *
 * Slices whose place is not recorded (profiles of older trackers, merged ones, `async void`, builders without tasks)
 * have the place of their function where the async tree has it once; otherwise all calls of the function count as
 * above. With threads apart a slice stands in the thread that ran it, below the same callers as its call, which have
 * no calls and no own time there. Inclusive times are then the sums of what stands below. */
#ifndef ILINJECT_REPORT_MODEL_LOGICAL_H
#define ILINJECT_REPORT_MODEL_LOGICAL_H

#include "report/model/async.h"
#include "report/model/call_tree.h"
#include "report/model/match.h"

/* Keeps what the thread's nodes have of folded callees, for the merged nodes that they became. False when memory ran
 * out. */
bool logical_keep_folded(call_tree *tree, const matched_thread *t, const uint32_t *merged);

/* The same of the functions that were folded below the thread's nodes. */
bool logical_keep_below(call_tree *tree, const matched_thread *t, const uint32_t *merged);

/* Gives all slices that wait their places, and functions and nodes the inclusive times that follow from them; does
 * nothing when none waits, as the second time. Between the last aggregate_profile and the ordering of children. False
 * when memory ran out. */
bool logical_place(call_tree *tree, async_tree *async, function_list *list);

#endif
