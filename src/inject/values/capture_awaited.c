#include "inject/values/capture_awaited.h"

#include "il/emit.h"
#include "inject/async/machine_builder.h"
#include "metadata/signature.h"
#include "metadata/types.h"

/* ---- What a machine gives -----------------------------------------------------------------------------------------
 */

/* The type argument of this number of an instantiated type, as it stands in the signature of a TypeSpec. */
static bool type_argument(const md_view *v, md_token type, uint32_t number, bytes *argument) {
    bytes signature;
    if (md_token_table(type) != MD_TABLE_TypeSpec ||
        !md_try_blob(v, md_cell(v, MD_TypeSpec_Signature, md_token_row(type)), &signature))
        return false;
    reader r = reader_of(signature);
    if (reader_u8(&r) != MD_ELEMENT_GENERICINST)
        return false;
    reader_skip(&r, 1); /* CLASS or VALUETYPE */
    md_read_type_token(&r);
    if (number >= reader_compressed(&r))
        return false;
    for (; number > 0; number--)
        if (!md_skip_type(&r))
            return false;
    argument->data = r.at;
    if (!md_skip_type(&r))
        return false;
    argument->size = (size_t)(r.at - argument->data);
    return true;
}

/* The type of what this SetResult takes, as a local of MoveNext has it; false when it takes nothing, or it is not
 * understood. `argument`: it is a type argument. */
static bool result_type(const ilj_image *image, md_token member, bytes *type, bool *argument) {
    const md_view *v = &image->metadata;
    md_column column = md_token_table(member) == MD_TABLE_MethodDef ? MD_MethodDef_Signature : MD_MemberRef_Signature;
    bytes signature;
    md_method_sig head;
    if (!md_try_blob(v, md_cell(v, column, md_token_row(member)), &signature))
        return false;
    reader r = reader_of(signature);
    if (!md_try_method_sig(&r, &head) || head.parameter_count != 1 || !md_skip_type(&r))
        return false;
    md_skip_modifiers(&r);
    type->data = r.at;
    *argument = reader_left(&r) && *r.at == MD_ELEMENT_VAR;
    if (*argument) {
        reader_skip(&r, 1);
        return type_argument(v, md_member_type(v, &image->index, member), reader_compressed(&r), type);
    }
    if (!md_skip_type(&r))
        return false;
    type->size = (size_t)(r.at - type->data);
    return type->size && *type->data != MD_ELEMENT_BYREF && !md_type_is_open(*type);
}

static void find_result(awaited_call *a) {
    const state_machine *m = a->machine;
    const ilj_image *image = a->capture->image;
    bytes type = {0};
    bool argument = false;
    for (uint32_t i = 0; i < m->site_count; i++) {
        bytes one;
        if (m->sites[i].event != MACHINE_COMPLETES || !result_type(image, m->sites[i].member, &one, &argument))
            continue;
        if (type.size && !bytes_equal(type, one))
            return;
        type = one;
    }
    if (!type.size)
        return;
    reader r = reader_of(type);
    a->result = capture_type_read(image, &a->capture->by_ref_like, m->method, &r);
    /* A type argument of the builder's is no ref struct. */
    bool is_value =
        *type.data == MD_ELEMENT_VALUETYPE || *type.data == MD_ELEMENT_VAR || *type.data == MD_ELEMENT_GENERICINST;
    if (argument && is_value && (a->result.kind == CAPTURE_BY_TYPE || a->result.kind == CAPTURE_FOREIGN))
        a->result.kind = CAPTURE_VALUE;
    if (a->result.kind == CAPTURE_BY_TYPE)
        a->result.type = (bytes){0};
}

bool awaited_find(awaited_call *a, capture *c, const ids *ids, const state_machine *m) {
    if (capture_awaited_of(c, m->starter) != CAPTURE_AWAITED_MACHINE)
        return false;
    *a = (awaited_call){.capture = c, .machine = m, .starter = ids_of(ids, m->starter)};
    if (a->starter == NO_ID)
        return false;
    a->has_builder = state_machine_has_builder(m);
    if (capture_rule_of(c, m->starter)->result)
        find_result(a);
    return true;
}

/* ---- Code ---------------------------------------------------------------------------------------------------------
 */

