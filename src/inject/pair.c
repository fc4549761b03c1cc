#include "inject/pair.h"

#include "il/emit.h"
#include "inject/body/guard.h"
#include "inject/body/handlers.h"
#include "metadata/signature.h"

static void need(uint32_t *needed, uint32_t depth) {
    if (depth > *needed)
        *needed = depth;
}

/* ---- Calls --------------------------------------------------------------------------------------------------------
 */

/* Pushes what a call asks for. */
static void add_argument(buffer *code, const method_plan *p, tracker_argument argument) {
    switch (argument) {
    case TRACKER_NOTHING:
        break;
    case TRACKER_ID:
        il_emit_ldc_i4(code, (int32_t)p->id);
        break;
    case TRACKER_NAME:
        il_emit_token(code, IL_OP_ldstr, p->name);
        break;
    case TRACKER_HANDLE:
        il_emit_token(code, IL_OP_ldtoken, md_token_of(MD_TABLE_MethodDef, p->row));
        break;
    case TRACKER_TOKEN:
        il_emit_ldloc(code, p->locals.token);
        break;
    }
}

/* A call that says which method it is about, as leaving it does. */
static void add_leave_like(buffer *code, const injector *in, const method_plan *p, md_token callee) {
    add_argument(code, p, in->tracker->leave);
    il_emit_call(code, callee);
}

/* The call of the tracker's leave: with the result, which is in its local. An empty type:
 * without. */
static void add_leave(injector *in, const method_plan *p, buffer *code, bytes result) {
    if (in->tracker->result == TRACKER_NO_RESULT) {
        add_leave_like(code, in, p, p->callees.leave);
        return;
    }
    add_argument(code, p, in->tracker->leave);
    values_add_leave(&in->values, code, p->row, p->locals.result, result);
}

/* The stack that this takes, beside what is there. */
static uint32_t leave_depth(const tracker *t) {
    return 1 + (t->result != TRACKER_NO_RESULT ? VALUES_RESULT_DEPTH : 0);
}

/* ---- The other probes, outside the frame ---- */

static uint32_t add_heads(injector *in, const method_plan *p, buffer *code) {
    const probe *row;
    uint32_t needed = 0;
    for (probe_set left = p->on & in->with.head; (row = probe_next(in->rows, &left));)
        need(&needed, row->head(in, p, code));
    return needed;
}

static uint32_t add_exits(injector *in, const method_plan *p, buffer *code, bytes result, bool returns) {
    const probe *row;
    uint32_t needed = 0;
    for (probe_set left = p->on & p->ends; (row = probe_next(in->rows, &left));)
        need(&needed, row->exit(in, p, code, result, returns));
    return needed;
}

static uint32_t add_faults(injector *in, const method_plan *p, buffer *code) {
    const probe *row;
    uint32_t needed = 0;
    for (probe_set left = p->on & p->ends; (row = probe_next(in->rows, &left));)
        need(&needed, row->fault(in, p, code));
    return needed;
}

/* ---- Code that many methods share ---- */

/* Does the method share its code with others? */
static bool shares_code(const method_plan *p, const injector *in) {
    const tracker *t = in->tracker;
    return t->leave == TRACKER_TOKEN && t->result == TRACKER_NO_RESULT && !p->async && !p->reload.op &&
           !(p->on & p->ends) && p->locals.token < KEPT_LOCALS && !result_stays_on_stack(p->locals.result_type);
}

/* Where its code of this kind is kept, if it is shared; else NULL. */
static kept_code *kept_of(const method_plan *p, bool shared, kept_code codes[KEPT_LOCALS][2]) {
    return shared ? &codes[p->locals.token][p->locals.result != NO_LOCAL] : NULL;
}

static void keep(kept_code *kept, const buffer *code) {
    if (!kept || code->failed || code->size > sizeof kept->code)
        return;
    kept->size = (uint8_t)code->size;
    memcpy(kept->code, code->data, code->size);
}

/* ---- The head ---- */

/* Where a head that differs from others by its id alone is kept, an id of four bytes; else NULL. */
static kept_code *kept_head(injector *in, const method_plan *p) {
    enum { MOST_SHORT = 127 };
    const tracker *t = in->tracker;
    bool shared = t->enter == TRACKER_ID && p->id > MOST_SHORT && !t->takes_arguments && !p->callees.with_starter &&
                  !p->async && p->callees.token_element != MD_ELEMENT_VOID && !(p->on & in->with.head) &&
                  p->locals.token < KEPT_LOCALS;
    return shared ? &in->heads[p->locals.token] : NULL;
}

