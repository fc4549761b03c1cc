/* The kinds of injected code, a row each (probe.h): their functions, in the order of the rows, and the table. */
#include "async/machine_tasks.h"
#include "il/emit.h"
#include "inject/async/machine_calls.h"
#include "inject/leaves/command_packages.h"
#include "inject/pair.h"
#include "metadata/signature.h"

/* A row's tracker cannot do what is asked for. */
static ecma_status refuse(const probes *p, const char *what) {
    return diag_report(&p->image->diag, DIAG_TRACKER_SHAPE, "%s", what);
}

/* Can the tracker do what the row is for? Returns ECMA_OK, ECMA_CONFIG (reported). */
static ecma_status check_tracker(const probes *p, probe_id id) {
    const probe *row = &probe_rows[id];
    if (p->tracker->only_counts && row->counted)
        return refuse(p, row->counted);
    return p->tracker->can[row->needs] ? ECMA_OK : refuse(p, row->lacks);
}

/* Does the tracker have a method for heads of handlers, and any method use it? */
static bool handlers_are_on(const probes *p) {
    return p->refs->catching || p->refs->unwinding || p->refs->method[TRACKER_RESUMING];
}

static bool sees_more_than_calls(const probes *p) {
    return !p->tracker->only_counts;
}

/* ---- State machines ---------------------------------------------------------------------------------------------- */

static ecma_status reference_machines(probes *p) {
    const tracker *t = p->tracker;
    ecma_status status = ECMA_OK;
    if (tracker_is_told_of_machines(t) && state_machines_have_events(p->machines)) {
        references_add_group(p->refs, p->edit, t, TRACKER_GROUP_MACHINES);
        if (t->has[TRACKER_IDENTIFIED])
            status = machine_tasks_find(p->machines, p->image, p->edit);
        if (machine_tasks_want_builders(p->machines))
            references_add_group(p->refs, p->edit, t, TRACKER_GROUP_BUILDERS);
    }
    if (p->leaves.awaited && t->can[TRACKER_GROUP_AWAITED_LEAVES] && p->refs->method[TRACKER_SUSPENDING])
        references_add_group(p->refs, p->edit, t, TRACKER_GROUP_AWAITED_LEAVES);
    return status;
}

static bool machines_are_on(const probes *p) {
    return state_machines_have_events(p->machines);
}

static bool plan_machines(injector *in, method_plan *p) {
    const state_machines *m = in->probes->machines;
    p->machine = state_machines_with_events(m, p->row, &in->machine_hint);
    const uint32_t next =
        in->machine_hint + (in->machine_hint < m->count && m->list[in->machine_hint].method == p->row);
    in->no_machine_from = p->row + 1;
    in->no_machine_until = next < m->count ? m->list[next].method : UINT32_MAX;
    return p->machine != NULL;
}

static void place_machines(method_plan *p, buffer *types, uint32_t *next) {
    bytes task = p->machine->value_task;
    if (p->locals.result_type.size || !task.size) /* MoveNext returns nothing */
        return;
    buffer_append(types, task.data, task.size);
    p->locals.value_task = (*next)++;
}

static uint32_t insert_machines(injector *in, const method_plan *p) {
    const plan_locals *l = &p->locals;
    uint32_t awaits = 0;
    if (plan_has(p, PROBE_LEAVES)) /* it comes first where both stand */
        awaits = leaves_insert_awaits(&in->probes->leaves, &in->il, &(leaf_caller){p->row, &in->il.body, p->machine},
                                      in->refs, l->token);
    uint32_t calls = machine_insert_calls(&in->il, p->machine, in->refs, l->token, l->value_task);
    return awaits > calls ? awaits : calls;
}

/* ---- Methods that the runtime suspends --------------------------------------------------------------------------- */

static ecma_status reference_async(probes *p) {
    const bool *has = p->tracker->has;
    if (!has[TRACKER_ENTERS_ASYNC] || !has[TRACKER_LEAVES_ASYNC] || !p->async_methods->count)
        return ECMA_OK;
    references_add_group(p->refs, p->edit, p->tracker, TRACKER_GROUP_ASYNC);
    return async_methods_reference(p->async_methods, p->image, p->bodies, p->edit);
}

static bool async_is_on(const probes *p) {
    return p->refs->method[TRACKER_ENTERS_ASYNC] && p->refs->method[TRACKER_LEAVES_ASYNC];
}

