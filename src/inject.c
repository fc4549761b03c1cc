#include "inject.h"

#include "guard.h"
#include "handlers.h"
#include "il/emit.h"
#include "inject/float_parameters.h"
#include "literal.h"
#include "machine_calls.h"
#include "metadata/signature.h"

/* No local keeps the token or the result. */
enum { NO_LOCAL = 0xFFFF };

ecma_status injector_init(injector *in, ilj_image *image, md_edit *edit, const tracker *t, references *refs,
                          const machines *machines, const async_methods *async_methods, capture *capture) {
    const md_view *view = &image->metadata;
    *in = (injector){.view = view,
                     .index = &image->index,
                     .edit = edit,
                     .tracker = t,
                     .refs = refs,
                     .machines = machines,
                     .async_methods = async_methods,
                     .capture = capture};
    il_edit_init(&in->il);
    in->locals.edit = edit;
    result_reloads_begin(&in->reloads, edit, t);
    ecma_status status = depths_init(&in->depths, image);
    return status ? status : values_begin(&in->values, image, edit, refs, t);
}

void injector_clear(injector *in) {
    values_clear(&in->values);
    result_reloads_clear(&in->reloads);
    locals_clear(&in->locals);
    il_edit_clear(&in->il);
    depths_clear(&in->depths);
    buffer_clear(&in->name);
    buffer_clear(&in->types);
    buffer_clear(&in->fixups);
    buffer_clear(&in->catching);
    buffer_clear(&in->unwinding);
    buffer_clear(&in->fault);
    buffer_clear(&in->filter);
    buffer_clear(&in->exit);
    buffer_clear(&in->scratch);
}

/* Pushes what a call asks for. */
static void add_argument(buffer *code, tracker_argument argument, uint32_t id, md_token name, uint32_t method_row,
                         uint32_t local) {
    switch (argument) {
    case TRACKER_NOTHING:
        break;
    case TRACKER_ID:
        il_emit_ldc_i4(code, (int32_t)id);
        break;
    case TRACKER_NAME:
        il_emit_token(code, IL_OP_ldstr, name);
        break;
    case TRACKER_HANDLE:
        il_emit_token(code, IL_OP_ldtoken, md_token_of(MD_TABLE_MethodDef, method_row));
        break;
    case TRACKER_TOKEN:
        il_emit_ldloc(code, local);
        break;
    }
}

/* What a caller does not look at itself is told. */
static ecma_status bad_edit(ecma_status status, uint32_t method_row, diag *d) {
    if (status == ECMA_NO_MEMORY)
        return diag_no_memory(d);
    if (status == ECMA_BUG)
        return diag_report(d, DIAG_READ_BACK,
                           "MethodDef 0x%08x: there is no place for a call of the tracker; please report this",
                           md_token_of(MD_TABLE_MethodDef, method_row));
    return status;
}

/* Everything about the method at hand. */
typedef struct method {
    uint32_t row, id;
    const il_body *body;
    bool is_instance;
    md_token name;    /* a ldstr token, when the tracker asks for names */
    uint32_t token;   /* the local that keeps it, or NO_LOCAL */
    uint32_t result;  /* likewise */
    bool in_handlers; /* the method's own handlers report */
    bool guarded;     /* else the ret shape */
    uint32_t start;   /* of the guard */
    uint16_t needed;  /* stack for what was put in */
    /* What is called; 0: nothing. */
    md_token enter, leave, by_exception, catching, unwinding, resuming, passes;
    uint8_t token_element;
    const async_method *async;   /* that the runtime suspends, and that tells of it, or NULL */
    uint32_t operands;           /* the first of its locals */
    const machine *machine;      /* whose MoveNext it is and that tells of itself, or NULL */
    uint32_t value_task;         /* the local for its task */
    const capture_rule *capture; /* its calls are seen with their values, or NULL */
    uint32_t call;               /* the local for such a call */
    bytes result_type;           /* of `result` */
    result_reload reload;        /* how it is loaded behind the call that leaves */
    returned returned;           /* by its rets; in the ret shape few need to know */
    bool followed;               /* the code; then the next two are known */
    bool excess;                 /* more than the result stands on the stack at a ret */
    uint32_t max_depth;          /* of the stack */
    float_parameters renamed;    /* locals take their places */
    uint32_t renamed_to;         /* the first of these */
    uint32_t starter_at;         /* in the code: the starter's id, which is not known yet; 0: it is not there */
} method;

