#include "depth.h"

#include "metadata/signature.h"

/* A remembered effect: 0 not asked yet, else 1 + pops * 2 + returns a value; too many pops to be remembered are asked
 * again. */
enum { EFFECT_UNKNOWN = 0, EFFECT_MAX_POPS = 126 };

/* Where the effect of a call of the token is remembered, and the cell of its signature. false: the token names no
 * method and no signature. */
static bool signature_of(const depths *d, md_token token, md_column *column, uint32_t *row, uint8_t **memo) {
    const md_view *v = d->view;
    if (md_token_table(token) == MD_TABLE_MethodSpec)
        token = md_cell_token(v, MD_MethodSpec_Method, md_token_row(token));
    *row = md_token_row(token);
    *memo = NULL;
    switch (md_token_table(token)) {
    case MD_TABLE_MethodDef:
        *column = MD_MethodDef_Signature;
        if (md_row_exists(v, MD_TABLE_MethodDef, *row))
            *memo = &d->effects[*row];
        return *memo != NULL;
    case MD_TABLE_MemberRef:
        *column = MD_MemberRef_Signature;
        if (md_row_exists(v, MD_TABLE_MemberRef, *row))
            *memo = &d->effects[d->definitions + *row];
        return *memo != NULL;
    case MD_TABLE_StandAloneSig:
        *column = MD_StandAloneSig_Signature;
        return md_row_exists(v, MD_TABLE_StandAloneSig, *row);
    default:
        return false;
    }
}

/* The same of a token that is not remembered yet: il_token_effect. */
static int32_t read_effect(const depths *d, md_token token) {
    md_column column;
    uint32_t row, pops;
    uint8_t *memo;
    bytes signature;
    bool returns_value;
    if (!signature_of(d, token, &column, &row, &memo) ||
        !md_try_blob(d->view, md_cell(d->view, column, row), &signature) ||
        !md_try_stack_effect(signature, &pops, &returns_value) || pops >= IL_UNREACHED)
        return -1;
    if (memo && pops <= EFFECT_MAX_POPS)
        *memo = (uint8_t)(1 + pops * 2 + returns_value);
    return (int32_t)(pops * 2 + returns_value);
}

static int32_t token_effect(void *user, md_token token) {
    const depths *d = user;
    uint32_t row = md_token_row(token), place = UINT32_MAX;
    if (md_token_table(token) == MD_TABLE_MethodDef && row <= d->definitions)
        place = row;
    else if (md_token_table(token) == MD_TABLE_MemberRef && row <= d->references)
        place = d->definitions + row;
    if (place != UINT32_MAX && d->effects[place] != EFFECT_UNKNOWN)
        return d->effects[place] - 1;
    return read_effect(d, token);
}

static bool call_effect(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    int32_t effect = token_effect(user, call->token);
    if (effect < 0)
        return false;
    *pops = (uint32_t)effect / 2;
    *pushes = (uint32_t)effect % 2;
    if (call->opcode == IL_newobj && *pops > 0)
        --*pops; /* `this` is made by it */
    return true;
}

ecma_status depths_init(depths *d, ilj_image *image) {
    const md_view *view = &image->metadata;
    *d = (depths){.view = view,
                  .definitions = md_row_count(view, MD_TABLE_MethodDef),
                  .references = md_row_count(view, MD_TABLE_MemberRef),
                  .stack = IL_STACK_INIT};
    d->effects = arena_alloc(&image->arena, (size_t)d->definitions + d->references + 2);
    return d->effects ? ECMA_OK : diag_no_memory(&image->diag);
}

void depths_clear(depths *d) {
    il_stack_clear(&d->stack);
}

ecma_status depths_analyse(depths *d, const il_body *body, bool returns_value) {
    return il_stack_analyse(&d->stack, body, returns_value, call_effect, d);
}

bool depths_walk(depths *d, const il_body *body, bool returns_value) {
    return il_walk_over(body, returns_value, token_effect, d);
}

ecma_status depths_settle(depths *d, const il_edit *il, bool returns_value, bool *excess, uint32_t *max_depth) {
    ecma_status status = depths_analyse(d, &il->body, returns_value);
    *excess = status != ECMA_OK;
    *max_depth = status == ECMA_OK ? d->stack.max_depth : 0;
    if (status != ECMA_OK)
        return status == ECMA_NO_MEMORY ? status : ECMA_OK;
    for (uint32_t i = 0; i < il->exit_count; i++) {
        uint32_t depth = il_stack_depth_at(&d->stack, il->exits[i].offset);
        if (il->exits[i].kind == IL_EXIT_RET && depth != IL_UNREACHED && depth > returns_value)
            *excess = true;
    }
    return ECMA_OK;
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
    /* Of a tiny body it only counts whether there is room for one more. */
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
