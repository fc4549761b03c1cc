#include "inject/inject.h"

#include "il/emit.h"
#include "inject/module/user_string.h"
#include "inject/plan.h"
#include "metadata/flags.h"

/* Which probes have a part in some method, and which of them at each step? */
static void find_probes(injector *in) {
    in->rows = probe_rows;
    for (unsigned id = 0; id < PROBES; id++) {
        const probe *row = &probe_rows[id];
        const probe_set bit = 1u << id;
        if (row->is_on && !row->is_on(in->probes))
            continue;
        in->on |= bit;
#define STEP(name) in->with.name |= row->name ? bit : 0
        STEP(plan);
        STEP(in_loops);
        STEP(in_handlers);
        STEP(place);
        STEP(without_locals);
        STEP(insert);
        STEP(head);
        STEP(describe);
#undef STEP
    }
}

ecma_status injector_init(injector *in, ilj_image *image) {
    in->view = &image->metadata;
    in->index = &image->index;
    in->flags = md_cells_of(in->view, MD_MethodDef_Flags);
    il_edit_init(&in->il);
    in->results.no_runtime_async = !(in->probes->bodies->any_impl_flags & MD_IMPL_ASYNC);
    find_probes(in);
    result_reloads_begin(&in->reloads, in->edit, in->tracker);
    ecma_status status = depths_init(&in->depths, image);
    if (!status && locals_begin(&in->locals, in->edit, &image->arena, in->probes->bodies->count))
        status = diag_no_memory(&image->diag);
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

/* Adds the rows that the plan needs, and puts them into the header. */
static ecma_status add_rows(injector *in, method_plan *p, diag *d) {
    if (p->reload.op)
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
static ecma_status raise_max_stack(injector *in, method_plan *p, uint32_t needed, il_fault *fault) {
    enum { MAX_STACK_AT = 2, MOST = 0xFFFF };
    if (needed > MOST)
        needed = MOST;
    if (needed <= in->il.max_stack)
        return ECMA_OK;
    ecma_status status = plan_follow_paths(p, in);
    if (status)
        return status;
    if (p->paths.max_depth > p->body->max_stack) {
        *fault = (il_fault){"more items come to stand on the stack than MaxStack allows", MAX_STACK_AT};
        return ECMA_BAD_FILE;
    }
    in->il.max_stack = (uint16_t)needed;
    return ECMA_OK;
}

static void need(uint32_t *needed, uint32_t depth) {
    if (depth > *needed)
        *needed = depth;
}

/* Carries out the plan: rows first, then code. */
static ecma_status emit(injector *in, method_plan *p, il_fault *fault, diag *d) {
    const tracker *t = in->tracker;
    const probe *row;
    uint32_t needed = 0;
    ecma_status status = add_rows(in, p, d);
    if (status)
        return status;
    if (t->enter == TRACKER_NAME || t->leave == TRACKER_NAME)
        p->name = user_string_add_method(in->edit, in->index, p->row, &in->name);
    for (probe_set left = p->on & in->with.insert; (row = probe_next(in->rows, &left));)
        need(&needed, row->insert(in, p));
    return in->il.refused ? in->il.refused : raise_max_stack(in, p, needed, fault);
}

ecma_status inject_method(injector *in, buffer *out, bool *fat, const injection *what, il_fault *fault, diag *d) {
    method_plan plan;
    const probe *row;
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
    for (probe_set left = plan.on & in->with.describe; (row = probe_next(in->rows, &left));)
        row->describe(in->probes, &plan);
    return ECMA_OK;
}
