/* capture_awaited.h - captured calls of async methods, which end with their machines: what is put into the MoveNext.
 *
 * Such a call is begun by the method that was written, which starts the machine. The machine's first slice takes it
 * over; later slices find it by the machine, where that is an object, else by what the builder keeps. Where the machine
 * sets its result or its exception, the call gets it, and ends (docs/decisions/07-values.md). */
#ifndef ILINJECT_INJECT_VALUES_CAPTURE_AWAITED_H
#define ILINJECT_INJECT_VALUES_CAPTURE_AWAITED_H

#include "il/edit.h"
#include "inject/module/ids.h"
#include "inject/values/capture_calls.h"

typedef struct awaited_call {
    capture *capture;
    const state_machine *machine;
    uint32_t starter;    /* id of the method that begins the call */
    bool has_builder;    /* the machine is a struct whose builder can be handed over */
    capture_type result; /* of what the machine gives; type is empty when there is nothing to hand over */
    /* To be set by the owner: locals that keep the call and the result, when there is one. */
    uint32_t call, given;
} awaited_call;

/* false: no captured call ends with this machine. */
bool awaited_find(awaited_call *a, capture *c, const ids *ids, const state_machine *m);

/* Appends what stands at the head of MoveNext: CAPTURE_DEPTH items of stack. */
void awaited_add_head(const awaited_call *a, buffer *code);

/* Adds to `to` what stands before calls that suspend, complete or fail, and after those that suspend: after what
 * machine_insert_calls adds. Returns the stack that it needs. */
uint32_t awaited_insert_calls(const awaited_call *a, il_edit *to);

#endif
