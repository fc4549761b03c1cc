/* references.h - what an instrumented module names that it did not before: the tracker's assembly, type and methods,
 * and for a tracker with Register the helper type of docs/profile-format.md, section 1. All rows go at the ends of
 * their tables. */
#ifndef ILINJECT_TRACKER_REFERENCES_H
#define ILINJECT_TRACKER_REFERENCES_H

#include "input/marker.h"
#include "metadata/edit.h"
#include "tracker/helper_type.h"
#include "tracker/tracker.h"

typedef struct references {
    md_token enter; /* what a method's head calls: the tracker's method, or the helper type's forwarder */
    md_token leave; /* 0: the tracker only counts */
    md_token visit; /* in place of both, of a method that is only visited; 0: none is */
    /* For the guarded shape; 0 what the tracker does not have, or the shape is not asked for. */
    md_token leaving_by_exception, catching, unwinding, exception_passes;
    md_token filtering; /* the same; also 0 until it is added */
    md_token tracker_type;
    md_token method_handle;     /* System.RuntimeMethodHandle; 0: the tracker takes none */
    md_token object, exception; /* 0: the tracker takes neither arguments nor results */
    md_token byte;              /* System.Byte; 0: the tracker has no switches, or a core library has no such type */
    md_token method[TRACKER_METHODS]; /* 0: the tracker does not have it, or its group was not added */
    md_token type_handle;             /* System.RuntimeTypeHandle, with a helper type */
    helper_type helper; /* of a tracker with Register; for others when injected code needs methods of its own */
    uint32_t names_row; /* of ManifestResource */
} references;

typedef struct references_wanted {
    bool guarded, search_pass; /* what the guarded shape calls, and its search pass */
    uint32_t method_count;     /* that have an id */
} references_wanted;

/* Adds the rows. Returns ECMA_OK, ECMA_UNSUPPORTED (reported). Memory that runs out is remembered in the edit. */
ecma_status references_add(references *refs, md_edit *edit, const tracker *t, const references_wanted *wanted, diag *d);
void references_clear(references *refs);

/* Adds, after references_add, the methods of a group that the tracker has, and then the helper type's forwarders to
 * them, where there is a helper type. Once added, a group is not added again. */
void references_add_group(references *refs, md_edit *edit, const tracker *t, tracker_group group);

/* Adds, after references_add, the call that reports a filter that runs; the tracker has it. */
void references_add_filtering(references *refs, md_edit *edit, const tracker *t);

/* A type of the core library as the module names it: its own TypeDef when it is that library, an existing TypeRef, or a
 * new one in the scope of another core type that the module names. 0 when the module names no core library. */
md_token references_core_type(md_edit *edit, const char *namespace, const char *name);

/* Adds a MemberRef. */
md_token references_member(md_edit *edit, md_token type, const char *name, bytes signature);

/* Appends the type of what the tracker's leave takes before the result. */
void references_append_leave_argument(buffer *signature, const references *refs, const tracker *t);

/* Adds a helper type for a tracker without Register, for methods that injected code calls. */
void references_add_helpers(references *refs, md_edit *edit);

/* Lets the type initializer of the helper type, which has to be there, run this code, too: after all that it does. It
 * returns nothing, and needs a stack of at most 8. */
void references_initialize(references *refs, const buffer *code);

/* Lets it call the tracker's Configure with a text of #US. */
void references_add_settings(references *refs, md_edit *edit, md_token text);

#endif
