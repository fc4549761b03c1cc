#include "inject.h"

#include "metadata/names.h"
#include "metadata/signature.h"

enum { MAX_LOCAL = 65534, NO_LOCAL = 0xFFFF };

static void add_u8(sequence *s, unsigned byte) {
    s->code[s->size++] = (uint8_t)byte;
}

static void add_token(sequence *s, unsigned opcode, uint32_t token) {
    add_u8(s, opcode);
    store_u32(s->code + s->size, token);
    s->size += 4;
}

enum {
    LDC_I4_0 = 0x16,
    LDC_I4_S = 0x1F,
    LDC_I4 = 0x20,
    CALL = 0x28,
    POP = 0x26,
    LDSTR = 0x72,
    LDTOKEN = 0xD0,
    WIDE = 0xFE
};

static void add_constant(sequence *s, uint32_t value) {
    if (value <= 8) {
        add_u8(s, LDC_I4_0 + value);
    } else if (value <= 127) {
        add_u8(s, LDC_I4_S);
        add_u8(s, value);
    } else {
        add_token(s, LDC_I4, value);
    }
}

/* ldloc and stloc in their shortest forms (III.3.43, III.3.63): opcodes with the index in them, with one byte, with
 * two. */
static void add_local(sequence *s, unsigned first_short, unsigned with_byte, unsigned wide, uint32_t local) {
    if (local < 4) {
        add_u8(s, first_short + local);
    } else if (local < 256) {
        add_u8(s, with_byte);
        add_u8(s, local);
    } else {
        add_u8(s, WIDE);
        add_u8(s, wide);
        add_u8(s, local & 0xFF);
        add_u8(s, local >> 8);
    }
}

static void add_load_local(sequence *s, uint32_t local) {
    add_local(s, 0x06, 0x11, 0x0C, local);
}

static void add_store_local(sequence *s, uint32_t local) {
    add_local(s, 0x0A, 0x13, 0x0E, local);
}

ecma_status injector_init(injector *in, const md_view *view, const md_index *index, md_edit *edit, const tracker *t,
                          const references *refs, arena *a, diag *d) {
    *in = (injector){.view = view, .index = index, .edit = edit, .tracker = t, .refs = refs};
    il_edit_init(&in->il);
    in->extended_locals =
        arena_alloc_array(a, md_row_count(view, MD_TABLE_StandAloneSig) + 1u, sizeof *in->extended_locals);
    in->effects =
        arena_alloc(a, (size_t)md_row_count(view, MD_TABLE_MethodDef) + md_row_count(view, MD_TABLE_MemberRef) + 2);
    return in->extended_locals && in->effects ? ECMA_OK : diag_no_memory(d);
}

void injector_clear(injector *in) {
    il_edit_clear(&in->il);
    il_stack_clear(&in->stack);
    buffer_clear(&in->name);
}

static bool next_code_point(reader *r, uint32_t *point) {
    if (!reader_left(r))
        return false;
    uint32_t first = reader_u8(r);
    unsigned more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
    static const uint8_t masks[4] = {0x7F, 0x1F, 0x0F, 0x07};
    *point = first & masks[more];
    for (; more && reader_left(r) && (*r->at & 0xC0) == 0x80; more--)
        *point = *point << 6 | (reader_u8(r) & 0x3F);
    if (more || *point > 0x10FFFF || (first & 0xC0) == 0x80)
        *point = 0xFFFD;
    return true;
}

/* The method's full name as a ldstr token. */
static md_token name_token(injector *in, uint32_t method_row) {
    in->name.size = 0;
    md_append_full_method_name(&in->name, in->view, in->index, method_row);
    size_t utf8 = in->name.size;
    buffer_align(&in->name, 2);
    size_t start = in->name.size;
    uint32_t point;
    buffer_reserve(&in->name, utf8 * 4 + 2); /* so that the text does not move while it is read */
    for (reader r = reader_of((bytes){in->name.data, in->name.failed ? 0 : utf8}); next_code_point(&r, &point);) {
        uint16_t pair[2] = {(uint16_t)point, 0};
        size_t units = 1;
        if (point > 0xFFFF) {
            pair[0] = (uint16_t)(0xD800 + ((point - 0x10000) >> 10));
            pair[1] = (uint16_t)(0xDC00 + ((point - 0x10000) & 0x3FF));
            units = 2;
        }
        buffer_append(&in->name, pair, units * sizeof *pair);
    }
    if (in->name.failed) {
        in->edit->user_strings.failed = true;
        return 0;
    }
    return md_edit_user_string(in->edit, (const uint16_t *)(const void *)(in->name.data + start),
                               (in->name.size - start) / 2);
}

/* Pushes what a call asks for. */
static void add_argument(sequence *s, tracker_argument argument, uint32_t id, md_token name, uint32_t method_row,
                         uint32_t local) {
    switch (argument) {
    case TRACKER_NOTHING:
        break;
    case TRACKER_ID:
        add_constant(s, id);
        break;
    case TRACKER_NAME:
        add_token(s, LDSTR, name);
        break;
    case TRACKER_HANDLE:
        add_token(s, LDTOKEN, md_token_of(MD_TABLE_MethodDef, method_row));
        break;
    case TRACKER_TOKEN:
        add_load_local(s, local);
        break;
    }
}

