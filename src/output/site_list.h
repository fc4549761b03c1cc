/* site_list.h - the places in a module's IL that allocate objects, for the names resource (docs/profile-format.md,
 * section 2) of modules that count them. */
#ifndef ILINJECT_OUTPUT_SITE_LIST_H
#define ILINJECT_OUTPUT_SITE_LIST_H

#include "base/buffer.h"
#include "inject/objects/allocations.h"

/* Appends the names of the types, each once, then the sites. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status site_list_append(buffer *data, const allocations *a);

#endif
