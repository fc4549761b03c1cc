#include "async/span_methods.h"

#include "async/state_machines.h"
#include "metadata/flags.h"
#include "select/rules.h"

static method_body *body_of(bodies *b, uint32_t method_row) {
    const method_body *found = bodies_of(b, method_row);
    return found ? &b->list[found - b->list] : NULL;
}

static bool is_chosen(const bodies *b, uint32_t method_row) {
    const method_body *m = bodies_of(b, method_row);
    return m && m->reason == ILJ_INSTRUMENT;
}

static void leave_out(bodies *chosen, uint32_t method_row) {
    method_body *m = body_of(chosen, method_row);
    if (!m || m->reason != ILJ_INSTRUMENT)
        return;
    m->reason = ILJ_EXCLUDED;
    m->rule = RULE_NONE;
    chosen->left_out[ILJ_EXCLUDED]++;
    chosen->selected_bytes -= m->size;
}

/* The methods of a machine's type, which do a part of its starter's work, or of the loop's that asks an iterator. */
static void leave_out_type(bodies *chosen, const ilj_image *image, uint32_t type) {
    const md_run run = md_list(&image->metadata, MD_TypeDef_MethodList, type);
    for (uint32_t i = run.first; i < run.end; i++)
        leave_out(chosen, md_run_row(&image->metadata, &run, i));
}

/* Constructors of closures: of types with names that no source can have. */
static void leave_out_closures(bodies *chosen, const ilj_image *image) {
    const md_view *v = &image->metadata;
    for (uint32_t i = 0; i < chosen->count; i++) {
        const uint32_t row = chosen->list[i].row;
        const uint32_t type = md_method_type(&image->index, row);
        if (chosen->list[i].reason == ILJ_INSTRUMENT && *md_name(v, MD_TypeDef_TypeName, type) == '<' &&
            (md_cell(v, MD_MethodDef_Flags, row) & MD_METHOD_RT_SPECIAL_NAME))
            leave_out(chosen, row);
    }
}

static void take_in(bodies *chosen, const state_machine *machine) {
    method_body *m = body_of(chosen, machine->method);
    if (!m || m->reason == ILJ_INSTRUMENT)
        return;
    chosen->left_out[m->reason]--;
    m->reason = ILJ_INSTRUMENT;
    m->rule = bodies_of(chosen, machine->starter)->rule;
    chosen->selected_bytes += m->size;
}

ecma_status span_methods_choose(bodies *chosen, ilj_image *image) {
    bodies all; /* that can be instrumented, whatever is chosen */
    state_machines machines;
    const diag told = image->diag;
    image->diag = (diag){.file = told.file}; /* of what is not chosen, nothing is to be said */
    ecma_status status = bodies_find(&all, image, NULL);
    if (!status)
        status = state_machines_find(&machines, image, &all, false);
    image->diag = told;
    if (status)
        return diag_no_memory(&image->diag);
    for (uint32_t i = 0; i < machines.count; i++) {
        const state_machine *m = &machines.list[i];
        leave_out_type(chosen, image, md_method_type(&image->index, m->method));
        if (!m->is_iterator && m->starter && is_chosen(chosen, m->starter))
            take_in(chosen, m);
        if (m->is_iterator && m->owner)
            leave_out(chosen, m->owner);
    }
    leave_out_closures(chosen, image);
    return ECMA_OK;
}
