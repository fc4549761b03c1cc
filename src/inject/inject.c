#include "inject/inject.h"

#include "il/emit.h"
#include "inject/guard.h"
#include "inject/handlers.h"
#include "inject/machine_calls.h"
#include "inject/plan.h"
#include "inject/user_string.h"
#include "metadata/signature.h"

ecma_status injector_init(injector *in, ilj_image *image) {
    in->view = &image->metadata;
    in->index = &image->index;
    il_edit_init(&in->il);
    in->locals.edit = in->edit;
    result_reloads_begin(&in->reloads, in->edit, in->tracker);
    ecma_status status = depths_init(&in->depths, image);
    return status ? status : values_begin(&in->values, image, in->edit, in->refs, in->tracker);
}

void injector_clear(injector *in) {
    values_clear(&in->values);
    result_reloads_clear(&in->reloads);
    locals_clear(&in->locals);
    il_edit_clear(&in->il);
    depths_clear(&in->depths);
    buffer_clear(&in->name);
    buffer_clear(&in->types);
    buffer_clear(&in->catching);
    buffer_clear(&in->holding);
    buffer_clear(&in->unwinding);
    buffer_clear(&in->fault);
    buffer_clear(&in->filter);
    buffer_clear(&in->exit);
    buffer_clear(&in->scratch);
}

/* Tells the causes that a caller does not look at itself. */
static ecma_status bad_edit(ecma_status status, uint32_t method_row, diag *d) {
    if (status == ECMA_NO_MEMORY)
        return diag_no_memory(d);
    if (status == ECMA_BUG)
        return diag_report(d, DIAG_READ_BACK,
                           "MethodDef 0x%08x: there is no place for a call of the tracker; please report this",
                           md_token_of(MD_TABLE_MethodDef, method_row));
    return status;
}

/* A method whose plan is carried out. */
typedef struct emission {
    const method_plan *plan;
    md_token name;   /* for ldstr, when the tracker asks for names */
    uint16_t needed; /* items of stack, for all that is put in */
} emission;

static void need(emission *m, uint32_t depth) {
    if (depth > m->needed)
        m->needed = (uint16_t)(depth > 0xFFFF ? 0xFFFF : depth);
}

/* ---- Calls --------------------------------------------------------------------------------------------------------
 */

/* Pushes what a call asks for. */
static void add_argument(buffer *code, const emission *m, tracker_argument argument) {
    switch (argument) {
    case TRACKER_NOTHING:
        break;
    case TRACKER_ID:
        il_emit_ldc_i4(code, (int32_t)m->plan->id);
        break;
    case TRACKER_NAME:
        il_emit_token(code, IL_OP_ldstr, m->name);
        break;
    case TRACKER_HANDLE:
        il_emit_token(code, IL_OP_ldtoken, md_token_of(MD_TABLE_MethodDef, m->plan->row));
        break;
    case TRACKER_TOKEN:
        il_emit_ldloc(code, m->plan->locals.token);
        break;
    }
}

/* A call that says which method it is about, as leaving it does. */
static void add_leave_like(buffer *code, const injector *in, const emission *m, md_token callee) {
    add_argument(code, m, in->tracker->leave);
    il_emit_call(code, callee);
}

/* The call of the tracker's leave: with the result, which is in its local. An empty type:
 * without. */
static void add_leave(injector *in, emission *m, buffer *code, bytes result) {
    const method_plan *p = m->plan;
    if (in->tracker->result == TRACKER_NO_RESULT) {
        add_leave_like(code, in, m, p->callees.leave);
        return;
    }
    add_argument(code, m, in->tracker->leave);
    values_add_leave(&in->values, code, p->row, p->locals.result, result);
    need(m, 1 + VALUES_RESULT_DEPTH);
}

/* The end of a call that is seen with its values. */
static void add_capture_exit(injector *in, const emission *m, buffer *code, bytes result, bool values) {
    const method_plan *p = m->plan;
    capture_exit(in->capture, code, p->row, p->locals.call,
                 &(capture_result){.local = p->locals.result, .type = result, .values = values});
}

