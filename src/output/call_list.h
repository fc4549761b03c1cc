/* call_list.h - which methods the IL of a module's methods calls, for the names resource (docs/profile-format.md,
 * section 2) of modules that count calls alone: from counts and this the choice for a price estimates what a method
 * takes with all that it calls. */
#ifndef ILINJECT_OUTPUT_CALL_LIST_H
#define ILINJECT_OUTPUT_CALL_LIST_H

#include "base/buffer.h"
#include "inject/module/ids.h"
#include "input/image.h"

/* Appends the names of what is called by name, then the calls of each method; that many leaves after them call nothing,
 * and so does a body that cannot be read. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status call_list_append(buffer *data, ilj_image *image, const named_method *methods, uint32_t count,
                             uint32_t leaf_count);

#endif
