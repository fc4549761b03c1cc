/* notes.h - what figures alone do not show of a report. */
#ifndef ILINJECT_REPORT_VIEW_NOTES_H
#define ILINJECT_REPORT_VIEW_NOTES_H

#include "report/view/switches.h"

/* Lines for a format's comments, which say of all figures what they do not show: none has a time, methods were
 * switched off while the program ran. All zero, view_notes_make, view_note for 0 to count - 1, clear. */
typedef struct view_notes {
    const report *r;
    view_switch *switches;        /* owned */
    uint32_t switch_count, named; /* of the switches: as many have a line each */
    bool has_counts;
    uint32_t count;
} view_notes;

/* False when memory ran out. */
bool view_notes_make(view_notes *n, const report *r);
void view_notes_clear(view_notes *n);
/* Makes one the content of `b`: one line without its end, as view_text has it. */
void view_note(buffer *b, const view_notes *n, uint32_t note);

#endif
