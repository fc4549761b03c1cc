/* root_list.h - which methods a framework calls, for the names resource (docs/profile-format.md, section 2). */
#ifndef ILINJECT_OUTPUT_ROOT_LIST_H
#define ILINJECT_OUTPUT_ROOT_LIST_H

#include "base/buffer.h"
#include "inject/module/ids.h"
#include "naming/roots.h"

typedef struct root_source {
    const md_index *index;
    const ids *ids;
    bool calls; /* the data has the methods' calls */
} root_source;

/* Appends those that have ids, and what tests use; to `root_ids` the ids alone. `flags`: of the header so far; where
 * the data has no calls and no places that allocate, empty ones are written first, so that a reader that does not know
 * of roots ends there. Returns the flags with what was added; nothing is appended where there are none. */
uint16_t root_list_append(buffer *data, buffer *root_ids, const method_roots *roots, const root_source *from,
                          uint16_t flags);

#endif
