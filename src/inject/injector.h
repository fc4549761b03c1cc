/* injector.h - what injecting works with: of a module, and of one method in it. */
#ifndef ILINJECT_INJECT_INJECTOR_H
#define ILINJECT_INJECT_INJECTOR_H

#include "il/edit.h"
#include "inject/body/locals.h"
#include "inject/body/result_types.h"
#include "inject/body/stack_depth.h"
#include "inject/loops/float_registers.h"
#include "inject/loops/result_reloads.h"
#include "inject/probes.h"
#include "inject/values/values.h"
#include "metadata/index.h"
#include "tracker/references.h"

/* Most methods are left by a call with the token alone, and no other probe sees it. Then the code is the same in each
 * method that keeps the token and the result in the same locals. */
enum { KEPT_LOCALS = 16, KEPT_BYTES = 16 };
typedef struct kept_code {
    uint8_t size; /* 0: not made yet */
    uint8_t code[KEPT_BYTES - 1];
} kept_code;

typedef struct injector {
    /* To be set before injector_init; borrowed. */
    md_edit *edit;
    const tracker *tracker;
    references *refs;
    probes *probes;

    /* To be read: the method that was injected last, laid out. */
    il_edit il;

    /* Not for the owner. */
    const md_view *view;
    const md_index *index;
    const probe *rows; /* probe_rows */
    probe_set on;      /* that have a part in some method; those of them that have a step: */
    struct {
        probe_set plan, in_loops, in_handlers, place, without_locals, insert, head, describe;
    } with;
    values values; /* for a tracker that takes any */
    result_reloads reloads;
    locals locals;
    result_types results;
    float_types floats;
    md_cells flags; /* of methods */
    uint32_t machine_hint;
    uint32_t no_machine_from, no_machine_until; /* rows that are no machine's, the second one not among them */
    depths depths;
    buffer name, types;                  /* scratch */
    buffer catching, holding, unwinding; /* the code that the current method's handlers start with */
    buffer fault, filter, exit;          /* of its guard: il borrows them */
    buffer scratch;                      /* code */
    kept_code heads[KEPT_LOCALS];        /* by the token's local, with any id */
    /* The same, and by whether the next local keeps the result: before a ret; where an exception leaves a guard; a
     * guard's exit. */
    kept_code before_ret[KEPT_LOCALS][2], faults[KEPT_LOCALS][2], exits[KEPT_LOCALS][2];
} injector;

/* A method that gets a new body. */
typedef struct injection {
    uint32_t row; /* MethodDef */
    uint32_t id;
    ilj_exits exits; /* a method that cannot be guarded, or need not be, gets the ret shape all the same */
    const il_body *body;
} injection;

#endif
