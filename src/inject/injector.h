/* injector.h - what injecting works with: of a module, and of one method in it. */
#ifndef ILINJECT_INJECT_INJECTOR_H
#define ILINJECT_INJECT_INJECTOR_H

#include "il/edit.h"
#include "inject/body/locals.h"
#include "inject/body/result_types.h"
#include "inject/body/stack_depth.h"
#include "inject/loops/result_reloads.h"
#include "inject/probes.h"
#include "inject/values/values.h"
#include "metadata/index.h"
#include "tracker/references.h"

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
        probe_set plan, place, without_locals, insert, head, describe;
    } with;
    values values; /* for a tracker that takes any */
    result_reloads reloads;
    locals locals;
    result_types results;
    uint32_t machine_hint;
    depths depths;
    buffer name, types;         /* scratch */
    buffer catching, holding, unwinding; /* the code that the current method's handlers start with */
    buffer fault, filter, exit; /* of its guard: il borrows them */
    buffer scratch;             /* code */
} injector;

/* A method that gets a new body. */
typedef struct injection {
    uint32_t row; /* MethodDef */
    uint32_t id;
    ilj_exits exits; /* a method that cannot be guarded, or need not be, gets the ret shape all the same */
    const il_body *body;
} injection;

#endif
