#include "input/call_effects.h"

#include "input/image.h"
#include "metadata/signature.h"

/* The highest effect that a byte can remember; calls that take more are asked about again. */
enum { MOST_KNOWN = 0xFE };

/* The effects of calls into these tables are remembered by row. */
static const md_table_id tables[] = {MD_TABLE_MethodDef, MD_TABLE_MemberRef, MD_TABLE_MethodSpec,
                                     MD_TABLE_StandAloneSig};

/* By the place of the signature. */
static int32_t read_effect(const effects *e, uint32_t blob) {
    bytes signature;
    uint32_t pops;
    bool returns_value;
    if (!md_try_blob(e->view, blob, &signature) || !md_try_stack_effect(signature, &pops, &returns_value) ||
        pops >= IL_UNREACHED)
        return -1;
    return (int32_t)(pops * 2 + returns_value);
}

static int32_t effect_of_signature(effects *e, uint32_t blob) {
    size_t at = blob % EFFECTS_SIGNATURES;
    if (e->recent[at].blob != blob || blob == 0) {
        e->recent[at].effect = read_effect(e, blob);
        e->recent[at].blob = blob;
    }
    return e->recent[at].effect;
}

/* The place of the signature of what is called. false: the token names no method and no signature. */
static bool signature_of(const effects *e, md_token token, uint32_t *blob) {
    if (md_token_table(token) == MD_TABLE_MethodSpec)
        token = md_cell_token(e->view, MD_MethodSpec_Method, md_token_row(token));
    const md_table_id table = (md_table_id)md_token_table(token);
    md_column column;
    switch (table) {
    case MD_TABLE_MethodDef:
        column = MD_MethodDef_Signature;
        break;
    case MD_TABLE_MemberRef:
        column = MD_MemberRef_Signature;
        break;
    case MD_TABLE_StandAloneSig:
        column = MD_StandAloneSig_Signature;
        break;
    default:
        return false;
    }
    *blob = md_cell(e->view, column, md_token_row(token));
    return md_row_exists(e->view, table, md_token_row(token));
}

/* il_token_effect, of what is not known */
static int32_t tell_effect(void *user, md_token token) {
    effects *e = user;
    uint32_t blob, table = md_token_table(token), row = md_token_row(token);
    if (!signature_of(e, token, &blob))
        return -1;
    int32_t effect = effect_of_signature(e, blob);
    if (effect >= 0 && effect <= MOST_KNOWN)
        e->known[table][row] = (uint8_t)(effect + 1);
    return effect;
}

bool effects_of_call(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    const effects *e = user;
    int32_t effect = il_effect_of(&e->il, call->token);
    if (effect < 0)
        return false;
    *pops = (uint32_t)effect / 2;
    *pushes = (uint32_t)effect % 2;
    if (call->opcode == IL_newobj && *pops > 0)
        --*pops; /* `this` is made by it */
    return true;
}

effects *effects_of_image(ilj_image *image) {
    if (image->effects)
        return image->effects;
    effects *e = arena_alloc(&image->arena, sizeof *e);
    if (!e)
        return NULL;
    e->view = &image->metadata;
    e->il.tell = tell_effect;
    e->il.user = e;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const md_table_id table = tables[i];
        const uint32_t count = md_row_count(e->view, table) + 1;
        e->known[table] = arena_alloc(&image->arena, count);
        if (!e->known[table])
            return NULL;
        e->il.known[table].by_row = e->known[table];
        e->il.known[table].count = count;
    }
    image->effects = e;
    return e;
}