static void need(method *m, uint32_t depth) {
    if (depth > m->needed)
        m->needed = (uint16_t)(depth > 0xFFFF ? 0xFFFF : depth);
}

/* A call that tells which method it is about, as leaving it does. */
static void add_leave_like(buffer *code, const injector *in, const method *m, md_token callee) {
    add_argument(code, in->tracker->leave, m->id, m->name, m->row, m->token);
    il_emit_call(code, callee);
}

/* Follows the old code's paths, where the walk over it does not tell. */
static ecma_status follow_paths(injector *in, method *m) {
    if (m->followed)
        return ECMA_OK;
    m->followed = true;
    result_find(&in->results, in->view, m->row, &m->returned);
    return depths_settle(&in->depths, &in->il, m->returned.type.size != 0, &m->excess, &m->max_depth);
}

/* The call of the tracker's leave: with the result, which is in its local. An empty type: without. */
static void add_leave(injector *in, method *m, buffer *code, bytes result) {
    if (in->tracker->result == TRACKER_NO_RESULT) {
        add_leave_like(code, in, m, m->leave);
        return;
    }
    add_argument(code, in->tracker->leave, m->id, m->name, m->row, m->token);
    values_add_leave(&in->values, code, m->row, m->result, result);
    need(m, 1 + VALUES_RESULT_DEPTH);
}

static void insert_enter(injector *in, method *m) {
    const tracker *t = in->tracker;
    bool has_token = m->token_element != MD_ELEMENT_VOID;
    buffer *enter = &in->scratch;
    enter->size = 0;
    /* Outside the frame, whose time shall be the method's own. */
    if (m->capture) {
        capture_enter(in->capture, enter, m->row, m->id, m->call);
        need(m, CAPTURE_DEPTH);
    }
    if (m->machine && in->refs->machine[TRACKER_ENTERS_MACHINE]) {
        il_emit_token(enter, IL_OP_ldc_i4, m->id);
        m->starter_at = (uint32_t)enter->size + 1;
        il_emit_token(enter, IL_OP_ldc_i4, 0);
        il_emit_call(enter, in->refs->machine[TRACKER_ENTERS_MACHINE]);
        need(m, 2);
    } else {
        add_argument(enter, t->enter, m->id, m->name, m->row, 0);
        if (t->takes_arguments) {
            values_add_arguments(&in->values, enter, m->row);
            need(m, 1 + VALUES_ARGUMENTS_DEPTH);
        }
        il_emit_call(enter, m->enter);
    }
    if (has_token && m->token == NO_LOCAL)
        il_emit(enter, IL_OP_pop);
    else if (has_token)
        il_emit_stloc(enter, m->token);
    il_insert_buffer(&in->il, 0, IL_HEAD, enter);
    need(m, t->enter != TRACKER_NOTHING || has_token ? 1 : 0);
}

/* The ret shape's code before a way out: a result is put by while its call is seen with its values. */
static void write_way_out(injector *in, method *m, buffer *code, bool returns) {
    bool keeps = returns && m->result != NO_LOCAL, stays = keeps && result_stays_on_stack(m->result_type);
    bytes result = keeps ? m->result_type : (bytes){0};
    if (stays)
        il_emit(code, IL_OP_dup);
    if (keeps)
        il_emit_stloc(code, m->result);
    add_leave(in, m, code, result);
    if (m->capture)
        capture_exit(in->capture, code, m->row, m->call, m->result, result, returns);
    if (keeps && !stays)
        result_load(code, m->result, m->reload);
}

