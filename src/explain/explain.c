#include "explain/explain.h"

#include "async/state_machines.h"
#include "dump/method_kind.h"
#include "dump/text_out.h"
#include "explain/calls.h"
#include "il/decode.h"
#include "il/edit.h"
#include "inject/body/guard.h"
#include "inject/body/result_types.h"
#include "input/budget.h"
#include "instrument/instrument.h"
#include "metadata/names.h"
#include "select/bodies.h"
#include "select/eligible.h"
#include "select/price.h"
#include "select/rules.h"
#include "select/suggest.h"

#include <stdlib.h>

typedef struct explainer {
    ilj_image *image;
    ilj_image *made; /* the output; NULL: the image is copied through */
    const ilj_instrument_options *options;
    const char *why_copied; /* static; NULL: it is not */
    bodies bodies;
    uint32_t selected; /* of the bodies; as many ids are methods' */
    state_machines machines;
    const bool *async_types;
    il_edit edit;
    result_types results;
    price_asker price;
    text_out out;
    buffer scratch;
} explainer;

/* Why a method is left out, for those who do not know the word that `list` shows. */
static const char *const meanings[ILJ_REASON_COUNT] = {
    [ILJ_INSTRUMENT] = "it has a body, and no rule leaves it out",
    [ILJ_ABSTRACT] = "it has no body (MethodDef.Flags, II.23.1.10)",
    [ILJ_EXTERN] = "P/Invoke: its code is native (II.23.1.10)",
    [ILJ_RUNTIME] = "the runtime supplies its body, as for a delegate (II.23.1.11)",
    [ILJ_INTERNAL_CALL] = "its code is the runtime's own (II.23.1.11)",
    [ILJ_UNMANAGED] = "its code is native (II.23.1.11)",
    [ILJ_REFERENCE_ASSEMBLY] = "the code of a reference assembly never runs; --force instruments it",
    [ILJ_HELPER] = "an earlier instrumenting has put it there",
    [ILJ_NO_BODY] = "its RVA is 0",
    [ILJ_BAD_BODY] = "its body cannot be understood; it is copied as it is",
    [ILJ_EXCLUDED] = "a rule leaves it out",
    [ILJ_TOO_SMALL] = "it has fewer bytes of IL than --min-il-size asks for",
    [ILJ_TRIVIAL_ACCESSOR] = "it only reads or writes a field, and --skip-trivial-accessors leaves that out",
    [ILJ_COMPILER_GENERATED] = "a compiler made it, and --compiler-generated=no leaves that out",
    [ILJ_CALLED_OFTEN] = "with its calls the price of --overhead would not be kept",
    [ILJ_LIKELY_INLINED] = "a just-in-time compiler puts it into its callers, which --overhead leaves alone",
    [ILJ_RESOLVER] = "it finds assemblies for the program: perhaps before the tracker can be found",
};

ilj_status explain_make(buffer *out, ilj_summary *summary, ilj_image *image, const ilj_instrument_options *options) {
    return instrument_bytes(out, summary, image->context, image->path, image->pe.file, options);
}

/* ---- Lines ----------------------------------------------------------------------------------------------------- */

/* Starts a line: its head in a column of its own, or what goes on with the line before. */
static void head(explainer *e, const char *text) {
    buffer_printf(&e->out.b, "  %-14s", text);
}

static void method_name(explainer *e, uint32_t row) {
    e->scratch.size = 0;
    md_append_full_method_name(&e->scratch, &e->image->metadata, &e->image->index, row);
    text_plain(&e->out.b, buffer_bytes(&e->scratch));
}

static void method_and_token(explainer *e, uint32_t row) {
    method_name(e, row);
    buffer_printf(&e->out.b, " (0x%08x)", md_token_of(MD_TABLE_MethodDef, row));
}

