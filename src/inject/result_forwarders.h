/* result_forwarders.h - results that pass through the call that leaves a method.
 *
 * The System V ABI for x64 has no floating-point register that survives a call. A value that is
 * computed in a loop and returned would live across WhenLeavingMethod, so a just-in-time compiler
 * keeps it in memory, in the loop as well: the loop takes up to four times as long. A forwarder of
 * the helper type takes the result as an argument and returns it:
 *
 *     static T LeaveWith(T result, int32 token) { WhenLeavingMethod(token); return result; }
 *
 * There is one for each type. Life cycle: all zero, result_forwarders_begin, then
 * result_forwarder_of for each method, result_forwarders_clear. */
#ifndef ILINJECT_INJECT_RESULT_FORWARDERS_H
#define ILINJECT_INJECT_RESULT_FORWARDERS_H

#include "il/edit.h"
#include "references.h"
#include "type_table.h"

typedef struct result_forwarders {
    md_edit *edit;
    references *refs;
    bool offered; /* the tracker's leave takes a token, and there is a helper type */
    type_table made;
    buffer signature, code; /* scratch */
    bool failed;            /* memory ran out */
} result_forwarders;

void result_forwarders_begin(result_forwarders *f, md_edit *edit, references *refs, const tracker *t);
void result_forwarders_clear(result_forwarders *f);

/* The forwarder for a result of this type, as a local's signature has it. 0 where a call beside the
 * result costs its method nothing: in a body without a loop, for a result that integer registers
 * hold. 0 also for a type that names a type parameter, since its forwarder would be generic. */
md_token result_forwarder_of(result_forwarders *f, const il_edit *il, bytes type);

#endif
