/* references.h - what an instrumented module names that it did not before: the tracker's assembly, type and methods,
 * and for a tracker with Register the holder type of docs/profile-format.md, section 1. All rows go at the ends of
 * their tables. */
#ifndef ILINJECT_REFERENCES_H
#define ILINJECT_REFERENCES_H

#include "metadata/edit.h"
#include "tracker.h"

#define HOLDER_TYPE_NAME    "<ilinject>"
#define NAMES_RESOURCE_NAME "ilinject.names"

typedef struct references {
    md_token enter; /* what a method's head calls: the tracker's method, or the holder's forwarder */
    md_token leave;
    /* Of the guarded shape; 0 what the tracker does not have, or the shape is not asked for. */
    md_token leaving_by_exception, catching, unwinding, exception_passes;
    /* With a holder: its two methods' bodies, in the order of their rows, which are the last of MethodDef. */
    bool has_holder;
    uint32_t first_holder_method; /* row */
    uint8_t type_initializer[32];
    uint32_t type_initializer_size;
    uint8_t forwarder[16];
    uint32_t forwarder_size;
    uint32_t names_row; /* of ManifestResource */
} references;

/* Adds the rows, those for the guarded shape and its search pass when they are asked for. Returns ECMA_OK,
 * ECMA_UNSUPPORTED (told). Memory that runs out is remembered in the edit. */
ecma_status references_add(references *refs, md_edit *edit, const tracker *t, bool guarded, bool search_pass, diag *d);

/* Fixes the number of methods that got an id, which the type initializer registers. */
void references_set_method_count(references *refs, uint32_t method_count);

/* Is a row of ManifestResource one of the module's own names resources? */
bool references_is_names(const md_view *view, uint32_t row);

/* How often the module was instrumented: the names resources it carries. */
uint32_t references_instrumented_times(const md_view *view);

/* Is it the core library itself? */
bool references_is_core_library(const md_view *view);

#endif