static const method_body *body_of_row(const explainer *e, uint32_t row) {
    uint32_t low = 0, high = e->bodies.count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (e->bodies.list[middle].row < row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < e->bodies.count && e->bodies.list[low].row == row ? &e->bodies.list[low] : NULL;
}

static void write_decision(explainer *e, uint32_t row, ilj_reason reason, uint32_t rule, const il_body *body) {
    buffer *b = &e->out.b;
    head(e, "decision");
    if (reason == ILJ_INSTRUMENT)
        buffer_string(b, "instrument: ");
    else
        buffer_printf(b, "left out, %s: ", ilj_reason_text(reason));
    e->scratch.size = 0;
    if (rule != RULE_NONE)
        rule_describe(&e->scratch, e->options->selection, rule);
    else if (body && (reason == ILJ_CALLED_OFTEN || reason == ILJ_LIKELY_INLINED))
        price_describe(&e->scratch, &e->price, row, body);
    if (rule == RULE_NONE || reason != ILJ_EXCLUDED)
        buffer_string(b, meanings[reason]);
    if (e->scratch.size) {
        if (rule == RULE_NONE || reason != ILJ_EXCLUDED)
            buffer_string(b, "; ");
        text_plain(b, buffer_bytes(&e->scratch));
    }
    if (e->why_copied)
        buffer_printf(b, "; the file is copied through: %s", e->why_copied);
    buffer_u8(b, '\n');
}

/* ---- The body as it is ----------------------------------------------------------------------------------------- */

static void write_ways_out(explainer *e) {
    static const char *const kinds[] = {[IL_EXIT_RET] = "ret",
                                        [IL_EXIT_TAIL_CALL] = "tail. call",
                                        [IL_EXIT_AFTER_TAIL_CALL] = "ret after a tail. call",
                                        [IL_EXIT_JMP] = "jmp"};
    buffer *b = &e->out.b;
    head(e, "ways out");
    for (uint32_t i = 0; i < e->edit.exit_count && text_out_flush(&e->out); i++)
        buffer_printf(b, "%s%s at IL_%04x", i ? ", " : "", kinds[e->edit.exits[i].kind], e->edit.exits[i].offset);
    buffer_string(b, e->edit.exit_count ? "\n" : "none: its own code never returns\n");
}

static const char *event_text(machine_event event) {
    switch (event) {
    case MACHINE_SUSPENDS:
        return "suspends";
    case MACHINE_COMPLETES:
        return "completes";
    case MACHINE_FAILS:
        break;
    }
    return "fails";
}

static void write_machine(explainer *e, const state_machine *m, uint32_t row) {
    buffer *b = &e->out.b;
    const char *kind = m->is_async && m->is_iterator ? "async iterator" : m->is_async ? "async" : "iterator";
    head(e, "state machine");
    if (row != m->method) {
        buffer_printf(b, "%s; the code runs in ", kind);
        method_and_token(e, m->method);
        buffer_u8(b, '\n');
        return;
    }
    buffer_printf(b, "%s, of ", kind);
    method_and_token(e, m->owner);
    if (m->starter && m->starter != m->owner) {
        buffer_string(b, ", started by ");
        method_and_token(e, m->starter);
    }
    for (uint32_t i = 0; i < m->site_count && state_machine_has_events(m) && text_out_flush(&e->out); i++)
        buffer_printf(b, "%s%s at IL_%04x", i ? ", " : "; it ", event_text(m->sites[i].event), m->sites[i].offset);
    buffer_u8(b, '\n');
}

static void write_machines(explainer *e, uint32_t row) {
    for (uint32_t i = 0; i < e->machines.count; i++)
        if (row == e->machines.list[i].method || row == e->machines.list[i].owner)
            write_machine(e, &e->machines.list[i], row);
    if (md_is_runtime_async(&e->image->metadata, row)) {
        head(e, "state machine");
        buffer_string(&e->out.b, "none: the runtime suspends the method (MethodImplOptions.Async)\n");
    }
}

/* ---- The body in the output ------------------------------------------------------------------------------------ */

static bool has_guard(const il_body *before, const il_body *after) {
    for (uint32_t i = before->clause_count; i < after->clause_count; i++) {
        il_clause c;
        il_body_clause(after, i, &c);
        if (c.flags == IL_CLAUSE_FAULT)
            return true;
    }
    return false;
}

/* Does a call at its head say that it was called, and nothing that it was left? */
static bool is_visited(const explainer *e, const il_body *after) {
    il_cursor cursor = il_cursor_of(after->code);
    il_instruction i;
    bool calls = il_next(&cursor, &i) && il_next(&cursor, &i) && i.opcode == IL_call;
    const char *name = calls ? md_member_name(&e->made->metadata, i.token) : "";
    return strcmp(name, "Visit") == 0 || strcmp(name, "WhenVisitingMethod") == 0;
}

/* Why a body has no guard although one was requested, in the order of the checks of instrumenting. */
static const char *why_no_guard(explainer *e, uint32_t row, const il_body *body) {
    enum { STATIC = 0x10 };
    bool is_instance = !(md_cell(&e->image->metadata, MD_MethodDef_Flags, row) & STATIC);
    returned r = {0};
    result_find(&e->results, &e->image->metadata, row, &r);
    if (!r.known)
        return "no local can have the type of its result";
    if (!e->edit.flow.calls && guard_is_needless(body, 0, is_instance))
        return "none of its instructions can throw";
    if (result_stays_on_stack(r.type))
        return "its result is a reference or a pointer, which a verifier takes from the stack alone";
    if (e->edit.flow.tail_call_count || e->edit.flow.jmp_count)
        return "it has a tail. call or jmp, and its frame is gone before what that calls returns";
    if (e->edit.flow.runs_off_end)
        return "its code runs off its end";
    if (is_instance && md_name_is(&e->image->metadata, MD_MethodDef_Name, row, ".ctor"))
        return "a constructor is guarded after its call of another one; nothing there can throw, or it has none";
    return "its code cannot be protected as a whole";
}

static void write_shape(explainer *e, uint32_t row, uint32_t rule, const il_body *before, const il_body *after) {
    const ilj_instrument_options *o = e->options;
    buffer *b = &e->out.b;
    head(e, "shape");
    if (selection_counts(o->selection, o->counts))
        buffer_string(b, "count: a call at the head alone");
    else if (is_visited(e, after))
        buffer_string(b, "visited: a call at the head alone; its time is its callers'");
    else if (has_guard(before, after))
        buffer_string(b, "guarded: leaving by an exception is seen, too");
    else if (selection_exits(o->selection, rule, o->exits) == ILJ_EXITS_RET)
        buffer_string(b, "ret: as was asked for");
    else
        buffer_printf(b, "ret: %s", why_no_guard(e, row, before));
    buffer_u8(b, '\n');
}

/* Where the types of a body's locals begin; their number, 0 without any. */
static uint32_t locals_of(const md_view *view, const il_body *body, reader *types) {
    md_token token = body->local_var_sig_token;
    bytes signature;
    if (md_token_table(token) != MD_TABLE_StandAloneSig ||
        !md_row_exists(view, MD_TABLE_StandAloneSig, md_token_row(token)) ||
        !md_try_blob(view, md_cell(view, MD_StandAloneSig_Signature, md_token_row(token)), &signature))
        return 0;
    *types = reader_of(signature);
    bool locals = reader_u8(types) == MD_SIG_LOCALS;
    uint32_t count = reader_compressed(types);
    return locals && !types->failed ? count : 0;
}

static void write_locals(explainer *e, uint32_t row, const il_body *before, const il_body *after) {
    buffer *b = &e->out.b;
    reader types = {0}, old = {0};
    uint32_t had = locals_of(&e->image->metadata, before, &old), has = locals_of(&e->made->metadata, after, &types);
    head(e, "locals");
    buffer_printf(b, "%u before, %u now", had, has);
    for (uint32_t i = 0; i < had && i < has; i++)
        md_skip_type(&types);
    for (uint32_t i = had; i < has && !types.failed; i++) {
        e->scratch.size = 0;
        md_append_type(&e->scratch, &e->made->metadata, &e->made->index, &types, md_method_type(&e->image->index, row),
                       row, MD_NAME_ENCLOSING);
        buffer_string(b, i == had ? ": " : ", ");
        text_plain(b, buffer_bytes(&e->scratch));
    }
    buffer_u8(b, '\n');
}

static void write_calls(explainer *e, const explained_body *of) {
    buffer *b = &e->out.b;
    uint32_t row = of->row;
    const char *text = "calls";
    il_cursor cursor = il_cursor_of(of->after.code);
    il_instruction i;
    while (text_out_flush(&e->out) && il_next(&cursor, &i)) {
        if (i.operand != IL_InlineMethod || !explain_is_added(of, i.token))
            continue;
        head(e, text);
        text = "";
        buffer_printf(b, "IL_%04x ", i.offset);
        e->scratch.size = 0;
        md_append_member(&e->scratch, &e->made->metadata, &e->made->index, i.token,
                         md_method_type(&e->image->index, row), row);
        text_plain(b, buffer_bytes(&e->scratch));
        buffer_u8(b, '\n');
    }
}

static const state_machine *machine_of(const explainer *e, uint32_t row) {
    uint32_t hint = 0;
    return state_machines_with_events(&e->machines, row, &hint);
}

static void write_made(explainer *e, uint32_t row, uint32_t rule, const il_body *before) {
    explained_body of = {.image = e->image,
                         .made = e->made,
                         .selection = e->options->selection,
                         .machine = machine_of(e, row),
                         .row = row,
                         .first_leaf = e->selected,
                         .before = *before};
    il_body after;
    il_fault fault;
    if (!select_try_body(e->made, row, &after, &fault))
        return;
    of.after = after;
    write_shape(e, row, rule, before, &after);
    head(e, "body");
    buffer_printf(&e->out.b,
                  "%u bytes before, %u now (%+d): IL %zu, now %zu; header %s, now %s; MaxStack %u, now %u; "
                  "exception clauses %u, now %u\n",
                  before->size, after.size, (int)(after.size - before->size), before->code.size, after.code.size,
                  before->tiny ? "tiny" : "fat", after.tiny ? "tiny" : "fat", before->max_stack, after.max_stack,
                  before->clause_count, after.clause_count);
    write_locals(e, row, before, &after);
    write_calls(e, &of);
    if (!selection_counts(e->options->selection, e->options->counts))
        explain_leaves(&of, &e->out, &e->scratch);
    if (selection_allocations(e->options->selection, e->options->allocations))
        explain_objects(&of, &e->out);
}

/* ---- A method -------------------------------------------------------------------------------------------------- */

static ecma_status explain_method(explainer *e, uint32_t row) {
    buffer *b = &e->out.b;
    const method_body *found = body_of_row(e, row);
    ilj_reason reason = found ? found->reason : select_method(e->image, row);
    uint32_t rule = found ? found->rule : RULE_NONE;
    il_body body;
    il_fault fault = {0};
    bool has_il = found && !found->native && select_try_body(e->image, row, &body, &fault);
    ecma_status status = has_il ? il_edit_begin(&e->edit, &body, &fault) : ECMA_OK;
    if (status == ECMA_NO_MEMORY)
        return diag_no_memory(&e->image->diag);
    if (reason == ILJ_INSTRUMENT && (!has_il || status))
        reason = ILJ_BAD_BODY;
    buffer_printf(b, "0x%08x ", md_token_of(MD_TABLE_MethodDef, row));
    method_name(e, row);
    buffer_u8(b, '\n');
    head(e, "kind");
    buffer_string(b, method_kind_of(e->image, row, e->async_types[md_method_type(&e->image->index, row)]));
    if (has_il)
        buffer_printf(b, ", %zu bytes of IL", body.code.size);
    buffer_u8(b, '\n');
    write_decision(e, row, reason, rule, has_il ? &body : NULL);
    if (fault.what) {
        head(e, "fault");
        buffer_printf(b, "%s, at 0x%x\n", fault.what, fault.offset);
    }
    write_machines(e, row);
    if (has_il && !fault.what) {
        write_ways_out(e);
        if (reason == ILJ_INSTRUMENT && e->made)
            write_made(e, row, rule, &body);
    }
    return ECMA_OK;
}

/* ---- Which methods --------------------------------------------------------------------------------------------- */

/* By a MethodDef token, "0x06000012". */
static bool try_token(const explainer *e, const char *text, uint32_t *row) {
    char *end;
    if (strncmp(text, "0x", 2) != 0)
        return false;
    unsigned long token = strtoul(text, &end, 16);
    *row = md_token_row((md_token)token);
    return !*end && token <= UINT32_MAX && md_token_table((md_token)token) == MD_TABLE_MethodDef &&
           md_row_exists(&e->image->metadata, MD_TABLE_MethodDef, *row);
}

static ecma_status nothing_named(explainer *e, const char *methods, const char *suggestion) {
    return diag_report(&e->image->diag, DIAG_EXPLAINS_NOTHING,
                       suggestion ? "no method matches '%.200s'; did you mean '%.400s'?" : "no method matches '%.200s'",
                       methods, suggestion);
}

/* By a pattern. */
static ecma_status explain_named(explainer *e, const char *methods) {
    ilj_rule rule = {ILJ_RULE_INCLUDE, methods};
    ilj_selection_options options = {.size = sizeof options, .rules = &rule, .rule_count = 1};
    ilj_selection *named;
    ecma_status status = ilj_selection_new(&named, e->image->context, &options);
    if (status)
        return status;
    chooser c;
    status = chooser_begin(&c, named, e->image);
    for (uint32_t row = 1; !status && row <= e->image->index.method_count && text_out_flush(&e->out); row++) {
        uint32_t by;
        if (chooser_ask(&c, row, &by) == ILJ_INSTRUMENT && by == RULE_LISTED)
            status = explain_method(e, row);
    }
    chooser_end(&c);
    if (!status && !named->rules[0].hit)
        status = nothing_named(e, methods, named->rules[0].suggestion);
    ilj_selection_free(named);
    return status;
}

static ecma_status explain(explainer *e, const char *methods) {
    ilj_image *image = e->image;
    const char *fault;
    pattern p;
    uint32_t row = 0;
    bool token = try_token(e, methods, &row);
    ecma_status status = token ? ECMA_OK : pattern_compile(&p, methods, &image->arena, &fault);
    if (status == ECMA_CONFIG)
        return diag_report(&image->diag, DIAG_PATTERN, "'%.200s': %s", methods, fault);
    e->async_types = method_kind_async_types(image, &image->arena);
    if (status || !e->async_types)
        return diag_no_memory(&image->diag);
    /* Instrumenting has reported the bodies that cannot be understood. */
    diag_sink *sink = image->diag.sink;
    image->diag.sink = NULL;
    status = bodies_find(&e->bodies, image, e->options->selection);
    if (!status)
        status = state_machines_find(&e->machines, image, &e->bodies, true);
    image->diag.sink = sink;
    if (status)
        return diag_no_memory(&image->diag);
    for (uint32_t i = 0; i < e->bodies.count; i++)
        e->selected += e->bodies.list[i].reason == ILJ_INSTRUMENT;
    return token ? explain_method(e, row) : explain_named(e, methods);
}

ilj_status ilj_image_explain(ilj_image *image, const char *methods, const ilj_instrument_options *options,
                             ilj_write_fn *write, void *user) {
    ilj_instrument_options own;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_instrument_options", image->context);
    if (!status)
        status = image_check_assembly(image);
    if (status)
        return status;
    explainer *e = calloc(1, sizeof *e);
    if (!e)
        return diag_no_memory(&image->diag);
    *e = (explainer){.image = image,
                     .options = &own,
                     .out = TEXT_OUT_INIT(write, user, budget_shown(image->pe.file.size)),
                     .price = price_begin(own.selection, image)};
    il_edit_init(&e->edit);
    buffer made = BUFFER_INIT;
    ilj_summary summary;
    status = explain_make(&made, &summary, image, &own);
    if (status == ILJ_OK && summary.outcome == ILJ_OUTCOME_INSTRUMENTED)
        status = image_open_bytes(&e->made, image->context, image->path, buffer_bytes(&made));
    e->why_copied = summary.skip_reason;
    if (status == ILJ_OK)
        status = explain(e, methods);
    ilj_status written = text_out_finish(&e->out, &image->diag);
    bool no_memory = written == ILJ_NO_MEMORY || e->scratch.failed || e->price.key.failed;
    if (status == ILJ_OK)
        status = no_memory ? diag_no_memory(&image->diag) : written;
    ilj_image_free(e->made);
    buffer_clear(&made);
    buffer_clear(&e->scratch);
    price_end(&e->price);
    il_edit_clear(&e->edit);
    free(e);
    return status;
}