/* The body's local signature with one local more, of the token's type: its StandAloneSig token, and the new local's
 * index. */
static ecma_status extend_locals(injector *in, md_token old, md_token *extended, uint32_t *local, il_fault *fault) {
    uint32_t row = md_token_row(old), count = 0;
    bytes signature = {0}, types = {0};
    if (old != 0) {
        if (md_token_table(old) != MD_TABLE_StandAloneSig || !md_row_exists(in->view, MD_TABLE_StandAloneSig, row) ||
            !md_try_blob(in->view, md_cell(in->view, MD_StandAloneSig_Signature, row), &signature)) {
            *fault = (il_fault){"LocalVarSigTok names no StandAloneSig row (II.25.4.3)", 8};
            return ECMA_BAD_FILE;
        }
        reader r = reader_of(signature);
        unsigned kind = reader_u8(&r);
        count = reader_compressed(&r);
        if (r.failed || kind != MD_SIG_LOCALS) {
            *fault = (il_fault){"LocalVarSigTok names no signature of locals (II.23.2.6)", 8};
            return ECMA_BAD_FILE;
        }
        types = (bytes){r.at, reader_left(&r)};
    }
    *local = count;
    if (count > MAX_LOCAL || in->extended_locals[row]) {
        *extended = in->extended_locals[row];
        return ECMA_OK;
    }
    buffer blob = BUFFER_INIT;
    buffer_u8(&blob, MD_SIG_LOCALS);
    buffer_compressed(&blob, count + 1);
    buffer_append(&blob, types.data, types.size);
    buffer_u8(&blob, in->tracker->token_element);
    uint32_t index = md_edit_blob(in->edit, buffer_bytes(&blob));
    in->edit->blobs.failed |= blob.failed;
    buffer_clear(&blob);
    *extended = in->extended_locals[row] = md_edit_row(in->edit, MD_TABLE_StandAloneSig, &index);
    return ECMA_OK;
}

static ecma_status bad_edit(ecma_status status, diag *d) {
    if (status == ECMA_NO_MEMORY)
        return diag_no_memory(d);
    return status;
}

/* ---- Stack depth at the exits ------------------------------------------------------------------------------------ */

/* A remembered effect: 0 not asked yet, else 1 + pops * 2 + returns a value; too many pops to be remembered are asked
 * again. */
enum { EFFECT_UNKNOWN = 0, EFFECT_MAX_POPS = 126 };

static bool signature_of(const injector *in, md_token token, bytes *signature, uint8_t **memo) {
    const md_view *v = in->view;
    uint32_t row = md_token_row(token);
    *memo = NULL;
    switch (md_token_table(token)) {
    case MD_TABLE_MethodDef:
        if (!md_row_exists(v, MD_TABLE_MethodDef, row))
            return false;
        *memo = &in->effects[row];
        return md_try_blob(v, md_cell(v, MD_MethodDef_Signature, row), signature);
    case MD_TABLE_MemberRef:
        if (!md_row_exists(v, MD_TABLE_MemberRef, row))
            return false;
        *memo = &in->effects[md_row_count(v, MD_TABLE_MethodDef) + row];
        return md_try_blob(v, md_cell(v, MD_MemberRef_Signature, row), signature);
    case MD_TABLE_MethodSpec:
        token = md_cell_token(v, MD_MethodSpec_Method, row);
        return md_token_table(token) != MD_TABLE_MethodSpec && signature_of(in, token, signature, memo);
    case MD_TABLE_StandAloneSig:
        return md_row_exists(v, MD_TABLE_StandAloneSig, row) &&
               md_try_blob(v, md_cell(v, MD_StandAloneSig_Signature, row), signature);
    default:
        return false;
    }
}

static bool call_effect(void *user, const il_instruction *call, uint32_t *pops, uint32_t *pushes) {
    const injector *in = user;
    bytes signature;
    uint8_t *memo;
    bool returns_value;
    if (!signature_of(in, call->token, &signature, &memo))
        return false;
    if (memo && *memo != EFFECT_UNKNOWN) {
        *pops = (uint32_t)(*memo - 1) / 2;
        *pushes = (uint32_t)(*memo - 1) % 2;
    } else {
        if (!md_try_stack_effect(signature, pops, &returns_value))
            return false;
        *pushes = returns_value;
        if (memo && *pops <= EFFECT_MAX_POPS)
            *memo = (uint8_t)(1 + *pops * 2 + *pushes);
    }
    if (call->opcode == IL_newobj && *pops > 0)
        --*pops; /* `this` is made by it */
    return true;
}

/* The most items that stand on the stack at an exit. At a ret that is the returned value (III.3.56), at a jmp nothing
 * (III.3.37); so the code is followed only where this does not say it all: before the arguments of a tail call, and in
 * a tiny body that may stay one, whose header allows 8. Where it cannot be followed, it is what the header allows. */