static void insert_enter(injector *in, emission *m) {
    const tracker *t = in->tracker;
    const method_plan *p = m->plan;
    const plan_callees *c = &p->callees;
    bool has_token = c->token_element != MD_ELEMENT_VOID;
    buffer *enter = &in->scratch;
    enter->size = 0;
    /* Outside the frame, whose time shall be the method's own. */
    if (p->capture) {
        capture_enter(in->capture, enter, p->row, p->id, p->locals.call);
        need(m, CAPTURE_DEPTH);
    }
    if (p->ends_captured)
        need(m, awaited_add_head(&p->awaited, enter));
    if (c->with_starter) {
        /* Both in their longest form, whatever their values are. */
        il_emit_token(enter, IL_OP_ldc_i4, p->id);
        il_emit_token(enter, IL_OP_ldc_i4, c->starter);
        need(m, 2);
    } else {
        add_argument(enter, m, t->enter);
    }
    if (t->takes_arguments && !c->with_starter) {
        values_add_arguments(&in->values, enter, p->row);
        need(m, 1 + VALUES_ARGUMENTS_DEPTH);
    }
    il_emit_call(enter, c->enter);
    if (has_token && p->locals.token == NO_LOCAL)
        il_emit(enter, IL_OP_pop);
    else if (has_token)
        il_emit_stloc(enter, p->locals.token);
    il_insert_buffer(&in->il, 0, IL_HEAD, enter);
    need(m, t->enter != TRACKER_NOTHING || has_token ? 1 : 0);
}

/* ---- The ret shape ------------------------------------------------------------------------------------------------
 */

/* The code before a way out: a result is put by while its call is seen with its values. */
static void write_way_out(injector *in, emission *m, buffer *code, bool returns) {
    const plan_locals *l = &m->plan->locals;
    bool keeps = returns && l->result != NO_LOCAL, stays = keeps && result_stays_on_stack(l->result_type);
    bytes result = keeps ? l->result_type : (bytes){0};
    if (stays)
        il_emit(code, IL_OP_dup);
    if (keeps)
        il_emit_stloc(code, l->result);
    add_leave(in, m, code, result);
    if (m->plan->capture)
        add_capture_exit(in, m, code, result, returns);
    if (keeps && !stays)
        result_load(code, l->result, m->plan->reload);
}

/* The same code stands before all rets, and the same before all other ways out. */
static void insert_ways_out(injector *in, emission *m) {
    buffer *before_ret = &in->exit, *before_others = &in->scratch;
    before_ret->size = before_others->size = 0;
    for (uint32_t i = 0; i < in->il.exit_count; i++) {
        const il_exit *exit = &in->il.exits[i];
        bool returns = exit->kind == IL_EXIT_RET || exit->kind == IL_EXIT_AFTER_TAIL_CALL;
        buffer *code = returns ? before_ret : before_others;
        if (code->size == 0)
            write_way_out(in, m, code, returns);
        il_insert_buffer(&in->il, exit->offset, exit->kind == IL_EXIT_AFTER_TAIL_CALL ? IL_APART : IL_BEFORE, code);
    }
}

/* The calls on the way out. */
static ecma_status insert_leaves(injector *in, emission *m) {
    const tracker *t = in->tracker;
    const method_plan *p = m->plan;
    /* Nobody asks, or without a local there is no token to give back: the frame is closed by
     * those below it. */
    if (in->il.exit_count == 0 || t->only_counts || (t->leave == TRACKER_TOKEN && p->locals.token == NO_LOCAL))
        return ECMA_OK;
    insert_ways_out(in, m);
    if (p->capture)
        need(m, CAPTURE_DEPTH + result_stays_on_stack(p->locals.result_type));
    if (t->leave == TRACKER_NOTHING && t->result == TRACKER_NO_RESULT && !p->capture)
        return ECMA_OK;
    uint32_t depth, more = 1 + (t->result != TRACKER_NO_RESULT ? VALUES_RESULT_DEPTH : 0);
    bool stays_tiny = t->token_element == MD_ELEMENT_VOID;
    ecma_status status = depths_at_exits(&in->depths, &in->il, p->row, stays_tiny, more, &depth);
    need(m, depth + more);
    return status;
}

/* ---- Handlers and the guarded shape --------------------------------------------------------------------------------
 */

