/* names_resource.h - the names resource of an instrumented module: docs/profile-format.md, section 2. */
#ifndef ILINJECT_OUTPUT_NAMES_RESOURCE_H
#define ILINJECT_OUTPUT_NAMES_RESOURCE_H

#include "base/buffer.h"
#include "inject/leaves/leaf_calls.h"
#include "inject/module/ids.h"
#include "select/selection.h"

/* Appends the resource's inflated data, methods first, then leaves; `calls`: with what the methods' IL calls
 * (call_list.h), without leaves. Returns ECMA_OK, ECMA_NO_MEMORY (reported to the image's diag). */
ecma_status names_build(buffer *data, ilj_image *image, const ids *ids, const leaves *leaves,
                        const ilj_selection *selection, bool calls);

/* NAMES_FILE_AHEAD and NAMES_FILE_ALLOCATIONS: facts of the whole resource about the input. */
enum {
#define NAMES_FILE_FLAG(ID, value, meaning) NAMES_FILE_##ID = value,
#define NAME_FLAG(ID, value, KEPT, meaning)
#include "facts/name_flags.def"
#undef NAME_FLAG
#undef NAMES_FILE_FLAG
};

/* Stands after the data, not deflated; empty: none. */
typedef struct names_end {
    bytes release, root_ids;
} names_end;

/* Appends the resource: header with `flags` and those of what stands at the end, deflated data, the end. A tracker that
 * registers no module has use for the marker alone: count 0, no data. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status names_pack(buffer *resource, bytes data, const names_end *end, uint32_t count, uint16_t flags,
                       const uint8_t mvid[16], diag *d);

#endif
