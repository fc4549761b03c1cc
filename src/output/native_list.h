/* native_list.h - which methods of the input have code that was compiled ahead (ReadyToRun), and where they were
 * inlined, for the names resource (docs/profile-format.md, section 2) of modules that count calls
 * alone: from it the choice for a price knows what it costs that a method is instrumented, and its code goes. */
#ifndef ILINJECT_OUTPUT_NATIVE_LIST_H
#define ILINJECT_OUTPUT_NATIVE_LIST_H

#include "base/buffer.h"
#include "inject/module/ids.h"
#include "input/image.h"
#include "ready_to_run/keep.h"

/* Of MethodDef rows; all zero: there is no such code, or it is not to stay when the choice is known. */
typedef struct native_list {
    r2r_rows have;
    r2r_inliners inliners;
} native_list;

/* Reads it from an image that could keep its code; of others it is empty. All belongs to the image's arena, and
 * outlives the code. After md_validate. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status native_list_read(native_list *l, ilj_image *image);

/* Appends it for the methods, and nothing for that many leaves after them. Returns the header's flags with
 * NAMES_FILE_NATIVE, or, of an empty list, as they were. */
uint16_t native_list_append(buffer *data, const native_list *l, const ids *ids, uint32_t leaf_count, uint16_t flags);

#endif