static __attribute__((noinline)) uint32_t make_head(injector *in, const method_plan *p, kept_code *kept) {
    uint32_t needed = 0;
    const tracker *t = in->tracker;
    const plan_callees *c = &p->callees;
    bool has_token = c->token_element != MD_ELEMENT_VOID;
    buffer *enter = &in->scratch;
    enter->size = 0;
    /* Outside the frame: its time shall be the method's own. */
    need(&needed, add_heads(in, p, enter));
    if (c->with_starter) {
        /* Both in their longest form, whatever their values are. */
        il_emit_token(enter, IL_OP_ldc_i4, p->id);
        il_emit_token(enter, IL_OP_ldc_i4, c->starter);
        need(&needed, 2);
    } else {
        add_argument(enter, p, t->enter);
    }
    if (t->takes_arguments && !c->with_starter) {
        values_add_arguments(&in->values, enter, p->row);
        need(&needed, 1 + VALUES_ARGUMENTS_DEPTH);
    }
    il_emit_call(enter, c->enter);
    if (has_token && p->locals.token == NO_LOCAL)
        il_emit(enter, IL_OP_pop);
    else if (has_token)
        il_emit_stloc(enter, p->locals.token);
    il_insert_buffer(&in->il, 0, IL_HEAD, enter);
    keep(kept, enter);
    need(&needed, t->enter != TRACKER_NOTHING || has_token ? 1 : 0);
    return needed;
}

uint32_t pair_enter(injector *in, const method_plan *p) {
    enum { ID_AT = 1 }; /* ldc.i4 id; call; stloc */
    kept_code *kept = kept_head(in, p);
    if (!kept || !kept->size)
        return make_head(in, p, kept);
    store_u32(kept->code + ID_AT, p->id);
    il_insert(&in->il, 0, IL_HEAD, bytes_of(kept->code, kept->size));
    return 1;
}

/* ---- The ret shape ------------------------------------------------------------------------------------------------
 */

/* The code before a way out: a result is put by while a probe sees it. Returns the stack that probes need. */
static uint32_t write_way_out(injector *in, const method_plan *p, buffer *code, bool returns) {
    const plan_locals *l = &p->locals;
    bool keeps = returns && l->result != NO_LOCAL, stays = keeps && result_stays_on_stack(l->result_type);
    bytes result = keeps ? l->result_type : (bytes){0};
    if (stays)
        il_emit(code, IL_OP_dup);
    if (keeps)
        il_emit_stloc(code, l->result);
    add_leave(in, p, code, result);
    uint32_t needed = add_exits(in, p, code, result, returns);
    if (keeps && !stays)
        result_load(code, l->result, p->reload);
    return needed;
}

/* The same code stands before all rets, and the same before all other ways out. */
static uint32_t insert_ways_out(injector *in, const method_plan *p) {
    buffer *before_ret = &in->exit, *before_others = &in->scratch;
    uint32_t needed = 0;
    kept_code *kept = kept_of(p, shares_code(p, in), in->before_ret);
    before_ret->size = before_others->size = 0;
    for (uint32_t i = 0; i < in->il.exit_count; i++) {
        const il_exit *exit = &in->il.exits[i];
        bool returns = exit->kind == IL_EXIT_RET || exit->kind == IL_EXIT_AFTER_TAIL_CALL;
        buffer *code = returns ? before_ret : before_others;
        if (kept && kept->size && exit->kind == IL_EXIT_RET) {
            il_insert(&in->il, exit->offset, IL_BEFORE, bytes_of(kept->code, kept->size));
            continue;
        }
        if (code->size == 0) {
            need(&needed, write_way_out(in, p, code, returns));
            keep(returns ? kept : NULL, code);
        }
        il_insert_buffer(&in->il, exit->offset, exit->kind == IL_EXIT_AFTER_TAIL_CALL ? IL_APART : IL_BEFORE, code);
    }
    return needed;
}