static md_token callee(const awaited_call *a, tracker_method_id method) {
    return a->capture->refs->method[method];
}

/* Hands over the builder if it is asked for; what comes back is left. */
static void hand_over_builder(const awaited_call *a, buffer *code) {
    il_emit_ldc_i4(code, (int32_t)a->starter);
    il_emit_ldloc(code, a->call);
    il_emit_call(code, callee(a, TRACKER_WANTS_BUILDER));
    size_t from = il_emit_long_branch(code, IL_OP_brfalse);
    il_emit_ldc_i4(code, (int32_t)a->starter);
    il_emit_ldloc(code, a->call);
    machine_load_builder(a->machine, code);
    il_emit_call(code, callee(a, TRACKER_CALL_HAS_BUILDER));
    il_emit_stloc(code, a->call);
    il_emit_long_land(code, from);
}

void awaited_add_head(const awaited_call *a, buffer *code) {
    il_emit_ldc_i4(code, (int32_t)a->starter);
    if (a->machine->is_class)
        il_emit_ldarg(code, 0);
    else
        il_emit(code, IL_OP_ldnull);
    il_emit_call(code, callee(a, TRACKER_CALL_RUNS));
    il_emit_stloc(code, a->call);
    if (a->has_builder) {
        il_emit_ldloc(code, a->call);
        size_t from = il_emit_long_branch(code, IL_OP_brtrue);
        hand_over_builder(a, code);
        il_emit_long_land(code, from);
    }
}

/* These append code and return the stack that it needs beside what stands there: before a call that suspends, completes
 * or fails; after one that suspends. */
static uint32_t add_site(const awaited_call *a, buffer *code, machine_event event) {
    if (event == MACHINE_SUSPENDS && !a->machine->is_class)
        return 0; /* told after it */
    if (event == MACHINE_FAILS)
        il_emit(code, IL_OP_dup);
    if (event != MACHINE_COMPLETES) {
        il_emit_ldloc(code, a->call);
        il_emit_call(code, callee(a, event == MACHINE_FAILS ? TRACKER_CALL_FAILS_BY : TRACKER_CALL_SUSPENDS));
        return 2;
    }
    bool gives = a->result.type.size != 0;
    if (gives)
        il_emit_stloc(code, a->given);
    il_emit_ldloc(code, a->call);
    size_t from = il_emit_long_branch(code, IL_OP_brfalse);
    if (gives)
        capture_hand_over_result(a->capture, code, &a->result, a->call, a->given);
    il_emit_ldloc(code, a->call);
    il_emit_call(code, callee(a, TRACKER_CALL_COMPLETES));
    il_emit_long_land(code, from);
    if (gives)
        il_emit_ldloc(code, a->given);
    return CAPTURE_DEPTH;
}

static uint32_t add_behind(const awaited_call *a, buffer *code) {
    if (!a->has_builder)
        return 0;
    il_emit_ldloc(code, a->call);
    size_t from = il_emit_long_branch(code, IL_OP_brfalse);
    hand_over_builder(a, code);
    il_emit_long_land(code, from);
    return CAPTURE_DEPTH;
}

static void insert(il_edit *to, uint32_t offset, il_place place, const buffer *code) {
    if (code->size || code->failed)
        il_insert_buffer(to, offset, place, code);
}

uint32_t awaited_insert_calls(const awaited_call *a, il_edit *to) {
    const state_machine *m = a->machine;
    buffer code = BUFFER_INIT;
    uint32_t needed = 0;
    for (uint32_t i = 0; i < m->site_count; i++) {
        const machine_site *site = &m->sites[i];
        code.size = 0;
        uint32_t depth = site->depth + add_site(a, &code, site->event);
        insert(to, site->offset, IL_BEFORE, &code);
        if (depth > needed)
            needed = depth;
        if (site->event != MACHINE_SUSPENDS || !site->behind)
            continue;
        code.size = 0;
        depth = site->depth - MACHINE_SUSPENSION_POPS + add_behind(a, &code);
        insert(to, site->behind, IL_HEAD, &code);
        if (depth > needed)
            needed = depth;
    }
    buffer_clear(&code);
    return needed;
}
