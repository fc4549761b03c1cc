#include "inject/body/stack_depth.h"

#include "metadata/signature.h"

ecma_status depths_init(depths *d, ilj_image *image) {
    *d = (depths){.view = &image->metadata, .effects = effects_of_image(image), .stack = IL_STACK_INIT};
    return d->effects ? ECMA_OK : diag_no_memory(&image->diag);
}

void depths_clear(depths *d) {
    il_stack_clear(&d->stack);
}

ecma_status depths_analyse(depths *d, const il_body *body, bool returns_value) {
    return il_stack_analyse(&d->stack, body, returns_value, effects_of_call, d->effects);
}

bool depths_walk(depths *d, const il_body *body, bool returns_value) {
    return il_walk_over(body, returns_value, &d->effects->il);
}

ecma_status depths_settle(depths *d, const il_edit *il, bool returns_value, bool *excess, uint32_t *max_depth) {
    ecma_status status = depths_analyse(d, &il->body, returns_value);
    if (status == ECMA_OK) {
        depths_judge(d, il, returns_value, excess, max_depth);
        return ECMA_OK;
    }
    *excess = true;
    *max_depth = 0;
    return status == ECMA_NO_MEMORY ? status : ECMA_OK;
}

void depths_judge(const depths *d, const il_edit *il, bool returns_value, bool *excess, uint32_t *max_depth) {
    *excess = false;
    *max_depth = d->stack.max_depth;
    for (uint32_t i = 0; i < il->exit_count; i++) {
        uint32_t depth = il_stack_depth_at(&d->stack, il->exits[i].offset);
        if (il->exits[i].kind == IL_EXIT_RET && depth != IL_UNREACHED && depth > returns_value)
            *excess = true;
    }
}

/* Will the body be too large for a tiny one with what is inserted, even if every branch in it can be made short? */
static bool outgrows_tiny(const il_edit *il) {
    enum { MOST_TINY = 63, SHORTENED = 3 };
    return il->flow.tail_call_count == 0 &&
           il->body.code.size + il->inserted.size > MOST_TINY + (size_t)il->flow.branch_count * SHORTENED;
}

ecma_status depths_at_exits(depths *d, const il_edit *il, uint32_t method_row, bool stays_tiny, uint32_t more,
                            uint32_t *depth) {
    bytes signature;
    bool returns_value, followed = il->flow.tail_call_count != 0 || (il->body.tiny && stays_tiny);
    if (!followed && 1 + more <= il->max_stack) {
        *depth = 1;
        return ECMA_OK;
    }
    /* For a tiny body it only counts whether there is room for one more. */
    if (followed && il->body.tiny && (il->flow.pushed < il->max_stack || outgrows_tiny(il))) {
        *depth = 0;
        return ECMA_OK;
    }
    *depth = il->max_stack;
    if (!md_try_blob(d->view, md_cell(d->view, MD_MethodDef_Signature, method_row), &signature) ||
        !md_try_returns_value(signature, &returns_value))
        return ECMA_OK;
    if (!followed) {
        *depth = returns_value ? 1 : 0;
        return ECMA_OK;
    }
    ecma_status status = depths_analyse(d, &il->body, returns_value);
    if (status)
        return status == ECMA_NO_MEMORY ? status : ECMA_OK;
    *depth = 0;
    for (uint32_t i = 0; i < il->exit_count; i++) {
        uint32_t here = il_stack_depth_at(&d->stack, il->exits[i].offset);
        if (here != IL_UNREACHED && here > *depth)
            *depth = here;
    }
    return ECMA_OK;
}