/* The method for an exception that a finally block of an async method puts by while it awaits; 0: the tracker has none.
 * Few modules name it. */
static md_token when_holding(const injector *in) {
    references_add_group(in->refs, in->edit, in->tracker, TRACKER_GROUP_HOLDERS);
    return in->refs->method[TRACKER_HOLDING];
}

/* The code for a handler that catches, or seems to. */
static const buffer *catching_code(injector *in, const emission *m, const il_clause *clause) {
    handler_part part = m->plan->machine ? handlers_part(in->view, m->plan->body, clause) : HANDLER_CATCHES;
    md_token callee;
    if (part == HANDLER_UNWINDS)
        return &in->unwinding;
    if (part == HANDLER_CATCHES || !in->catching.size || !(callee = when_holding(in)))
        return &in->catching;
    in->holding.size = 0;
    il_emit(&in->holding, IL_OP_dup);
    add_leave_like(&in->holding, in, m, callee);
    return &in->holding;
}

/* At the heads of the method's own handlers: frames above this one are dead when they run. */
static void insert_handler_calls(injector *in, emission *m) {
    const method_plan *p = m->plan;
    const plan_callees *c = &p->callees;
    if (p->body->clause_count == 0)
        return;
    buffer *catching = &in->catching, *unwinding = &in->unwinding;
    catching->size = unwinding->size = 0;
    if (c->catching) {
        il_emit(catching, IL_OP_dup);
        add_leave_like(catching, in, m, c->catching);
    }
    if (c->unwinding)
        add_leave_like(unwinding, in, m, c->unwinding);
    if (c->resuming) {
        add_leave_like(catching, in, m, c->resuming);
        unwinding = catching;
    }
    uint32_t count = handlers_list(&in->scratch, p->body);
    /* Code that found no memory is empty, and would be left out below. */
    if (in->scratch.failed || catching->failed || unwinding->failed)
        in->il.refused = ECMA_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        il_clause clause;
        il_body_clause(p->body, handlers_clause(&in->scratch, i), &clause);
        bool catches = clause.flags == IL_CLAUSE_EXCEPTION || clause.flags == IL_CLAUSE_FILTER;
        const buffer *code = catches ? catching_code(in, m, &clause) : unwinding;
        in->il.refused = code->failed ? ECMA_NO_MEMORY : in->il.refused;
        /* Nothing that could be recorded happens in a quiet handler, and the guard after it
         * tells the same. */
        bool is_told = p->guard.on && !c->resuming && clause.handler_offset >= p->guard.start;
        if (code->size == 0 || (!catches && is_told && guard_handler_is_quiet(p->body, &clause, p->is_instance)))
            continue;
        il_insert_buffer(&in->il, clause.handler_offset, IL_BEFORE, code);
        need(m, catches ? 3 : 1);
    }
}

/* At the heads of the method's own filters: an exception looks for its handler, and the filter may throw another one. */
static void insert_filter_calls(injector *in, emission *m) {
    const method_plan *p = m->plan;
    enum { FILTER_DEPTH = 3 };
    if (p->body->clause_count == 0 || !p->callees.catching || p->async || !in->tracker->guards[TRACKER_GUARD_FILTERING])
        return;
    uint32_t count = handlers_list_filters(&in->scratch, p->body);
    if (in->scratch.failed)
        in->il.refused = ECMA_NO_MEMORY;
    if (count == 0)
        return;
    if (!in->refs->filtering)
        references_add_filtering(in->refs, in->edit, in->tracker);
    in->catching.size = 0;
    il_emit(&in->catching, IL_OP_dup);
    add_leave_like(&in->catching, in, m, in->refs->filtering);
    for (uint32_t i = 0; i < count; i++)
        il_insert_buffer(&in->il, handlers_filter(&in->scratch, i), IL_BEFORE, &in->catching);
    need(m, FILTER_DEPTH);
}

/* The one exit of the guarded shape: reports and returns. */
static void write_exit(injector *in, emission *m) {
    const method_plan *p = m->plan;
    add_leave(in, m, &in->exit, p->locals.result_type);
    if (p->capture)
        add_capture_exit(in, m, &in->exit, p->locals.result_type, true);
    if (p->locals.result != NO_LOCAL)
        result_load(&in->exit, p->locals.result, p->reload);
    il_emit(&in->exit, IL_OP_ret);
}

