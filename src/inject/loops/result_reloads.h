/* result_reloads.h - results that do not live across the call that leaves a method.
 *
 * The System V ABI for x64 has no floating-point register that survives a call. A value that is
 * computed in a loop and returned would live across WhenLeavingMethod, so a just-in-time compiler
 * keeps it in memory, in the loop as well: the loop takes up to four times as long. Such a result is
 * put by in a local, and its load after the call is volatile, so that no compiler takes the value
 * that was stored for it:
 *
 *     stloc R; ldloc TOKEN; call WhenLeavingMethod; ldloca R; volatile. ldobj T; ret
 *
 * A call that takes the result and returns it would do as well. It would be a second call for each
 * one of the method, and of a type that names a type parameter a generic one, whose instantiation
 * is looked up wherever references share code.
 *
 * Life cycle: all zero, result_reloads_begin, then for each method result_reload_of, which adds nothing,
 * and result_reload_add, result_reloads_clear. */
#ifndef ILINJECT_INJECT_LOOPS_RESULT_RELOADS_H
#define ILINJECT_INJECT_LOOPS_RESULT_RELOADS_H

#include "il/edit.h"
#include "il/emit.h"
#include "inject/module/type_table.h"
#include "metadata/edit.h"
#include "tracker/tracker.h"

typedef struct result_reloads {
    md_edit *edit;
    bool offered; /* the tracker's leave takes no result */
    type_table types;
    bool failed; /* memory ran out */
} result_reloads;

/* How a result is loaded from its local. All zero: by ldloc. */
typedef struct result_reload {
    il_encoding op; /* of a load from an address; 0: none */
    md_token type;  /* of ldobj; 0: a TypeSpec that result_reload_add adds */
} result_reload;

void result_reloads_begin(result_reloads *r, md_edit *edit, const tracker *t);
void result_reloads_clear(result_reloads *r);

/* For a result of this type, as a local's signature has it. All zero where a call beside the result
 * costs its method nothing: in a body without a loop, for a result that integer registers hold. */
result_reload result_reload_of(const result_reloads *r, const il_edit *il, bytes type);

/* Adds the row that the load names, unless it is there. Memory that runs out is remembered. */
void result_reload_add(result_reloads *r, result_reload *how, bytes type);

/* Loads the result from its local. */
void result_load(buffer *code, uint32_t local, result_reload how);

#endif
