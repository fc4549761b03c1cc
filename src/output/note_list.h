/* note_list.h - what the names resource says of methods beyond their names (docs/profile-format.md, section 2). */
#ifndef ILINJECT_OUTPUT_NOTE_LIST_H
#define ILINJECT_OUTPUT_NOTE_LIST_H

#include "base/buffer.h"
#include "inject/module/ids.h"
#include "naming/notes.h"

/* Appends the notes of the methods that have ids. `ends`: the data has calls or places that allocate; else empty ones
 * are written first. Returns the header's flags; 0, and nothing is appended, where there are no notes. */
uint16_t note_list_append(buffer *data, const method_notes *notes, const ids *ids, bool ends);

#endif
