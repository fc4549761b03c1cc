/* float_parameters.h - parameters that do not live across the call at a method's head.
 *
 * The System V ABI for x64 has no floating-point register that survives a call. A parameter that
 * lives across the call of the tracker's enter is put into memory for it, and a just-in-time
 * compiler may leave it there: a loop then reads it from memory each time. So a local takes the
 * argument's place after the call:
 *
 *     CALL; ldarg P; stloc L; the code, with ldloc L for ldarg P, ldloca for ldarga, stloc for starg
 *
 * Order: float_parameters_find, locals for the types, float_parameters_rename. */
#ifndef ILINJECT_INJECT_LOOPS_FLOAT_PARAMETERS_H
#define ILINJECT_INJECT_LOOPS_FLOAT_PARAMETERS_H

#include "il/edit.h"
#include "inject/loops/float_registers.h"
#include "metadata/view.h"

/* x64 has as many floating-point registers. */
enum { FLOAT_PARAMETERS = 16 };

typedef struct float_parameter {
    uint32_t argument; /* its number; `this` is 0 */
    bytes type;        /* as a local's signature has it; borrowed from the method's signature */
} float_parameter;

typedef struct float_parameters {
    float_parameter found[FLOAT_PARAMETERS]; /* arguments rise */
    uint32_t count;
} float_parameters;

/* Finds the parameters that the body's loops name and that floating-point registers may hold, the
 * first sixteen. None where there is no loop, in a method with jmp, which hands its arguments on, or
 * with a variable number of them, or where the signature is not understood. Neither fails nor
 * allocates. */
void float_parameters_find(float_parameters *p, float_types *types, const md_view *view, bytes signature,
                           const il_edit *il);

/* Appends their types, one after another, to `types`; returns their number. */
uint32_t float_parameters_types(const float_parameters *p, buffer *types);

/* Puts the copies after what has been inserted at the head so far, and the locals, the first of
 * which is `first`, in the arguments' place. The copies need one place on the stack. `scratch` is
 * for code. il_edit_layout says what fails. */
void float_parameters_rename(const float_parameters *p, il_edit *il, uint32_t first, buffer *scratch);

#endif
