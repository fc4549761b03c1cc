#include "inject/plan.h"

#include "inject/body/guard.h"
#include "inject/body/visited.h"
#include "metadata/flags.h"
#include "metadata/signature.h"

ecma_status plan_follow_paths(method_plan *p, injector *in) {
    if (p->paths.followed)
        return ECMA_OK;
    p->paths.followed = true;
    result_find(&in->results, in->view, p->row, &p->returned);
    return depths_settle(&in->depths, &in->il, p->returned.type.size != 0, &p->paths.excess, &p->paths.max_depth);
}

static void clear_places(plan_locals *l) {
    l->token = l->result = NO_LOCAL;
    l->count = 0;
}

/* ---- Callees ---------------------------------------------------------------------------------------------------- */

/* A method that the runtime suspends gets a call in place of a token, and its handlers say that
 * it goes on, for an exception may come out of an await. */
static void choose_callees(method_plan *p, const injector *in) {
    const references *refs = in->refs;
    plan_callees *c = &p->callees;
    if (p->async) {
        *c = (plan_callees){.token_element = MD_ELEMENT_OBJECT,
                            .enter = refs->method[TRACKER_ENTERS_ASYNC],
                            .leave = refs->method[TRACKER_LEAVES_ASYNC],
                            .by_exception = refs->method[TRACKER_FAILS_ASYNC],
                            .resuming = refs->method[TRACKER_RESUMING]};
    } else {
        *c = (plan_callees){.token_element = in->tracker->token_element,
                            .enter = refs->enter,
                            .leave = refs->leave,
                            .by_exception = refs->leaving_by_exception,
                            .catching = refs->catching,
                            .unwinding = refs->unwinding,
                            .passes = refs->exception_passes};
    }
}

/* Is one call at its head all that it gets? No other probe may have a part in it. */
static bool is_only_visited(const method_plan *p, const injector *in) {
    const probe_set usual = 1u << PROBE_ENTERING | 1u << PROBE_HANDLERS | 1u << PROBE_OBJECTS | 1u << PROBE_LEAVING;
    if (p->body->code.size > VISITED_MOST_SIZE || !visited_can_be(in->view, &in->il, p->body, p->is_instance))
        return false;
    in->probes->ids->methods[p->id].flags |= NAME_VISITED; /* whatever this tracker makes of it */
    return in->refs->visit && !(p->on & ~usual) && !p->ends && !p->async;
}

static void only_visit(method_plan *p, const injector *in) {
    p->on = 1u << PROBE_ENTERING;
    p->callees = (plan_callees){.token_element = MD_ELEMENT_VOID, .enter = in->refs->visit};
    clear_places(&p->locals);
}

/* The starter may be a method without an id: then it is the machine itself. */
static void choose_starter(method_plan *p, const injector *in) {
    if (!plan_has(p, PROBE_MACHINES) || !in->refs->method[TRACKER_ENTERS_MACHINE])
        return;
    uint32_t starter = ids_of(in->probes->ids, p->machine->starter);
    p->callees.with_starter = true;
    p->callees.enter = in->refs->method[TRACKER_ENTERS_MACHINE];
    p->callees.starter = starter == NO_ID ? p->id : starter;
}

/* ---- The shape -------------------------------------------------------------------------------------------------- */

/* Where the region of a constructor starts; `found` is false when it cannot have one. Returns
 * ECMA_OK, ECMA_NO_MEMORY. */
static ecma_status find_start(method_plan *p, injector *in, bool *found) {
    p->guard.start = 0;
    *found = true;
    if (!p->is_instance || !(md_cells_at(&in->flags, p->row) & MD_METHOD_RT_SPECIAL_NAME) ||
        !md_name_is(in->view, MD_MethodDef_Name, p->row, ".ctor") ||
        md_is_value_type(in->view, md_method_type(in->index, p->row)))
        return ECMA_OK;
    /* So most begin; then the walk over the code is enough for them, as for others. */
    if ((p->guard.start = guard_constructor_head(in->view, in->index, p->row, p->body)))
        return ECMA_OK;
    ecma_status status = depths_analyse(&in->depths, p->body, false);
    if (status == ECMA_OK) {
        p->guard.start = guard_constructor_start(in->view, in->index, p->row, &in->depths.stack, p->body);
        p->paths.followed = p->returned.type.size == 0;
        depths_judge(&in->depths, &in->il, false, &p->paths.excess, &p->paths.max_depth);
    }
    *found = p->guard.start != 0;
    return status == ECMA_NO_MEMORY ? status : ECMA_OK;
}

/* Can the method be guarded, and has it to be? A guard's leave drops what a ret would find on
 * the stack, and ends a region that no ret may end: a body with such a fault keeps its rets. */
static ecma_status choose_guard(method_plan *p, injector *in) {
    /* One way out for all returns is what seeing a result wants, also where nothing can throw. */
    bool quiet = !p->ends && !in->il.flow.calls; /* a call may throw */
    bool needless = quiet && guard_is_needless(p->body, 0, p->is_instance), has_start;
    if (needless || result_stays_on_stack(p->returned.type))
        return ECMA_OK;
    ecma_status status = find_start(p, in, &has_start);
    if (status)
        return status;
    uint32_t start = p->guard.start;
    p->guard.on = has_start && (start == 0 || p->ends || !guard_is_needless(p->body, start, p->is_instance)) &&
                  il_can_guard(&in->il, start) && !(in->il.flow.rethrows && p->body->clause_count == 0);
    if (!p->guard.on || (!p->paths.followed && depths_walk(&in->depths, p->body, p->returned.type.size != 0)))
        return ECMA_OK;
    status = plan_follow_paths(p, in);
    p->guard.on = status == ECMA_OK && !p->paths.excess;
    return status;
}

