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
    /* For the guarded shape; 0 what the tracker does not have, or the shape is not asked for. */
    md_token leaving_by_exception, catching, unwinding, exception_passes;
    md_token filtering; /* likewise; 0: not added yet */
    md_token tracker_type;
    md_token method_handle;     /* System.RuntimeMethodHandle; 0: the tracker takes none */
    md_token object, exception; /* likewise, of a tracker that takes arguments or results */
    md_token byte;              /* System.Byte; 0: the tracker has no switches, or a core library has no such type */
    /* The methods that async methods call, by tracker_machine_method; 0 what the tracker does not have, and what was
     * not added. */
    md_token machine[TRACKER_MACHINE_METHODS];
    md_token awaiting_leaf; /* likewise, of leaves that are awaited: references_add_awaiting_leaf */
    /* The methods for calls that are seen with their values, by tracker_capture_method; 0: no rule asks for any. */
    md_token capture[TRACKER_CAPTURE_METHODS];
    md_token awaited[TRACKER_AWAITED_METHODS]; /* likewise, for those of async methods */
    md_token type_handle;                      /* System.RuntimeTypeHandle, with a helper type */
    /* The methods for counting objects, by tracker_allocation_method; 0: they are not counted. */
    md_token allocation[TRACKER_ALLOCATION_METHODS];
    md_token allocating;     /* what a site calls: the helper type's forwarder */
    md_token sites;          /* the helper type's field for the first of the module's sites */
    md_token command[TRACKER_COMMAND_METHODS]; /* of calls of commands; 0: references_add_commands */
    md_token can_call_value; /* bool CanCallValue(RuntimeTypeHandle); 0: not added yet */
    helper_type helper;      /* of a tracker with Register; for others when injected code needs methods of its own */
    uint32_t names_row;      /* of ManifestResource */
} references;

typedef struct references_wanted {
    bool guarded, search_pass; /* what the guarded shape calls, and its search pass */
    uint32_t method_count;     /* that have an id */
} references_wanted;

/* Adds the rows. Returns ECMA_OK, ECMA_UNSUPPORTED (told). Memory that runs out is remembered in the edit. */
ecma_status references_add(references *refs, md_edit *edit, const tracker *t, const references_wanted *wanted, diag *d);
void references_clear(references *refs);

/* Adds, after references_add, what state machines need, and what methods need that the runtime suspends: the tracker's
 * methods and the helper type's forwarders for entering. */
void references_add_machines(references *refs, md_edit *edit, const tracker *t);
void references_add_async(references *refs, md_edit *edit, const tracker *t);

/* Adds, after references_add_machines, the tracker's method for machines that are known by their builders. */
void references_add_builders(references *refs, md_edit *edit, const tracker *t);

/* Adds, after references_add, what tells of leaves that are awaited; the tracker has it. */
void references_add_awaiting_leaf(references *refs, md_edit *edit);

/* Adds, after references_add, what tells of a filter that runs; the tracker has it. */
void references_add_filtering(references *refs, md_edit *edit, const tracker *t);

/* Adds, after references_add, the tracker's methods for calls of commands. */
void references_add_commands(references *refs, md_edit *edit);

/* A type of the core library as the module names it: its own TypeDef when it is that library, an existing TypeRef, or a
 * new one in the scope in which the module finds another core type. 0 when the module names no core library. */
md_token references_core_type(md_edit *edit, const char *namespace, const char *name);

/* Adds a MemberRef. */
md_token references_member(md_edit *edit, md_token type, const char *name, bytes signature);

/* Appends the type of what the tracker's leave takes before the result. */
void references_append_leave_argument(buffer *signature, const references *refs, const tracker *t);

/* Adds a helper type for a tracker without Register, for methods that injected code calls. */
void references_add_helpers(references *refs, md_edit *edit);

/* Lets the type initializer of the helper type, which has to be there, call the tracker's Configure with a text of #US.
 */
void references_add_settings(references *refs, md_edit *edit, md_token text);

/* Adds the tracker's methods for calls that are seen with their values, and the helper type's forwarder for their
 * beginning.
 */
void references_add_capture(references *refs, md_edit *edit);

/* Adds those for captured calls of async methods, and the helper type's forwarders of these. */
void references_add_awaited(references *refs, md_edit *edit);

/* Adds those for counting objects, with the helper type's forwarder, void (int32 site, int32 token), and the field for
 * the first site's number, which the type initializer gets when their count is known. */
void references_add_allocations(references *refs, md_edit *edit);
void references_register_allocations(references *refs, uint32_t count);

/* A method of the helper type, void (object, int32, ref T) for this type, that calls `call`, the tracker's generic one,
 * if the running program says that the type is no ref struct. That call stands in a method of its own, since one that
 * has it cannot be compiled for a ref struct. */
md_token references_add_foreign_value(references *refs, md_edit *edit, bytes type, md_token call);

/* Lets the helper type's type initializer describe those calls to the tracker with a text of #US. */
void references_describe_calls(references *refs, md_token text);

#endif