static ecma_status set_guard(injector *in, emission *m) {
    const method_plan *p = m->plan;
    in->scratch.size = in->fault.size = in->filter.size = in->exit.size = 0;
    if (p->locals.result != NO_LOCAL)
        il_emit_stloc(&in->scratch, p->locals.result);
    for (uint32_t i = 0; i < in->il.exit_count && p->locals.result != NO_LOCAL; i++)
        il_insert_buffer(&in->il, in->il.exits[i].offset, IL_BEFORE, &in->scratch);

    if (p->callees.resuming)
        add_leave_like(&in->fault, in, m, p->callees.resuming);
    if (p->callees.by_exception)
        add_leave_like(&in->fault, in, m, p->callees.by_exception);
    else
        add_leave(in, m, &in->fault, (bytes){0});
    if (p->capture) {
        il_emit_ldloc(&in->fault, p->locals.call);
        il_emit_call(&in->fault, in->refs->method[TRACKER_CALL_FAILS]);
        need(m, CAPTURE_DEPTH);
    }
    il_emit(&in->fault, IL_OP_endfinally); /* endfault, too */
    if (in->il.exit_count)
        write_exit(in, m);
    il_guard guard = {.start = p->guard.start};
    need(m, 1);
    bool sees = p->capture && p->capture->exception;
    if (p->callees.passes || sees) {
        static const uint8_t never_runs[] = {IL_OP_pop, IL_WIDE, IL_OP_rethrow & 0xFF};
        /* The exception is on the stack; whatever the tracker answers, the search goes on. */
        if (p->callees.passes && sees)
            il_emit(&in->filter, IL_OP_dup);
        if (p->callees.passes)
            add_leave_like(&in->filter, in, m, p->callees.passes);
        if (p->callees.passes && sees)
            il_emit(&in->filter, IL_OP_pop);
        if (sees) {
            il_emit_ldloc(&in->filter, p->locals.call);
            il_emit_call(&in->filter, in->refs->method[TRACKER_CALL_THROWS]);
        }
        il_emit(&in->filter, IL_OP_pop);
        il_emit_ldc_i4(&in->filter, false);
        il_emit(&in->filter, IL_OP_endfilter);
        guard.filter_handler = bytes_of(never_runs, sizeof never_runs);
        need(m, p->callees.passes && sees ? 3 : 2);
    }
    if (in->fault.failed || in->filter.failed || in->exit.failed)
        return ECMA_NO_MEMORY;
    guard.fault = buffer_bytes(&in->fault);
    guard.filter = buffer_bytes(&in->filter);
    guard.exit = buffer_bytes(&in->exit);
    return il_set_guard(&in->il, &guard);
}

/* ---- All ----------------------------------------------------------------------------------------------------------
 */

/* Adds the rows that the plan needs, and puts them into the header. */
static ecma_status add_rows(injector *in, method_plan *p, diag *d) {
    result_reload_add(&in->reloads, &p->reload, p->returned.type);
    if (p->locals.no_room)
        diag_report(d, DIAG_LOCALS,
                    "MethodDef 0x%08x: %u locals leave no room for what keeps the call; the method is entered only",
                    md_token_of(MD_TABLE_MethodDef, p->row), p->locals.own.count);
    if (p->locals.count == 0)
        return ECMA_OK;
    ecma_status status = locals_extend(&in->locals, &p->locals.own, buffer_bytes(&in->types), p->locals.count,
                                       &in->il.local_var_sig_token);
    /* A verifier wants locals that are loaded to be initialised. Nobody can say whether those
     * are that the old code does not load, unless localloc is there, whose memory would be
     * cleared, too. */
    if ((p->locals.own.count == 0 || !in->il.flow.loads_local) && !in->il.flow.has_localloc)
        in->il.init_locals = true;
    return status;
}

/* Makes room on the stack for what was put in. A body whose own code needs more than its
 * MaxStack stays as it is: with that room a compiler would take it. */
