#include "inject/body/locals.h"

#include "il/decode.h"
#include "metadata/signature.h"

#include <stdlib.h>
#include <xxhash.h>

typedef struct locals_slot {
    uint32_t row; /* of StandAloneSig; 0: free */
    uint32_t hash;
    uint32_t at, size; /* of a new row: where its blob stands among the added ones */
} locals_slot;

ecma_status locals_begin(locals *l, md_edit *edit, arena *memory, uint32_t methods) {
    enum { FEWEST = 8, MOST = 1024, SHARE = 8 };
    *l = (locals){.edit = edit, .memory = memory, .recent = FEWEST};
    while (l->recent < MOST && l->recent < methods / SHARE)
        l->recent *= 2;
    l->read = calloc(l->recent, sizeof *l->read);
    l->answers = calloc(l->recent, sizeof *l->answers);
    return l->read && l->answers ? ECMA_OK : ECMA_NO_MEMORY;
}

void locals_clear(locals *l) {
    free(l->read);
    free(l->answers);
    buffer_clear(&l->blob);
    *l = (locals){0};
}

static uint32_t hash_of(bytes blob) {
    return (uint32_t)XXH3_64bits(blob.data, blob.size);
}

static bool is_blob(const locals *l, const locals_slot *slot, bytes blob) {
    const md_view *v = l->edit->view;
    bytes there;
    if (slot->row > md_row_count(v, MD_TABLE_StandAloneSig))
        there = bytes_of(l->edit->blobs.data + slot->at, slot->size);
    else if (!md_try_blob(v, md_cell(v, MD_StandAloneSig_Signature, slot->row), &there))
        return false;
    return there.size == blob.size && memcmp(there.data, blob.data, blob.size) == 0;
}

/* The slot of the blob, or the free one where it belongs. */
static locals_slot *find(const locals *l, bytes blob, uint32_t hash) {
    for (uint32_t at = hash;; at++) {
        locals_slot *slot = &l->slots[at & (l->slot_count - 1)];
        if (slot->row == 0 || (slot->hash == hash && is_blob(l, slot, blob)))
            return slot;
    }
}

static bool grow(locals *l) {
    locals_slot *old = l->slots;
    uint32_t old_count = l->slot_count;
    l->slot_count = old_count * 2;
    l->slots = arena_alloc_array(l->memory, l->slot_count, sizeof *l->slots);
    if (!l->slots) {
        l->slots = old;
        l->slot_count = old_count;
        return false;
    }
    for (uint32_t i = 0; i < old_count; i++) {
        uint32_t at = old[i].hash;
        while (old[i].row && l->slots[at & (l->slot_count - 1)].row)
            at++;
        if (old[i].row)
            l->slots[at & (l->slot_count - 1)] = old[i];
    }
    return true;
}

/* The module's own signatures, the first row of equal ones. */
static bool begin(locals *l) {
    const md_view *v = l->edit->view;
    uint32_t rows = md_row_count(v, MD_TABLE_StandAloneSig);
    for (l->slot_count = 64; l->slot_count < rows * 3;)
        l->slot_count *= 2;
    l->slots = arena_alloc_array(l->memory, l->slot_count, sizeof *l->slots);
    if (!l->slots)
        return false;
    for (uint32_t row = 1; row <= rows; row++) {
        bytes blob;
        if (!md_try_blob(v, md_cell(v, MD_StandAloneSig_Signature, row), &blob) || blob.size == 0 ||
            blob.data[0] != MD_SIG_LOCALS)
            continue;
        uint32_t hash = hash_of(blob);
        locals_slot *slot = find(l, blob, hash);
        if (slot->row == 0) {
            *slot = (locals_slot){.row = row, .hash = hash};
            l->used++;
        }
    }
    return true;
}

/* The row's token for the blob, which is added when there is none. */
static ecma_status token_for(locals *l, bytes blob, md_token *token) {
    if ((!l->slots && !begin(l)) || (l->used * 2 >= l->slot_count && !grow(l)))
        return ECMA_NO_MEMORY;
    uint32_t hash = hash_of(blob);
    locals_slot *slot = find(l, blob, hash);
    if (slot->row == 0) {
        uint32_t index = md_edit_blob(l->edit, blob);
        *slot = (locals_slot){.row = md_token_row(md_edit_row(l->edit, MD_TABLE_StandAloneSig, &index)),
                              .hash = hash,
                              .at = (uint32_t)(l->edit->blobs.size - blob.size),
                              .size = (uint32_t)blob.size};
        if (l->edit->blobs.failed || l->edit->rows[MD_TABLE_StandAloneSig].failed)
            return ECMA_NO_MEMORY;
        l->used++;
    }
    *token = md_token_of(MD_TABLE_StandAloneSig, slot->row);
    return ECMA_OK;
}

