/* probes.h - all kinds of injected code in one module: a step for all of them is a loop over the rows (probe.h).
 *
 * Life cycle: all zero but for what is borrowed, probes_look, the steps PROBE_REFERENCE and PROBE_BEGIN, then the
 * methods (inject.h), PROBE_FINISH, probes_clear. The functions return ECMA_OK, or what ends the run (reported). */
#ifndef ILINJECT_INJECT_PROBES_H
#define ILINJECT_INJECT_PROBES_H

#include "async/runtime_async.h"
#include "async/state_machines.h"
#include "inject/leaves/leaf_calls.h"
#include "inject/module/ids.h"
#include "inject/objects/allocations.h"
#include "inject/probe.h"
#include "inject/values/capture_calls.h"
#include "select/selection.h"

typedef struct probes {
    /* To be set by the owner; borrowed. */
    ilj_image *image;
    const ilj_instrument_options *options;
    const tracker *tracker;
    const bodies *bodies;
    state_machines *machines;
    async_methods *async_methods;
    const ids *ids;
    md_edit *edit; /* the rows that are added; from references_add on */
    references *refs;
    uint32_t id_count; /* methods that have an id; after probes_look, all that has one */

    probe_set looks; /* those that look at bodies, by their `ask` */

    /* The kinds' own. */
    command_types commands;
    capture captures;
    leaves leaves;
    allocations objects;
} probes;

/* PROBE_ASK of each row, and a look at the bodies if one of them needs it. */
ecma_status probes_look(probes *p);

/* A later step of each row, until one fails. */
ecma_status probes_step(probes *p, probe_step step);

void probes_clear(probes *p);

#endif
