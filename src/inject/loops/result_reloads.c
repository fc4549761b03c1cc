#include "inject/loops/result_reloads.h"

#include "inject/loops/float_registers.h"
#include "metadata/signature.h"

void result_reloads_begin(result_reloads *r, md_edit *edit, const tracker *t) {
    *r = (result_reloads){.edit = edit, .offered = t->result == TRACKER_NO_RESULT};
}

void result_reloads_clear(result_reloads *r) {
    type_table_clear(&r->types);
}

/* The TypeSpec of a type that has no other token. */
static md_token type_spec(result_reloads *r, bytes type) {
    enum { TYPE_SPEC };
    type_entry *entry = type_table_find(&r->types, type);
    if (!entry) {
        r->failed = true;
        return 0;
    }
    if (!entry->tokens[TYPE_SPEC]) {
        uint32_t blob = md_edit_blob(r->edit, type);
        entry->tokens[TYPE_SPEC] = md_edit_row(r->edit, MD_TABLE_TypeSpec, &blob);
    }
    return entry->tokens[TYPE_SPEC];
}

result_reload result_reload_of(const result_reloads *r, const il_edit *il, bytes type) {
    if (!r->offered || !il->flow.loops || !float_registers_may_hold(r->edit->view, type))
        return (result_reload){0};
    reader of = reader_of(type);
    switch (reader_u8(&of)) {
    case MD_ELEMENT_R4:
        return (result_reload){.op = IL_OP_ldind_r4};
    case MD_ELEMENT_R8:
        return (result_reload){.op = IL_OP_ldind_r8};
    case MD_ELEMENT_VALUETYPE:
        return (result_reload){.op = IL_OP_ldobj, .type = md_read_type_token(&of)};
    default:
        return (result_reload){.op = IL_OP_ldobj};
    }
}

void result_reload_add(result_reloads *r, result_reload *how, bytes type) {
    if (how->op == IL_OP_ldobj && how->type == 0)
        how->type = type_spec(r, type);
}

void result_load(buffer *code, uint32_t local, result_reload how) {
    if (!how.op) {
        il_emit_ldloc(code, local);
        return;
    }
    il_emit_ldloca(code, local);
    il_emit(code, IL_OP_volatile);
    il_emit(code, how.op);
    if (how.op == IL_OP_ldobj)
        buffer_u32(code, how.type);
}