static ecma_status depth_at_exits(injector *in, uint32_t method_row, const il_body *body, uint32_t *depth, diag *d) {
    bytes signature;
    bool returns_value;
    *depth = in->il.max_stack;
    if (!md_try_blob(in->view, md_cell(in->view, MD_MethodDef_Signature, method_row), &signature) ||
        !md_try_returns_value(signature, &returns_value))
        return ECMA_OK;
    if (in->il.flow.tail_call_count == 0 && !(body->tiny && in->tracker->token_element == MD_ELEMENT_VOID)) {
        *depth = returns_value ? 1 : 0;
        return ECMA_OK;
    }
    ecma_status status = il_stack_analyse(&in->stack, body, returns_value, call_effect, in);
    if (status == ECMA_NO_MEMORY)
        return diag_no_memory(d);
    if (status)
        return ECMA_OK;
    *depth = 0;
    for (uint32_t i = 0; i < in->il.exit_count; i++) {
        uint32_t here = il_stack_depth_at(&in->stack, in->il.exits[i].offset);
        if (here != IL_UNREACHED && here > *depth)
            *depth = here;
    }
    return ECMA_OK;
}

static ecma_status insert_calls(injector *in, uint32_t method_row, uint32_t id, const il_body *body, uint32_t local,
                                diag *d) {
    const tracker *t = in->tracker;
    bool has_token = t->token_element != MD_ELEMENT_VOID;
    md_token name = t->enter == TRACKER_NAME || t->leave == TRACKER_NAME ? name_token(in, method_row) : 0;
    sequence *enter = &in->enter, *leave = &in->leave;
    enter->size = leave->size = 0;
    add_argument(enter, t->enter, id, name, method_row, 0);
    add_token(enter, CALL, in->refs->enter);
    if (has_token && local == NO_LOCAL)
        add_u8(enter, POP);
    else if (has_token)
        add_store_local(enter, local);
    ecma_status status = il_insert(&in->il, 0, IL_HEAD, bytes_of(enter->code, enter->size));
    uint32_t needed = t->enter != TRACKER_NOTHING || has_token ? 1 : 0;

    /* Without a local there is no token to give back: the frame is closed by those below it. */
    uint32_t exits = has_token && local == NO_LOCAL ? 0 : in->il.exit_count;
    if (exits != 0 && t->leave != TRACKER_NOTHING) {
        uint32_t depth;
        if ((status = depth_at_exits(in, method_row, body, &depth, d)))
            return status;
        if (depth + 1 > needed)
            needed = depth + 1;
    }
    add_argument(leave, t->leave, id, name, method_row, local);
    add_token(leave, CALL, in->refs->leave);
    for (uint32_t i = 0; i < exits && status == ECMA_OK; i++) {
        const il_exit *exit = &in->il.exits[i];
        il_place place = exit->kind == IL_EXIT_AFTER_TAIL_CALL ? IL_APART : IL_BEFORE;
        status = il_insert(&in->il, exit->offset, place, bytes_of(leave->code, leave->size));
    }
    if (needed > in->il.max_stack)
        in->il.max_stack = (uint16_t)(needed > 0xFFFF ? 0xFFFF : needed);
    return status;
}

ecma_status inject_method(injector *in, buffer *out, bool *fat, uint32_t method_row, uint32_t id, const il_body *body,
                          il_fault *fault, diag *d) {
    ecma_status status = il_edit_begin(&in->il, body, fault);
    if (status)
        return bad_edit(status, d);
    in->il.shorten = true;
    uint32_t local = 0;
    if (in->tracker->token_element != MD_ELEMENT_VOID) {
        md_token extended = 0;
        if ((status = extend_locals(in, body->local_var_sig_token, &extended, &local, fault)))
            return status;
        if (local > MAX_LOCAL) {
            diag_report(d, DIAG_LOCALS,
                        "MethodDef 0x%08x: %u locals leave no room for the token; the method is entered only",
                        md_token_of(MD_TABLE_MethodDef, method_row), local);
            local = NO_LOCAL;
        } else {
            in->il.local_var_sig_token = extended;
            /* A body that had no locals to initialise gets one, which must be, unless that would change what localloc
             * gives. */
            if (local == 0 && !in->il.flow.has_localloc)
                in->il.init_locals = true;
        }
    }
    if ((status = insert_calls(in, method_row, id, body, local, d)) || (status = il_edit_layout(&in->il, fault)))
        return bad_edit(status, d);
    *fat = il_edit_is_fat(&in->il);
    uint8_t *p = buffer_extend(out, il_edit_size(&in->il));
    if (!p)
        return diag_no_memory(d);
    if ((status = il_edit_write(&in->il, p)))
        return diag_report(d, DIAG_READ_BACK,
                           "MethodDef 0x%08x: a branch does not reach its target; please report this",
                           md_token_of(MD_TABLE_MethodDef, method_row));
    return ECMA_OK;
}
