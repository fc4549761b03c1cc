#include "inject/body/visited.h"

#include "il/opcode.h"
#include "inject/body/guard.h"
#include "metadata/names.h"

/* The size of `ldarg.0; call instance void System.Object::.ctor()` at the start; 0: it starts with something else. A
 * method of Object's that has arguments is none of a constructor's. */
static uint32_t object_constructor_head(const md_view *v, const il_body *body) {
    enum { CALL_AT = 1, CALL_END = 6 };
    const uint8_t *code = body->code.data;
    if (body->code.size <= CALL_END || code[0] != IL_OP_ldarg_0 || code[CALL_AT] != IL_OP_call)
        return 0;
    const md_token callee = load_u32(code + CALL_AT + 1);
    const uint32_t row = md_token_row(callee);
    if (md_token_table(callee) != MD_TABLE_MemberRef || !md_row_exists(v, MD_TABLE_MemberRef, row) ||
        !md_name_is(v, MD_MemberRef_Name, row, ".ctor"))
        return 0;
    const md_token type = md_cell_token(v, MD_MemberRef_Class, row);
    return md_token_table(type) == MD_TABLE_TypeRef && md_row_exists(v, MD_TABLE_TypeRef, md_token_row(type)) &&
                   md_name_is(v, MD_TypeRef_TypeName, md_token_row(type), "Object") &&
                   md_name_is(v, MD_TypeRef_TypeNamespace, md_token_row(type), "System")
               ? CALL_END
               : 0;
}

bool visited_can_be(const md_view *view, const il_edit *edit, const il_body *body, bool is_instance) {
    if (body->clause_count || edit->flow.loops)
        return false;
    uint32_t start = 0;
    if (edit->flow.calls && !(is_instance && (start = object_constructor_head(view, body))))
        return false;
    return body->code.size - start <= VISITED_MOST_BYTES && guard_is_needless(body, start, is_instance);
}
