#include "inject/result_forwarders.h"

#include "code.h"
#include "inject/float_registers.h"
#include "metadata/signature.h"

void result_forwarders_begin(result_forwarders *f, md_edit *edit, references *refs, const tracker *t) {
    *f = (result_forwarders){.edit = edit,
                             .refs = refs,
                             .offered = refs->holder.type && t->leave == TRACKER_TOKEN &&
                                        t->token_element == MD_ELEMENT_I4 && t->result == TRACKER_NO_RESULT};
}

void result_forwarders_clear(result_forwarders *f) {
    type_table_clear(&f->made);
    buffer_clear(&f->signature);
    buffer_clear(&f->code);
}

static md_token add_forwarder(result_forwarders *f, bytes type) {
    enum { LDARG_0 = 0x02, LDARG_1 = 0x03, RET = 0x2A };
    buffer *s = &f->signature, *b = &f->code;
    s->size = b->size = 0;
    buffer_append(s, (uint8_t[]){MD_SIG_DEFAULT, 2}, 2);
    buffer_append(s, type.data, type.size);
    buffer_append(s, type.data, type.size);
    buffer_u8(s, MD_ELEMENT_I4);
    buffer_u8(b, LDARG_1);
    code_call(b, f->refs->leave);
    buffer_append(b, (uint8_t[]){LDARG_0, RET}, 2);
    f->failed |= s->failed || b->failed;
    /* Inlined, the result would live across the call again. */
    return holder_add_method(&f->refs->holder, f->edit, "LeaveWith", buffer_bytes(s), HOLDER_NO_INLINING,
                             buffer_bytes(b));
}

md_token result_forwarder_of(result_forwarders *f, const il_edit *il, bytes type) {
    enum { FORWARDER };
    if (!f->offered || !float_registers_may_hold(f->edit->view, type) || md_type_is_open(type) || !il_edit_has_loop(il))
        return 0;
    type_entry *entry = type_table_find(&f->made, type);
    if (!entry) {
        f->failed = true;
        return 0;
    }
    if (!entry->tokens[FORWARDER]) {
        md_token token = add_forwarder(f, type);
        entry->tokens[FORWARDER] = token;
    }
    return entry->tokens[FORWARDER];
}