/* The same code stands before all rets, and the same before all other ways out. */
static void insert_ways_out(injector *in, method *m) {
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

/* The ret shape's calls on the way out. */
static ecma_status insert_leaves(injector *in, method *m) {
    const tracker *t = in->tracker;
    /* Nobody asks, or without a local there is no token to give back: the frame is closed by those below it. */
    if (in->il.exit_count == 0 || t->only_counts || (t->leave == TRACKER_TOKEN && m->token == NO_LOCAL))
        return ECMA_OK;
    insert_ways_out(in, m);
    if (m->capture)
        need(m, CAPTURE_DEPTH + result_stays_on_stack(m->result_type));
    if (t->leave == TRACKER_NOTHING && t->result == TRACKER_NO_RESULT && !m->capture)
        return ECMA_OK;
    uint32_t depth, more = 1 + (t->result != TRACKER_NO_RESULT ? VALUES_RESULT_DEPTH : 0);
    bool stays_tiny = t->token_element == MD_ELEMENT_VOID;
    ecma_status status = depths_at_exits(&in->depths, &in->il, m->row, stays_tiny, more, &depth);
    need(m, depth + more);
    return status;
}

/* At the heads of the method's own handlers: frames above this one are dead when they run. */
static void insert_handler_calls(injector *in, method *m) {
    if (m->body->clause_count == 0)
        return;
    buffer *catching = &in->catching, *unwinding = &in->unwinding;
    catching->size = unwinding->size = 0;
    if (m->catching) {
        il_emit(catching, IL_OP_dup);
        add_leave_like(catching, in, m, m->catching);
    }
    if (m->unwinding)
        add_leave_like(unwinding, in, m, m->unwinding);
    if (m->resuming) {
        add_leave_like(catching, in, m, m->resuming);
        unwinding = catching;
    }
    uint32_t count = handlers_list(&in->scratch, m->body);
    if (in->scratch.failed)
        in->il.refused = ECMA_NO_MEMORY;
    for (uint32_t i = 0; i < count; i++) {
        il_clause c;
        il_body_clause(m->body, handlers_clause(&in->scratch, i), &c);
        bool catches = c.flags == IL_CLAUSE_EXCEPTION || c.flags == IL_CLAUSE_FILTER;
        const buffer *code = catches ? catching : unwinding;
        /* Nothing that could be recorded happens in a quiet handler, and the guard behind it tells the same. */
        bool is_told = m->guarded && !m->resuming && c.handler_offset >= m->start;
        if (code->size == 0 || (!catches && is_told && guard_handler_is_quiet(m->body, &c, m->is_instance)))
            continue;
        il_insert_buffer(&in->il, c.handler_offset, IL_BEFORE, code);
        need(m, catches ? 3 : 1);
    }
}

/* The one exit of the guarded shape: reports and returns. */
static void write_exit(injector *in, method *m) {
    add_leave(in, m, &in->exit, m->result_type);
    if (m->capture)
        capture_exit(in->capture, &in->exit, m->row, m->call, m->result, m->result_type, true);
    if (m->result != NO_LOCAL)
        result_load(&in->exit, m->result, m->reload);
    il_emit(&in->exit, IL_OP_ret);
}

static ecma_status set_guard(injector *in, method *m) {
    in->scratch.size = in->fault.size = in->filter.size = in->exit.size = 0;
    if (m->result != NO_LOCAL)
        il_emit_stloc(&in->scratch, m->result);
    for (uint32_t i = 0; i < in->il.exit_count && m->result != NO_LOCAL; i++)
        il_insert_buffer(&in->il, in->il.exits[i].offset, IL_BEFORE, &in->scratch);

    if (m->resuming)
        add_leave_like(&in->fault, in, m, m->resuming);
    if (m->by_exception)
        add_leave_like(&in->fault, in, m, m->by_exception);
    else
        add_leave(in, m, &in->fault, (bytes){0});
    if (m->capture) {
        il_emit_ldloc(&in->fault, m->call);
        il_emit_call(&in->fault, in->refs->capture[TRACKER_CALL_FAILS]);
        need(m, CAPTURE_DEPTH);
    }
    il_emit(&in->fault, IL_OP_endfinally); /* endfault, too */
    if (in->il.exit_count)
        write_exit(in, m);
    il_guard guard = {.start = m->start};
    need(m, 1);
    bool sees = m->capture && m->capture->exception;
    if (m->passes || sees) {
        static const uint8_t never_runs[] = {IL_OP_pop, IL_WIDE, IL_OP_rethrow & 0xFF};
        /* The exception is on the stack; whatever the tracker answers, the search goes on. */
        if (m->passes && sees)
            il_emit(&in->filter, IL_OP_dup);
        if (m->passes)
            add_leave_like(&in->filter, in, m, m->passes);
        if (m->passes && sees)
            il_emit(&in->filter, IL_OP_pop);
        if (sees) {
            il_emit_ldloc(&in->filter, m->call);
            il_emit_call(&in->filter, in->refs->capture[TRACKER_CALL_THROWS]);
        }
        il_emit(&in->filter, IL_OP_pop);
        il_emit_ldc_i4(&in->filter, false);
        il_emit(&in->filter, IL_OP_endfilter);
        guard.filter_handler = bytes_of(never_runs, sizeof never_runs);
        need(m, m->passes && sees ? 3 : 2);
    }
    if (in->fault.failed || in->filter.failed || in->exit.failed)
        return ECMA_NO_MEMORY;
    guard.fault = buffer_bytes(&in->fault);
    guard.filter = buffer_bytes(&in->filter);
    guard.exit = buffer_bytes(&in->exit);
    return il_set_guard(&in->il, &guard);
}

/* Where the region of a constructor starts; `found` is false when it cannot have one. Returns ECMA_OK,
 * ECMA_NO_MEMORY. */
static ecma_status find_start(injector *in, method *m, bool *found) {
    enum { RT_SPECIAL_NAME = 0x1000 };
    m->start = 0;
    *found = true;
    if (!m->is_instance || !(md_cell(in->view, MD_MethodDef_Flags, m->row) & RT_SPECIAL_NAME) ||
        !md_name_is(in->view, MD_MethodDef_Name, m->row, ".ctor") ||
        guard_is_value_type(in->view, md_method_type(in->index, m->row)))
        return ECMA_OK;
    ecma_status status = depths_analyse(&in->depths, m->body, false);
    if (status == ECMA_OK) {
        m->start = guard_constructor_start(in->view, in->index, m->row, &in->depths.stack, m->body);
        m->followed = m->returned.type.size == 0;
        depths_judge(&in->depths, &in->il, false, &m->excess, &m->max_depth);
    }
    *found = m->start != 0;
    return status == ECMA_NO_MEMORY ? status : ECMA_OK;
}

/* Can the method be guarded, and has it to be? `type` is that of its result. A guard's leave drops what a ret would
 * find on the stack, and ends a region that no ret may end: a body with such a fault keeps its rets. */
static ecma_status choose_guard(injector *in, method *m, bytes type, bool *guarded) {
    *guarded = false;
    /* One way out for all returns is what seeing a result wants, also where nothing can throw. */
    bool quiet = !m->capture && !in->il.flow.calls; /* a call may throw */
    bool needless = quiet && guard_is_needless(m->body, 0, m->is_instance), has_start;
    if (needless || result_stays_on_stack(type))
        return ECMA_OK;
    ecma_status status = find_start(in, m, &has_start);
    if (status)
        return status;
    *guarded = has_start && (m->start == 0 || m->capture || !guard_is_needless(m->body, m->start, m->is_instance)) &&
               il_can_guard(&in->il, m->start) && !(in->il.flow.rethrows && m->body->clause_count == 0);
    if (!*guarded || (!m->followed && depths_walk(&in->depths, m->body, m->returned.type.size != 0)))
        return ECMA_OK;
    status = follow_paths(in, m);
    *guarded = status == ECMA_OK && !m->excess;
    return status;
}

/* Chooses the shape. `type` is then that of the result that a local keeps, or empty. */
static ecma_status choose_shape(injector *in, method *m, ilj_exits exits, bool wants_result, bytes *type) {
    ecma_status status = ECMA_OK;
    if (exits == ILJ_EXITS_GUARDED || wants_result || m->capture)
        result_find(&in->results, in->view, m->row, &m->returned);
    *type = m->returned.type;
    if (m->returned.known && exits == ILJ_EXITS_GUARDED)
        status = choose_guard(in, m, *type, &m->guarded);
    if (!(m->guarded || wants_result) || in->il.exit_count == 0)
        *type = (bytes){0};
    return status;
}

/* Has the result to be put by in a local for the call that leaves the method? */
static bool choose_reload(injector *in, method *m) {
    if (in->tracker->only_counts || m->capture || m->async || in->il.exit_count == 0 || !il_edit_has_loop(&in->il))
        return false;
    result_find(&in->results, in->view, m->row, &m->returned);
    m->reload = result_reload_of(&in->reloads, &in->il, m->returned.type);
    return m->reload.op != 0;
}

/* Gives the body locals for the token, for the result in the guarded shape or the task of a machine, and for what an
 * async method awaits. A body that names a local which it does not have is a fault that these would hide. */
static ecma_status add_locals(injector *in, method *m, bytes result, il_fault *fault, diag *d) {
    bool is_task = m->machine && result.size == 0; /* MoveNext returns nothing */
    uint32_t count = 0, result_at = 0, operands_at = 0, call_at = 0;
    buffer *types = &in->types;
    types->size = 0;
    m->token = m->result = m->value_task = m->call = NO_LOCAL;
    if (is_task)
        result = m->machine->value_task;
    if (m->token_element != MD_ELEMENT_VOID) {
        buffer_u8(types, m->token_element);
        count++;
    }
    if (result.size) {
        buffer_append(types, result.data, result.size);
        result_at = count++;
    }
    if (m->async) {
        buffer_append(types, m->async->types.data, m->async->types.size);
        operands_at = count;
        count += m->async->type_count;
    }
    if (m->capture) {
        buffer_u8(types, MD_ELEMENT_OBJECT);
        call_at = count++;
    }
    uint32_t renamed_at = count;
    count += float_parameters_types(&m->renamed, types);
    if (count == 0)
        return ECMA_OK;
    if (types->failed)
        return ECMA_NO_MEMORY;
    md_token extended;
    uint32_t first;
    ecma_status status =
        locals_extend(&in->locals, m->body->local_var_sig_token, buffer_bytes(types), count, &extended, &first, fault);
    if (status)
        return status;
    if (in->il.flow.local_count > first) {
        *fault = (il_fault){"an instruction names a local that is not there", locals_first_missing(m->body, first)};
        return ECMA_BAD_FILE;
    }
    if (!extended) {
        diag_report(d, DIAG_LOCALS,
                    "MethodDef 0x%08x: %u locals leave no room for what keeps the call; the method is entered only",
                    md_token_of(MD_TABLE_MethodDef, m->row), first);
        m->guarded = false;
        m->machine = NULL;
        m->async = NULL;
        m->capture = NULL;
        m->renamed.count = 0;
        return ECMA_OK;
    }
    if (m->token_element != MD_ELEMENT_VOID)
        m->token = first;
    if (result.size && is_task)
        m->value_task = first + result_at;
    else if (result.size)
        m->result = first + result_at;
    m->operands = first + operands_at;
    m->call = first + call_at;
    m->renamed_to = first + renamed_at;
    in->il.local_var_sig_token = extended;
    /* A verifier wants locals that are loaded to be initialised. Nobody can tell whether those are that the old code
     * does not load, unless localloc is there, whose memory would be cleared, too. */
    if ((first == 0 || !in->il.flow.loads_local) && !in->il.flow.has_localloc)
        in->il.init_locals = true;
    return ECMA_OK;
}

/* What is called in the method: a method that the runtime suspends gets a call in place of a token, and its handlers
 * tell that it goes on, for an exception may come out of an await. */
static void choose_calls(const injector *in, method *m) {
    const references *refs = in->refs;
    if (refs->machine[TRACKER_ENTERS_ASYNC] && refs->machine[TRACKER_LEAVES_ASYNC])
        m->async = async_methods_of(in->async_methods, m->row);
    if (m->async) {
        m->token_element = MD_ELEMENT_OBJECT;
        m->enter = refs->machine[TRACKER_ENTERS_ASYNC];
        m->leave = refs->machine[TRACKER_LEAVES_ASYNC];
        m->by_exception = refs->machine[TRACKER_FAILS_ASYNC];
        m->resuming = refs->machine[TRACKER_RESUMING];
        return;
    }
    m->token_element = in->tracker->token_element;
    m->enter = refs->enter;
    m->leave = refs->leave;
    m->by_exception = refs->leaving_by_exception;
    m->catching = refs->catching;
    m->unwinding = refs->unwinding;
    m->passes = refs->exception_passes;
}

/* Makes room on the stack for what was put in. A body whose own code needs more than its MaxStack stays as it is: with
 * that room a compiler would take it. */
static ecma_status raise_max_stack(injector *in, method *m, il_fault *fault) {
    enum { MAX_STACK_AT = 2 };
    uint32_t own = m->body->max_stack;
    if (m->needed <= in->il.max_stack)
        return ECMA_OK;
    ecma_status status = follow_paths(in, m);
    if (status)
        return status;
    if (m->max_depth > own) {
        *fault = (il_fault){"more items come to stand on the stack than MaxStack allows", MAX_STACK_AT};
        return ECMA_BAD_FILE;
    }
    in->il.max_stack = m->needed;
    return ECMA_OK;
}

static ecma_status insert_all(injector *in, method *m, il_fault *fault) {
    const tracker *t = in->tracker;
    bool named = t->enter == TRACKER_NAME || t->leave == TRACKER_NAME;
    m->name = named ? literal_add_method(in->edit, in->index, m->row, &in->name) : 0;
    insert_enter(in, m);
    float_parameters_rename(&m->renamed, &in->il, m->renamed_to, &in->scratch);
    need(m, m->renamed.count ? 1 : 0);
    if (m->machine)
        need(m, machine_insert_calls(&in->il, m->machine, in->refs, m->token, m->value_task));
    if (m->async)
        need(m, async_insert_calls(&in->il, m->async, in->refs, m->token, m->operands));
    ecma_status status;
    if (m->in_handlers || m->resuming)
        insert_handler_calls(in, m);
    status = m->guarded ? set_guard(in, m) : insert_leaves(in, m);
    return status ? status : raise_max_stack(in, m, fault);
}

ecma_status inject_method(injector *in, buffer *out, bool *fat, uint32_t method_row, uint32_t id, ilj_exits exits,
                          const il_body *body, il_fault *fault, diag *d) {
    enum { STATIC = 0x10 };
    ecma_status status = il_edit_begin(&in->il, body, fault);
    if (status)
        return bad_edit(status, method_row, d);
    in->il.shorten = true;
    exits = in->tracker->only_counts ? ILJ_EXITS_RET : exits;
    method m = {.row = method_row,
                .id = id,
                .body = body,
                .is_instance = !(md_cell(in->view, MD_MethodDef_Flags, method_row) & STATIC),
                .machine = machines_with_events(in->machines, method_row, &in->near_machine),
                .capture = capture_rule_of(in->capture, method_row)};
    choose_calls(in, &m);
    bool wants_result = choose_reload(in, &m) || (m.capture && m.capture->result) || in->tracker->result;
    if ((status = choose_shape(in, &m, exits, wants_result, &m.result_type)))
        return bad_edit(status, method_row, d);
    if (!m.machine && !in->tracker->only_counts && il_edit_has_loop(&in->il)) {
        result_find(&in->results, in->view, m.row, &m.returned);
        if (!m.returned.runtime_async)
            float_parameters_find(&m.renamed, in->view, m.returned.signature, &in->il);
    }
    if ((status = add_locals(in, &m, m.result_type, fault, d)))
        return bad_edit(status, method_row, d);
    /* What cannot be guarded may still have handlers: tail calls in an F# method with a try block. */
    m.in_handlers = exits == ILJ_EXITS_GUARDED && (in->tracker->leave != TRACKER_TOKEN || m.token != NO_LOCAL);
    if ((status = insert_all(in, &m, fault)) || (status = il_edit_layout(&in->il, fault)))
        return bad_edit(status, method_row, d);
    *fat = il_edit_is_fat(&in->il);
    uint8_t *p = buffer_extend(out, il_edit_size(&in->il));
    if (p && m.starter_at) {
        size_t at = (size_t)(p - out->data) + (*fat ? 12 : 1) + m.starter_at;
        buffer_append(&in->fixups, &(starter_fixup){at, m.machine->starter, id}, sizeof(starter_fixup));
    }
    if (!p || in->fixups.failed || in->values.failed || in->reloads.failed)
        return diag_no_memory(d);
    if ((status = il_edit_write(&in->il, p)))
        return diag_report(d, DIAG_READ_BACK,
                           "MethodDef 0x%08x: a branch does not reach its target; please report this",
                           md_token_of(MD_TABLE_MethodDef, method_row));
    if (m.capture)
        capture_describe(in->capture, method_row, id, m.returned.runtime_async);
    return ECMA_OK;
}
