/* line_list.h - where the methods of the names resource stand in their source (docs/profile-format.md, section 2). */
#ifndef ILINJECT_OUTPUT_LINE_LIST_H
#define ILINJECT_OUTPUT_LINE_LIST_H

#include "inject/leaves/leaf_calls.h"
#include "inject/module/ids.h"
#include "inject/objects/allocations.h"
#include "output/symbols.h"

typedef struct line_source {
    const symbols *symbols;
    const ids *ids;
    const leaves *leaves; /* they follow the methods in the list */
    const allocations *objects;
    bool calls; /* the data has the methods' calls */
} line_source;

/* Appends the documents and lines that the symbols know of methods with ids. `flags`: of the header so far; where the
 * data has no calls, places or notes, empty ones are written first, so that a reader that does not know of lines ends
 * there. Returns the flags with what was added; nothing is appended where no method has a line. Memory that ran out:
 * the buffer has failed. */
uint16_t line_list_append(buffer *data, const line_source *from, uint16_t flags, arena *a);

/* Appends the checksums of the same documents, after all other lists. Returns the flags with what was added; nothing is
 * appended where none is known, or the flags have no lines. */
uint16_t checksum_list_append(buffer *data, const line_source *from, uint16_t flags, arena *a);

/* Appends, after these, the lines of places that allocate and of calls of leaves. Returns the flags with what was
 * added; nothing is appended where there are none, or the flags have no lines. */
uint16_t spot_list_append(buffer *data, const line_source *from, uint16_t flags, arena *a);

#endif