/* The local that an instruction names. */
static bool names_local(const il_instruction *i, uint32_t *local) {
    if (i->opcode >= IL_ldloc_0 && i->opcode <= IL_stloc_3)
        *local = (uint32_t)(i->opcode - IL_ldloc_0) % 4;
    else
        *local = (uint32_t)i->integer;
    return (i->opcode >= IL_ldloc_0 && i->opcode <= IL_stloc_3) || i->opcode == IL_ldloc_s ||
           i->opcode == IL_ldloca_s || i->opcode == IL_stloc_s || i->opcode == IL_ldloc || i->opcode == IL_ldloca ||
           i->opcode == IL_stloc;
}

uint32_t locals_first_missing(const il_body *body, uint32_t count) {
    il_cursor cursor = il_cursor_of(body->code);
    uint32_t local;
    for (il_instruction i; il_next(&cursor, &i);)
        if (names_local(&i, &local) && local >= count)
            return i.offset;
    return (uint32_t)body->code.size;
}

static ecma_status no(il_fault *fault, const char *what) {
    enum { LOCAL_VAR_SIG_TOK = 8 };
    *fault = (il_fault){what, LOCAL_VAR_SIG_TOK};
    return ECMA_BAD_FILE;
}

ecma_status locals_read(locals_own *own, const md_view *view, md_token token, il_fault *fault) {
    uint32_t row = md_token_row(token);
    bytes signature;
    *own = (locals_own){.token = token};
    if (token == 0)
        return ECMA_OK;
    if (md_token_table(token) != MD_TABLE_StandAloneSig || !md_row_exists(view, MD_TABLE_StandAloneSig, row) ||
        !md_try_blob(view, md_cell(view, MD_StandAloneSig_Signature, row), &signature))
        return no(fault, "LocalVarSigTok names no StandAloneSig row (II.25.4.3)");
    reader r = reader_of(signature);
    unsigned kind = reader_u8(&r);
    own->count = reader_compressed(&r);
    if (r.failed || kind != MD_SIG_LOCALS)
        return no(fault, "LocalVarSigTok names no signature of locals (II.23.2.6)");
    /* Bytes after the last type mean nothing, and would become the type of the first local that is added. */
    const uint8_t *first = r.at;
    for (uint32_t i = 0; i < own->count && !r.failed; i++)
        md_skip_type(&r);
    if (r.failed)
        return no(fault, "LocalVarSigTok names a signature of locals that cannot be read (II.23.2.6)");
    own->types = (bytes){first, (size_t)(r.at - first)};
    return ECMA_OK;
}

ecma_status locals_recall(locals *l, locals_own *own, md_token token, il_fault *fault) {
    locals_own *known = &l->read[md_token_row(token) & (l->recent - 1)];
    if (known->token != token) { /* what is not known yet has the token 0, as has a body without locals */
        ecma_status status = locals_read(own, l->edit->view, token, fault);
        if (status)
            return status;
        *known = *own;
    }
    *own = *known;
    return ECMA_OK;
}

static ecma_status extend(locals *l, const locals_own *own, bytes types, uint32_t count, md_token *extended) {
    l->blob.size = 0;
    buffer_u8(&l->blob, MD_SIG_LOCALS);
    buffer_compressed(&l->blob, own->count + count);
    buffer_append(&l->blob, own->types.data, own->types.size);
    buffer_append(&l->blob, types.data, types.size);
    return l->blob.failed ? ECMA_NO_MEMORY : token_for(l, buffer_bytes(&l->blob), extended);
}

ecma_status locals_extend(locals *l, const locals_own *own, bytes types, uint32_t count, md_token *extended) {
    uint64_t key = (uint64_t)types.size << 56;
    if (types.size >= sizeof key)
        return extend(l, own, types, count, extended);
    for (size_t i = 0; i < types.size; i++)
        key |= (uint64_t)types.data[i] << 8 * i;
    locals_answer *a = &l->answers[(key ^ own->token) * 0x9E3779B97F4A7C15 >> 32 & (l->recent - 1)];
    if (a->extended == 0 || a->types != key || a->old != own->token || a->count != count) {
        ecma_status status = extend(l, own, types, count, extended);
        if (status == ECMA_OK)
            *a = (locals_answer){key, own->token, *extended, count};
        return status;
    }
    *extended = a->extended;
    return ECMA_OK;
}