/* The calls on the way out. */
static uint32_t insert_before_exits(injector *in, const method_plan *p) {
    const tracker *t = in->tracker;
    uint32_t depth = 0, needed = 0;
    /* No call is asked for, or without a local there is no token to give back: the frame is closed by
     * those below it. */
    if (in->il.exit_count == 0 || t->only_counts || (t->leave == TRACKER_TOKEN && p->locals.token == NO_LOCAL))
        return 0;
    uint32_t seen = insert_ways_out(in, p);
    if (seen)
        need(&needed, seen + result_stays_on_stack(p->locals.result_type));
    if (t->leave == TRACKER_NOTHING && t->result == TRACKER_NO_RESULT && !seen)
        return 0;
    bool stays_tiny = t->token_element == MD_ELEMENT_VOID;
    ecma_status status = depths_at_exits(&in->depths, &in->il, p->row, stays_tiny, leave_depth(t), &depth);
    if (status)
        in->il.refused = status;
    need(&needed, depth + leave_depth(t));
    return needed;
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
static const buffer *catching_code(injector *in, const method_plan *p, const il_clause *clause) {
    handler_part part = plan_has(p, PROBE_MACHINES) ? handlers_part(in->view, p->body, clause) : HANDLER_CATCHES;
    md_token callee;
    if (part == HANDLER_UNWINDS)
        return &in->unwinding;
    if (part == HANDLER_CATCHES || !in->catching.size || !(callee = when_holding(in)))
        return &in->catching;
    in->holding.size = 0;
    il_emit(&in->holding, IL_OP_dup);
    add_leave_like(&in->holding, in, p, callee);
    return &in->holding;
}

/* At the heads of the method's own handlers: frames above this one are dead when they run. */
static uint32_t insert_handler_calls(injector *in, const method_plan *p) {
    const plan_callees *c = &p->callees;
    uint32_t needed = 0;
    buffer *catching = &in->catching, *unwinding = &in->unwinding;
    catching->size = unwinding->size = 0;
    if (c->catching) {
        il_emit(catching, IL_OP_dup);
        add_leave_like(catching, in, p, c->catching);
    }
    if (c->unwinding)
        add_leave_like(unwinding, in, p, c->unwinding);
    if (c->resuming) {
        add_leave_like(catching, in, p, c->resuming);
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
        const buffer *code = catches ? catching_code(in, p, &clause) : unwinding;
        in->il.refused = code->failed ? ECMA_NO_MEMORY : in->il.refused;
        /* Nothing that could be recorded happens in a quiet handler, and the guard after it
         * reports the same. */
        bool is_told = p->guard.on && !c->resuming && clause.handler_offset >= p->guard.start;
        if (code->size == 0 || (!catches && is_told && guard_handler_is_quiet(p->body, &clause, p->is_instance)))
            continue;
        il_insert_buffer(&in->il, clause.handler_offset, IL_BEFORE, code);
        need(&needed, catches ? 3 : 1);
    }
    return needed;
}

/* At the heads of the method's own filters: an exception looks for its handler, and the filter may throw another one.
 */
static uint32_t insert_filter_calls(injector *in, const method_plan *p) {
    enum { FILTER_DEPTH = 3 };
    if (!p->callees.catching || plan_has(p, PROBE_ASYNC) || !in->tracker->guards[TRACKER_GUARD_FILTERING])
        return 0;
    uint32_t count = handlers_list_filters(&in->scratch, p->body);
    if (in->scratch.failed)
        in->il.refused = ECMA_NO_MEMORY;
    if (count == 0)
        return 0;
    if (!in->refs->filtering)
        references_add_filtering(in->refs, in->edit, in->tracker);
    in->catching.size = 0;
    il_emit(&in->catching, IL_OP_dup);
    add_leave_like(&in->catching, in, p, in->refs->filtering);
    for (uint32_t i = 0; i < count; i++)
        il_insert_buffer(&in->il, handlers_filter(&in->scratch, i), IL_BEFORE, &in->catching);
    return FILTER_DEPTH;
}

static __attribute__((noinline)) uint32_t handle(injector *in, const method_plan *p) {
    uint32_t needed = p->guard.in_handlers || p->callees.resuming ? insert_handler_calls(in, p) : 0;
    if (p->guard.in_handlers)
        need(&needed, insert_filter_calls(in, p));
    return needed;
}

uint32_t pair_handle(injector *in, const method_plan *p) {
    return p->body->clause_count ? handle(in, p) : 0;
}

/* The one exit of the guarded shape: reports and returns. */
static bytes write_exit(injector *in, const method_plan *p, bool shared) {
    kept_code *kept = kept_of(p, shared, in->exits);
    if (kept && kept->size)
        return bytes_of(kept->code, kept->size);
    add_leave(in, p, &in->exit, p->locals.result_type);
    add_exits(in, p, &in->exit, p->locals.result_type, true);
    if (p->locals.result != NO_LOCAL)
        result_load(&in->exit, p->locals.result, p->reload);
    il_emit(&in->exit, IL_OP_ret);
    keep(kept, &in->exit);
    return buffer_bytes(&in->exit);
}

/* What the guard does when an exception leaves the method. Kept code needs no more of the stack than the token. */
static bytes write_fault(injector *in, const method_plan *p, bool shared, uint32_t *needed) {
    kept_code *kept = kept_of(p, shared, in->faults);
    if (kept && kept->size)
        return bytes_of(kept->code, kept->size);
    if (p->callees.resuming)
        add_leave_like(&in->fault, in, p, p->callees.resuming);
    if (p->callees.by_exception)
        add_leave_like(&in->fault, in, p, p->callees.by_exception);
    else {
        add_leave(in, p, &in->fault, (bytes){0});
        need(needed, in->tracker->result != TRACKER_NO_RESULT ? leave_depth(in->tracker) : 0);
    }
    need(needed, add_faults(in, p, &in->fault));
    il_emit(&in->fault, IL_OP_endfinally); /* endfault, too */
    keep(kept, &in->fault);
    return buffer_bytes(&in->fault);
}

/* Each of those that see the exception gets it; whatever they answer, the search goes on. Returns their number. */
static uint32_t write_filter(injector *in, const method_plan *p) {
    probe_set others = p->on & p->filters;
    const uint32_t all = (others ? (uint32_t)__builtin_popcount(others) : 0) + (p->callees.passes != 0);
    buffer *code = &in->filter;
    for (uint32_t left = all; left; left--) {
        if (left > 1)
            il_emit(code, IL_OP_dup);
        if (left == all && p->callees.passes)
            add_leave_like(code, in, p, p->callees.passes);
        else
            probe_next(in->rows, &others)->filter(in, p, code);
        il_emit(code, IL_OP_pop);
    }
    if (all) {
        il_emit_ldc_i4(code, false);
        il_emit(code, IL_OP_endfilter);
    }
    return all;
}

static uint32_t set_guard(injector *in, const method_plan *p) {
    const uint32_t leaving = in->tracker->result != TRACKER_NO_RESULT ? leave_depth(in->tracker) : 0;
    const bool shared = shares_code(p, in);
    uint32_t needed = 1;
    in->scratch.size = in->fault.size = in->filter.size = in->exit.size = 0;
    if (p->locals.result != NO_LOCAL)
        il_emit_stloc(&in->scratch, p->locals.result);
    for (uint32_t i = 0; i < in->il.exit_count && p->locals.result != NO_LOCAL; i++)
        il_insert_buffer(&in->il, in->il.exits[i].offset, IL_BEFORE, &in->scratch);

    il_guard guard = {.start = p->guard.start, .fault = write_fault(in, p, shared, &needed)};
    if (in->il.exit_count) {
        guard.exit = write_exit(in, p, shared);
        need(&needed, leaving);
    }
    uint32_t filters = write_filter(in, p);
    if (filters) {
        static const uint8_t never_runs[] = {IL_OP_pop, IL_WIDE, IL_OP_rethrow & 0xFF};
        guard.filter_handler = bytes_of(never_runs, sizeof never_runs);
        need(&needed, filters > 1 ? 3 : 2);
    }
    if (in->fault.failed || in->filter.failed || in->exit.failed) {
        in->il.refused = ECMA_NO_MEMORY;
        return needed;
    }
    guard.filter = buffer_bytes(&in->filter);
    ecma_status status = il_set_guard(&in->il, &guard);
    if (status)
        in->il.refused = status;
    return needed;
}

uint32_t pair_leave(injector *in, const method_plan *p) {
    return p->guard.on ? set_guard(in, p) : insert_before_exits(in, p);
}