/* Has the result to be put by in a local for the call that leaves the method? */
static bool choose_reload(method_plan *p, injector *in) {
    if (in->tracker->only_counts || p->ends || p->async || in->il.exit_count == 0 || !in->il.flow.loops)
        return false;
    result_find(&in->results, in->view, p->row, &p->returned);
    p->reload = result_reload_of(&in->reloads, &in->il, p->returned.type);
    return p->reload.op != 0;
}

static ecma_status choose_shape(method_plan *p, injector *in, ilj_exits exits) {
    ecma_status status = ECMA_OK;
    bool wants_result = choose_reload(p, in) || p->wants_result || in->tracker->result;
    if (exits == ILJ_EXITS_GUARDED || wants_result || p->ends)
        result_find(&in->results, in->view, p->row, &p->returned);
    if (p->returned.known && exits == ILJ_EXITS_GUARDED)
        status = choose_guard(p, in);
    if ((p->guard.on || wants_result) && in->il.exit_count)
        p->locals.result_type = p->returned.type;
    return status;
}

/* ---- Locals ----------------------------------------------------------------------------------------------------- */

static bool wants_locals(const method_plan *p, const injector *in) {
    return p->callees.token_element != MD_ELEMENT_VOID || p->locals.result_type.size || (p->on & in->with.place);
}

/* Gives each its place after the body's own, and appends their types to `types`: the token's, the result's, and those
 * of probes. */
static void place_locals(method_plan *p, const injector *in, buffer *types) {
    plan_locals *l = &p->locals;
    const probe *row;
    uint32_t next = l->own.count;
    types->size = 0;
    if (p->callees.token_element != MD_ELEMENT_VOID) {
        buffer_u8(types, p->callees.token_element);
        l->token = next++;
    }
    if (l->result_type.size) {
        buffer_append(types, l->result_type.data, l->result_type.size);
        l->result = next++;
    }
    for (probe_set left = p->on & in->with.place; (row = probe_next(in->rows, &left));)
        row->place(p, types, &next);
    l->count = next - l->own.count;
}

/* Takes all out of the plan that needs a local. */
static void enter_only(method_plan *p, const injector *in) {
    clear_places(&p->locals);
    p->locals.no_room = true;
    p->guard.on = false;
    p->on &= in->with.without_locals;
    p->callees.resuming = 0;
}

/* A body that names a local which it does not have is a fault that new ones would hide. */
static ecma_status choose_locals(method_plan *p, injector *in, il_fault *fault) {
    plan_locals *l = &p->locals;
    clear_places(l);
    if (!wants_locals(p, in))
        return ECMA_OK;
    ecma_status status = locals_recall(&in->locals, &l->own, p->body->local_var_sig_token, fault);
    if (status)
        return status;
    if (in->il.flow.local_count > l->own.count) {
        *fault =
            (il_fault){"an instruction names a local that is not there", locals_first_missing(p->body, l->own.count)};
        return ECMA_BAD_FILE;
    }
    place_locals(p, in, &in->types);
    if (in->types.failed)
        return ECMA_NO_MEMORY;
    if (l->own.count > LOCALS_MAX || l->count > LOCALS_MAX - l->own.count)
        enter_only(p, in);
    return ECMA_OK;
}

/* ---- All -------------------------------------------------------------------------------------------------------- */

/* In parts so small that each is a few stores in line: half of what a memset of all takes. Of the locals, choose_locals
 * sets the others; what comes after `returned` belongs to probes. */
static void clear(method_plan *p) {
    p->name = 0;
    p->locals.result_type = (bytes){0};
    p->locals.no_room = false;
    memset(&p->guard, 0, offsetof(method_plan, callees) - offsetof(method_plan, guard));
    p->returned = (returned){0};
}

ecma_status plan_method(method_plan *p, injector *in, const injection *what, il_fault *fault) {
    ilj_exits exits = in->tracker->only_counts ? ILJ_EXITS_RET : what->exits;
    clear(p);
    p->row = what->row;
    p->id = what->id;
    p->body = what->body;
    p->is_instance = !(md_cells_at(&in->flags, what->row) & MD_METHOD_STATIC);
    p->on = in->on & ~in->with.plan & ~(p->body->clause_count ? 0 : in->with.in_handlers);
    probe_set asked = in->with.plan & ~(in->il.flow.loops ? 0 : in->with.in_loops);
    if (p->row >= in->no_machine_from && p->row < in->no_machine_until)
        asked &= ~(1u << PROBE_MACHINES);
    for (probe_set left = asked; left; left &= left - 1) {
        const unsigned id = (unsigned)__builtin_ctz(left);
        p->on |= (probe_set)in->rows[id].plan(in, p) << id;
    }
    if (is_only_visited(p, in)) {
        only_visit(p, in);
        return ECMA_OK;
    }
    choose_callees(p, in);
    ecma_status status = choose_shape(p, in, exits);
    if (status)
        return status;
    if ((status = choose_locals(p, in, fault)))
        return status;
    choose_starter(p, in);
    /* A method that cannot be guarded may still have handlers: tail calls in an F# method with a try
     * block. */
    p->guard.in_handlers =
        exits == ILJ_EXITS_GUARDED && (in->tracker->leave != TRACKER_TOKEN || p->locals.token != NO_LOCAL);
    return ECMA_OK;
}