static bool plan_async(injector *in, method_plan *p) {
    p->async = async_methods_of(in->probes->async_methods, p->row);
    return p->async != NULL;
}

static void place_async(method_plan *p, buffer *types, uint32_t *next) {
    buffer_append(types, p->async->types.data, p->async->types.size);
    p->locals.operands = *next;
    *next += p->async->type_count;
}

static uint32_t insert_async(injector *in, const method_plan *p) {
    bool suspends = p->capture && in->refs->method[TRACKER_CALL_SUSPENDS];
    const async_locals locals = {p->locals.token, p->locals.operands, suspends ? p->locals.call : AWAIT_NO_LOCAL};
    return async_insert_calls(&in->il, p->async, in->refs, &locals);
}

/* ---- Captured calls ---------------------------------------------------------------------------------------------- */

static ecma_status begin_captures(probes *p) {
    capture *c = &p->captures;
    *c = (capture){.image = p->image, .edit = p->edit, .refs = p->refs, .selection = p->options->selection};
    ecma_status status = capture_choose(c, p->bodies, p->machines);
    if (status || !c->rules)
        return status;
    status = check_tracker(p, PROBE_CAPTURES);
    return status ? status : capture_begin(c, p->tracker, p->bodies, p->machines, p->async_methods);
}

static bool captures_are_on(const probes *p) {
    return p->captures.rules != NULL;
}

/* A method's own calls are seen, or a machine ends those of another one. The machine has the result of an async method.
 */
static bool plan_captures(injector *in, method_plan *p) {
    capture *c = &in->probes->captures;
    p->capture = capture_rule_of(c, p->row);
    p->ends_captured = p->machine && awaited_find(&p->awaited, c, in->probes->ids, p->machine);
    if (p->capture) {
        p->ends |= 1u << PROBE_CAPTURES;
        p->wants_result |= p->capture->result && capture_awaited_of(c, p->row) != CAPTURE_AWAITED_MACHINE;
        p->filters |= (probe_set)p->capture->exception << PROBE_CAPTURES;
    }
    return p->capture || p->ends_captured;
}

static void place_captures(method_plan *p, buffer *types, uint32_t *next) {
    buffer_u8(types, MD_ELEMENT_OBJECT);
    p->awaited.call = p->locals.call = (*next)++;
    if (p->ends_captured && p->awaited.result.type.size) {
        buffer_append(types, p->awaited.result.type.data, p->awaited.result.type.size);
        p->awaited.given = (*next)++;
    }
}

static uint32_t insert_captures(injector *in, const method_plan *p) {
    return p->ends_captured ? awaited_insert_calls(&p->awaited, &in->il) : 0;
}

static uint32_t head_of_captures(injector *in, const method_plan *p, buffer *code) {
    if (p->capture)
        capture_enter(&in->probes->captures, code, p->row, p->id, p->locals.call);
    if (p->ends_captured)
        awaited_add_head(&p->awaited, code);
    return CAPTURE_DEPTH;
}

static uint32_t exit_of_captures(injector *in, const method_plan *p, buffer *code, bytes result, bool returns) {
    capture_exit(&in->probes->captures, code, p->row, p->locals.call,
                 &(capture_result){.local = p->locals.result, .type = result, .values = returns});
    return CAPTURE_DEPTH;
}

static uint32_t fault_of_captures(injector *in, const method_plan *p, buffer *code) {
    il_emit_ldloc(code, p->locals.call);
    il_emit_call(code, in->refs->method[TRACKER_CALL_FAILS]);
    return CAPTURE_DEPTH;
}

static void filter_of_captures(injector *in, const method_plan *p, buffer *code) {
    il_emit_ldloc(code, p->locals.call);
    il_emit_call(code, in->refs->method[TRACKER_CALL_THROWS]);
}

static void describe_captures(probes *p, const method_plan *of) {
    if (of->capture)
        capture_describe(&p->captures, of->row, of->id, of->returned.runtime_async);
}

static ecma_status finish_captures(probes *p) {
    return capture_finish(&p->captures, &p->image->diag);
}

