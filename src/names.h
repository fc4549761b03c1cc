/* names.h - the names resource of an instrumented module: docs/profile-format.md, section 2. */
#ifndef ILINJECT_NAMES_H
#define ILINJECT_NAMES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/diag.h"
#include "ilinject.h"
#include "metadata/index.h"

/* A method that got an id; ids are positions in a list of these. */
typedef struct named_method {
    uint32_t row;     /* MethodDef */
    uint32_t il_size; /* of the original code, bytes */
    uint32_t owner;   /* 0, or 1 + the position of the method that the user wrote and that this one is a part of */
    uint32_t flags;   /* NAME_ASYNC, NAME_ITERATOR */
} named_method;

/* What a method is, as the resource says it. The first four are told from the tables. */
enum {
    NAME_STATIC = 1,
    NAME_CONSTRUCTOR = 2,
    NAME_TYPE_INITIALIZER = 4,
    NAME_COMPILER_MADE = 8,
    NAME_ASYNC = 16,
    NAME_ITERATOR = 32,
    NAME_ACCESSOR = 128,      /* of a property or event */
    NAME_RUNTIME_ASYNC = 256, /* MethodImpl 0x2000 */
};

/* Appends the resource's inflated data; `left_out`: how many methods have no id, by reason. Returns ECMA_OK,
 * ECMA_NO_MEMORY. */
ecma_status names_build(buffer *data, const md_view *view, const md_index *index, const named_method *methods,
                        uint32_t count, const uint32_t left_out[ILJ_REASON_COUNT], arena *a, diag *d);

/* Facts of the whole resource about the input. */
enum { NAMES_FILE_AHEAD = 1 /* it had been compiled ahead of time (ReadyToRun); that code is gone */ };

/* Appends the resource: header with `flags` and deflated data. A tracker that registers no module has use for the
 * marker alone: count 0, no data. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status names_pack(buffer *resource, bytes data, uint32_t count, uint16_t flags, const uint8_t mvid[16], diag *d);

#endif
