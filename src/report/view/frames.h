/* frames.h - the frames that stacks are made of, what they are called, and how much they weigh.
 *
 * A frame is what a viewer takes for one function. Slices of an async method that were resumed elsewhere are another
 * frame than its calls, so that they are not looked for below their caller. */
#ifndef ILINJECT_REPORT_VIEW_FRAMES_H
#define ILINJECT_REPORT_VIEW_FRAMES_H

#include "report/model/model.h"

/* The numbers of a report's frames, from 0 without gaps: functions by position, then those that were resumed,
 * then what stands for no function. */
typedef struct view_frames {
    const report *r;
    uint32_t count;
    uint32_t *resumed;   /* per function: its other frame; meaningful where it has one */
    uint32_t *functions; /* of the frames from function_count on: the function that was resumed */
    uint32_t resumed_count;
    uint32_t folded, deep, waiting; /* frames; the last one is there where a thread waited */
} view_frames;

/* False when memory ran out; then nothing needs to be cleared. */
bool view_frames_make(view_frames *f, const report *r);
void view_frames_clear(view_frames *f);

/* The frame of a node that is neither a root nor a thread. */
uint32_t view_frame_of(const view_frames *f, const fold_link *node);

/* The function that a frame is of; NULL when it is of none. */
const report_function *view_frame_function(const view_frames *f, uint32_t frame);

/* Makes a frame's name the content of `b`, in UTF-8 on one line, without controls; never empty. */
void view_frame_name(buffer *b, const view_frames *f, uint32_t frame);

/* Calls of a node; of slices alone the slices. */
static inline uint64_t view_node_calls(const call_tree *t, uint32_t node) {
    const uint64_t calls = node_number(t, NODE_CALLS, node);
    return calls > 0 ? calls : node_number(t, NODE_STEPS, node);
}

/* The widths of a flame graph: own time; calls where no time was measured at all. */
static inline bool view_has_time(const report *r) {
    return r->sum->totals.exclusive_ns > 0;
}
static inline uint64_t view_node_weight(const report *r, uint32_t node) {
    return node_number(&r->sum->tree, view_has_time(r) ? TIMES_EXCLUSIVE : NODE_CALLS, node);
}

#endif