static void clear_captures(probes *p) {
    capture_clear(&p->captures);
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

static ecma_status begin_objects(probes *p) {
    const ilj_instrument_options *o = p->options;
    /* What a file says of objects means nothing where calls are only counted. */
    if (!selection_allocations(o->selection, o->allocations) || (p->tracker->only_counts && !o->allocations))
        return ECMA_OK;
    ecma_status status = check_tracker(p, PROBE_OBJECTS);
    return status ? status : allocations_begin(&p->objects, p->image, p->edit, p->refs, p->tracker);
}

static bool objects_are_on(const probes *p) {
    return p->objects.image != NULL;
}

/* Calls are known by a number, but in methods that the runtime suspends: there by an object. */
static uint32_t insert_objects(injector *in, const method_plan *p) {
    allocations_method of = {p->id, p->row, p->body, p->async ? -1 : (int32_t)p->locals.token};
    uint32_t depth = allocations_insert(&in->probes->objects, &in->il, &of);
    return depth ? p->body->max_stack + depth : 0;
}

static ecma_status finish_objects(probes *p) {
    return allocations_finish(&p->objects);
}

static void clear_objects(probes *p) {
    allocations_clear(&p->objects);
}

/* ---- Commands and leaves ----------------------------------------------------------------------------------------- */

/* An id and a token are all that a leaf has. */
static bool can_have_leaves(const tracker *t) {
    return t->registers && t->enter == TRACKER_ID && t->leave == TRACKER_TOKEN && t->token_element == MD_ELEMENT_I4 &&
           !t->takes_arguments && t->result == TRACKER_NO_RESULT;
}

static bool patterns_are_asked(const probes *p) {
    const ilj_selection *s = p->options->selection;
    return s && s->leaves.count && !p->tracker->only_counts;
}

static ecma_status ask_commands(probes *p) {
    const ilj_instrument_options *o = p->options;
    if (o->command_texts && (!o->selection || !o->selection->leaves.count))
        return diag_report(&p->image->diag, DIAG_CONFIG, "texts of commands need leaves (--leaves)");
    /* A tracker that can have no leaves is refused with them. */
    if (!patterns_are_asked(p) || !selection_command_texts(o->selection, o->command_texts) ||
        !can_have_leaves(p->tracker))
        return ECMA_OK;
    p->commands.image = p->image;
    return check_tracker(p, PROBE_COMMANDS);
}

static ecma_status reference_commands(probes *p) {
    command_types_reference(&p->commands, p->edit, p->refs, p->tracker);
    return ECMA_OK;
}

static bool commands_are_on(const probes *p) {
    return p->commands.count != 0;
}

static void clear_commands(probes *p) {
    command_types_clear(&p->commands);
}

static ecma_status ask_leaves(probes *p) {
    ilj_selection *selection = p->options->selection;
    bool can = can_have_leaves(p->tracker);
    if (patterns_are_asked(p) && !can)
        return refuse(p, probe_rows[PROBE_LEAVES].lacks);
    leaves asked = {.image = p->image,
                    .tracker = p->tracker,
                    .bodies = p->bodies,
                    .patterns = patterns_are_asked(p) ? &selection->leaves : NULL,
                    .commands = &p->commands};
    if (!leaves_are_asked(&asked) || !(can || p->tracker->only_counts))
        return ECMA_OK;
    if (asked.patterns)
        selection->leaves.asked = true;
    p->leaves = asked;
    p->looks |= 1u << PROBE_LEAVES;
    return leaves_begin(&p->leaves);
}

static void look_for_leaves(probes *p, uint32_t row, const il_body *body, const state_machine *machine) {
    leaves_look(&p->leaves, &(leaf_caller){row, body, machine});
}

static ecma_status number_leaves(probes *p, uint32_t *next) {
    ecma_status status = leaves_number(&p->leaves, *next);
    if (!status && p->commands.image)
        command_packages_report(&p->leaves, p->options->selection);
    *next += p->leaves.count;
    return status;
}

static bool leaves_are_on(const probes *p) {
    return p->leaves.count != 0;
}

static bool plan_leaves(injector *in, method_plan *p) {
    return leaves_in(&in->probes->leaves, &(leaf_caller){p->row, p->body, p->machine}, &p->spills);
}

static void place_leaves(method_plan *p, buffer *types, uint32_t *next) {
    if (p->callees.token_element == MD_ELEMENT_VOID) /* calls are only counted */
        return;
    buffer_u8(types, MD_ELEMENT_I4);
    p->locals.leaf = (*next)++;
    command_spills_types(&p->spills, types);
    p->locals.spilled = *next;
    *next += p->spills.count;
}

static uint32_t insert_leaves(injector *in, const method_plan *p) {
    return leaves_insert(&in->probes->leaves, &in->il, &(leaf_caller){p->row, &in->il.body, p->machine}, in->refs,
                         &(leaf_locals){p->locals.leaf, p->locals.spilled, &p->spills});
}

static void clear_leaves(probes *p) {
    leaves_clear(&p->leaves);
}

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

static bool plan_loops(injector *in, method_plan *p) {
    p->renamed.count = 0;
    if (p->machine)
        return false;
    result_find(&in->results, in->view, p->row, &p->returned);
    if (!p->returned.runtime_async)
        float_parameters_find(&p->renamed, &in->floats, in->view, p->returned.signature, &in->il);
    return p->renamed.count != 0;
}

static void place_loops(method_plan *p, buffer *types, uint32_t *next) {
    p->locals.renamed = *next;
    *next += float_parameters_types(&p->renamed, types);
}

static uint32_t insert_loops(injector *in, const method_plan *p) {
    float_parameters_rename(&p->renamed, &in->il, p->locals.renamed, &in->scratch);
    return 1;
}

/* ---- The rows ---------------------------------------------------------------------------------------------------- */

const probe probe_rows[PROBES] = {
    [PROBE_ENTERING] =
        {
            .without_locals = true,
            .insert = pair_enter,
        },
    [PROBE_MACHINES] =
        {
            .steps[PROBE_REFERENCE] = reference_machines,
            .is_on = machines_are_on,
            .plan = plan_machines,
            .place = place_machines,
            .insert = insert_machines,
        },
    [PROBE_COMMANDS] =
        {
            .needs = TRACKER_GROUP_COMMANDS,
            .lacks = "the tracker has no methods WantsCommandText, WhenCommandHasText and WhenLeavingCommand, which "
                     "texts of commands need",
            .steps[PROBE_ASK] = ask_commands,
            .steps[PROBE_REFERENCE] = reference_commands,
            .is_on = commands_are_on,
            .clear = clear_commands,
        },
    [PROBE_ASYNC] =
        {
            .steps[PROBE_REFERENCE] = reference_async,
            .is_on = async_is_on,
            .plan = plan_async,
            .place = place_async,
            .insert = insert_async,
        },
    [PROBE_CAPTURES] =
        {
            .needs = TRACKER_GROUP_CAPTURE,
            .lacks = "the tracker lacks some of the methods that --capture needs (docs/capture.md)",
            .counted = "calls that are only counted have no values: no --capture with --counts",
            .steps[PROBE_BEGIN] = begin_captures,
            .is_on = captures_are_on,
            .plan = plan_captures,
            .place = place_captures,
            .insert = insert_captures,
            .head = head_of_captures,
            .exit = exit_of_captures,
            .fault = fault_of_captures,
            .filter = filter_of_captures,
            .describe = describe_captures,
            .steps[PROBE_FINISH] = finish_captures,
            .clear = clear_captures,
        },
    [PROBE_OBJECTS] =
        {
            .needs = TRACKER_GROUP_ALLOCATIONS,
            .lacks = "the tracker has no methods RegisterAllocations, WhenAllocating and WhenBoxing<T> beside an "
                     "int32 WhenEnteringMethod(int32), which counting objects needs",
            .counted = "objects are not counted where calls are only counted: no frame says whose they are",
            .steps[PROBE_BEGIN] = begin_objects,
            .is_on = objects_are_on,
            .insert = insert_objects,
            .steps[PROBE_FINISH] = finish_objects,
            .clear = clear_objects,
        },
    [PROBE_HANDLERS] =
        {
            .is_on = handlers_are_on,
            .in_handlers = true,
            .without_locals = true,
            .insert = pair_handle,
        },
    [PROBE_LEAVES] =
        {
            .lacks = "leaves need a tracker with Register, 'int WhenEnteringMethod(int)' and "
                     "'void WhenLeavingMethod(int)'",
            .steps[PROBE_ASK] = ask_leaves,
            .look = look_for_leaves,
            .number = number_leaves,
            .is_on = leaves_are_on,
            .plan = plan_leaves,
            .place = place_leaves,
            .insert = insert_leaves,
            .clear = clear_leaves,
        },
    [PROBE_LOOPS] =
        {
            .is_on = sees_more_than_calls,
            .plan = plan_loops,
            .in_loops = true,
            .place = place_loops,
            .insert = insert_loops,
        },
    [PROBE_LEAVING] =
        {
            .is_on = sees_more_than_calls,
            .without_locals = true,
            .insert = pair_leave,
        },
};
