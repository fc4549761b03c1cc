/* plan.h - the decisions about one method, before anything is put into it.
 *
 * plan_method looks at the body that in->il has begun on and at what the module has. It adds no row
 * and inserts no code: a method that turns out to be bad leaves nothing behind. inject.c emits what
 * the plan says. */
#ifndef ILINJECT_INJECT_PLAN_H
#define ILINJECT_INJECT_PLAN_H

#include "inject/injector.h"
#include "inject/loops/float_parameters.h"
#include "inject/probe.h"
#include "inject/values/capture_awaited.h"

/* No local keeps it. */
enum { NO_LOCAL = 0xFFFF };

/* The methods that injected code calls; 0: nothing is called there. */
typedef struct plan_callees {
    md_token enter, leave, by_exception, catching, unwinding, resuming, passes;
    uint8_t token_element; /* of what enter returns; MD_ELEMENT_VOID: nothing */
    bool with_starter;     /* enter takes the id of the method that starts the machine, too */
    uint32_t starter;      /* that id */
} plan_callees;

/* Locals after the body's own; `count` 0: none. Those of a probe that has no part in the method mean nothing. */
typedef struct plan_locals {
    locals_own own;
    uint32_t count;      /* their types are in in->types */
    uint32_t token;      /* keeps what enter returned */
    uint32_t result;     /* what the method returns, of `result_type` */
    uint32_t value_task; /* the task of a state machine */
    uint32_t call;       /* a call that is seen with its values */
    uint32_t operands;   /* the first of what an async method awaits */
    uint32_t leaf;       /* keeps what enter returned for a leaf */
    uint32_t spilled;    /* the first that keeps an argument of a command's call */
    uint32_t renamed;    /* the first that takes a parameter's place */
    bytes result_type;   /* empty: no local keeps the result */
    bool no_room;        /* the body has so many that there are none: the method is entered only */
} plan_locals;

typedef struct plan_guard {
    bool on;          /* else the ret shape */
    uint32_t start;   /* of the region, an offset in the old code */
    bool in_handlers; /* the method's own handlers report */
} plan_guard;

/* The result of following the old code's paths, which is asked for where the walk over it does
 * not tell. */
typedef struct plan_paths {
    bool followed; /* the others mean something */
    bool excess;   /* more than the result stands on the stack at a ret */
    uint32_t max_depth;
} plan_paths;

typedef struct method_plan {
    uint32_t row, id;
    const il_body *body;
    bool is_instance;
    probe_set on;  /* that have a part in it */
    md_token name; /* for ldstr, when the tracker asks for names; set when the rows are added */
    plan_locals locals;
    plan_guard guard;
    plan_paths paths;
    probe_set ends;               /* probes that see each way out */
    probe_set filters;            /* probes that see an exception look for its handler */
    bool wants_result;            /* one of them sees what the method returns, in a local */
    const state_machine *machine; /* the state machine whose MoveNext this is, if it reports; else NULL */
    const async_method *async;    /* a method that the runtime suspends, if it reports; else NULL */
    const capture_rule *capture;  /* its calls are seen with their values; else NULL */
    bool ends_captured;           /* it is a machine's, with which such a call ends: `awaited` */
    result_reload reload;         /* how the result is loaded after the call that leaves */

    plan_callees callees; /* always set */
    returned returned;    /* in the ret shape few need to know */
    /* Not cleared: what `plan` of their probes sets. */
    awaited_call awaited;
    float_parameters renamed; /* locals take their places */
    command_spills spills;    /* of calls of leaves, the arguments of commands' */
} method_plan;

/* Has the probe a part in it? */
static inline bool plan_has(const method_plan *p, probe_id id) {
    return p->on >> id & 1;
}

/* Makes the plan. Returns ECMA_OK; ECMA_BAD_FILE when the body cannot be understood (`fault`
 * says why); ECMA_NO_MEMORY (not reported). */
ecma_status plan_method(method_plan *p, injector *in, const injection *what, il_fault *fault);

/* Follows the old code's paths, once. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status plan_follow_paths(method_plan *p, injector *in);

#endif