static ecma_status raise_max_stack(injector *in, method_plan *p, uint16_t needed, il_fault *fault) {
    enum { MAX_STACK_AT = 2 };
    if (needed <= in->il.max_stack)
        return ECMA_OK;
    ecma_status status = plan_follow_paths(p, in);
    if (status)
        return status;
    if (p->paths.max_depth > p->body->max_stack) {
        *fault = (il_fault){"more items come to stand on the stack than MaxStack allows", MAX_STACK_AT};
        return ECMA_BAD_FILE;
    }
    in->il.max_stack = needed;
    return ECMA_OK;
}

/* Counts the objects that the method's own code allocates. Its calls are known by a number, but in methods that the
 * runtime suspends: there by an object. */
static void insert_allocations(injector *in, emission *m) {
    const method_plan *p = m->plan;
    if (p->locals.no_room)
        return;
    allocations_method of = {p->id, p->row, p->body, p->async ? -1 : (int32_t)p->locals.token};
    uint32_t depth = allocations_insert(in->allocations, &in->il, &of);
    if (depth)
        need(m, p->body->max_stack + depth);
}

/* Carries out the plan: rows first, then code. */
static ecma_status emit(injector *in, method_plan *p, il_fault *fault, diag *d) {
    const tracker *t = in->tracker;
    emission m = {.plan = p};
    ecma_status status = add_rows(in, p, d);
    if (status)
        return status;
    if (t->enter == TRACKER_NAME || t->leave == TRACKER_NAME)
        m.name = user_string_add_method(in->edit, in->index, p->row, &in->name);
    insert_enter(in, &m);
    float_parameters_rename(&p->renamed, &in->il, p->locals.renamed, &in->scratch);
    need(&m, p->renamed.count ? 1 : 0);
    if (p->machine && p->leaves)
        need(&m, leaves_insert_awaits(in->leaves, &in->il, p->machine, in->refs, p->locals.token));
    if (p->machine)
        need(&m, machine_insert_calls(&in->il, p->machine, in->refs, p->locals.token, p->locals.value_task,
                                      p->ends_captured ? &p->awaited : NULL));
    if (p->async)
        need(&m, async_insert_calls(&in->il, p->async, in->refs,
                                    &(async_locals){p->locals.token, p->locals.operands,
                                                    p->capture && in->refs->method[TRACKER_CALL_SUSPENDS]
                                                        ? p->locals.call
                                                        : AWAIT_NO_LOCAL}));
    insert_allocations(in, &m);
    if (p->guard.in_handlers || p->callees.resuming)
        insert_handler_calls(in, &m);
    if (p->guard.in_handlers)
        insert_filter_calls(in, &m);
    /* After what stands at the heads of handlers. */
    if (p->leaves)
        need(&m, leaves_insert(in->leaves, &in->il, p->machine, in->refs,
                               &(leaf_locals){p->locals.leaf, p->locals.spilled, &p->spills}));
    status = p->guard.on ? set_guard(in, &m) : insert_leaves(in, &m);
    return status ? status : raise_max_stack(in, p, m.needed, fault);
}

ecma_status inject_method(injector *in, buffer *out, bool *fat, const injection *what, il_fault *fault, diag *d) {
    method_plan plan;
    ecma_status status = il_edit_begin(&in->il, what->body, fault);
    if (status)
        return bad_edit(status, what->row, d);
    in->il.shorten = true;
    if ((status = plan_method(&plan, in, what, fault)) || (status = emit(in, &plan, fault, d)) ||
        (status = il_edit_layout(&in->il, fault)))
        return bad_edit(status, what->row, d);
    *fat = il_edit_is_fat(&in->il);
    uint8_t *p = buffer_extend(out, il_edit_size(&in->il));
    if (!p || in->values.failed || in->reloads.failed)
        return diag_no_memory(d);
    if ((status = il_edit_write(&in->il, p)))
        return diag_report(d, DIAG_READ_BACK,
                           "MethodDef 0x%08x: a branch does not reach its target; please report this",
                           md_token_of(MD_TABLE_MethodDef, what->row));
    if (plan.capture)
        capture_describe(in->capture, what->row, what->id, plan.returned.runtime_async);
    return ECMA_OK;
}
