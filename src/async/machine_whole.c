#include "async/machine_whole.h"

#include "il/decode.h"
#include "metadata/signature.h"
#include "metadata/types.h"

/* Looks at one instruction after the start of the machine; false when the method does more than returning. */
static bool only_returns(const md_view *v, const il_instruction *i, bool *has_task) {
    switch (il_opcodes[i->opcode].flow) {
    case IL_FLOW_call:
        if (*has_task || i->opcode == IL_newobj || i->opcode == IL_calli || i->opcode == IL_jmp ||
            strcmp(md_member_name(v, md_member(v, i->token)), "get_Task") != 0)
            return false;
        *has_task = true;
        return true;
    case IL_FLOW_cond_branch:
    case IL_FLOW_throw:
        return false;
    default:
        return i->opcode != IL_pop;
    }
}

static bool returns_nothing(const md_view *v, uint32_t method_row) {
    bytes signature, type;
    return md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method_row), &signature) &&
           md_result_type(signature, false, &type) && type.size == 0;
}

bool machine_is_whole(const ilj_image *image, const bodies *b, const state_machine *m) {
    const md_view *v = &image->metadata;
    il_body body;
    if (!m->is_async || m->is_iterator || m->owner != m->starter || !state_machine_has_events(m) ||
        !bodies_read(b, image, m->starter, &body))
        return false;
    bool started = false, whole = false, has_task = false;
    il_cursor cursor = il_cursor_of(body.code);
    for (il_instruction i; il_next(&cursor, &i);) {
        if (il_opcodes[i.opcode].flow == IL_FLOW_call && md_token_table(i.token) == MD_TABLE_MethodSpec &&
            strcmp(md_member_name(v, md_member(v, i.token)), "Start") == 0) {
            started = whole = true;
            has_task = false;
        } else if (started) {
            whole = whole && only_returns(v, &i, &has_task);
        }
    }
    return !cursor.fault.what && whole && has_task != returns_nothing(v, m->starter);
}
