/* export.h - what the exports share: the frames that their stacks are made of, and what to call them.
 *
 * A frame is what a viewer takes for one function. Slices of an async method that were resumed elsewhere are another
 * frame than its calls, so that nobody looks for them below their caller. */
#ifndef ILINJECT_REPORT_EXPORT_EXPORT_H
#define ILINJECT_REPORT_EXPORT_EXPORT_H

#include "report/model/model.h"
#include "report/model/walk.h"
#include "report/print/print.h"
#include "report/view/runs.h"

/* The numbers of a report's frames, from 0 without gaps: functions by position, then those that were resumed,
 * then what stands for no function. */
typedef struct export_frames {
    const report *r;
    uint32_t count;
    uint32_t *resumed;   /* per function: its other frame; meaningful where it has one */
    uint32_t *functions; /* of the frames from function_count on: the function that was resumed */
    uint32_t resumed_count;
    uint32_t folded, deep, waiting; /* frames; the last one is there where a thread waited */
} export_frames;

/* False when memory ran out; then nothing needs to be cleared. */
bool export_frames_make(export_frames *f, const report *r);
void export_frames_clear(export_frames *f);

/* The frame of a node that is neither a root nor a thread. */
uint32_t export_frame_of(const export_frames *f, const report_node *n);

/* The function that a frame is of; NULL when it is of none. */
const report_function *export_frame_function(const export_frames *f, uint32_t frame);

/* Makes a frame's name the content of `b`, in UTF-8 on one line, without controls; never empty. */
void export_frame_name(buffer *b, const export_frames *f, uint32_t frame);

/* The same of a thread, "Thread 1 main"; of several profiles with the program's name and process. */
void export_thread_name(buffer *b, const report *r, const report_thread *t);

/* The same of a module: App.dll; of one without names the assembly's full name. */
void export_module_name(buffer *b, const report_module *m);

/* The same of a text that the profile holds. */
void export_text(buffer *b, bytes text);

/* Lines for a format's comments, which say of all figures what nobody sees in them: none has a time, methods were
 * switched off while the program ran. All zero, export_notes_make, export_note for 0 to count - 1, clear. */
typedef struct export_notes {
    const report *r;
    const report_switch **switches; /* owned */
    uint32_t switch_count, named;   /* of the switches: as many have a line each */
    bool has_counts;
    uint32_t count;
} export_notes;

/* False when memory ran out. */
bool export_notes_make(export_notes *n, const report *r);
void export_notes_clear(export_notes *n);
/* Makes one the content of `b`: one line without its end, as export_text has it. */
void export_note(buffer *b, const export_notes *n, uint32_t note);

/* The end of a profile's run in the ticks of its timeline: no event lies after it. `profile`: its position. */
uint64_t export_timeline_end(const report *r, size_t profile);

/* Calls of a node; of slices alone the slices. */
static inline uint64_t export_calls(const report_node *n) {
    return n->calls > 0 ? n->calls : n->steps;
}

/* The widths of a flame graph: own time; calls where no time was measured at all. */
static inline bool export_has_time(const report *r) {
    return r->sum->totals.exclusive_ns > 0;
}
static inline uint64_t export_weight(const report *r, const report_node *n) {
    return export_has_time(r) ? n->exclusive_ns : n->calls;
}

bool speedscope_write(printer *out, const report *r);
bool chrome_write(printer *out, const report *r);
bool collapsed_write(printer *out, const report *r);
bool callgrind_write(printer *out, const report *r);
bool pprof_write(printer *out, const report *r);
bool csv_write(printer *out, const report *r);
bool tree_write(printer *out, const report *r);
bool calllog_write(printer *out, const report *r);

#endif
