#include "inject/body/guard.h"

#include "il/decode.h"
#include "metadata/flags.h"
#include "metadata/names.h"
#include "metadata/signature.h"

/* ---- Instructions that can throw --------------------------------------------------------------------------------- */

/* By il_opcode; branches do not throw either. */
static const bool quiet[IL_OPCODE_END] = {
    [IL_nop] = true,       [IL_break] = true,    [IL_ldarg_0] = true,   [IL_ldarg_1] = true,  [IL_ldarg_2] = true,
    [IL_ldarg_3] = true,   [IL_ldarg_s] = true,  [IL_ldarg] = true,     [IL_ldarga_s] = true, [IL_ldarga] = true,
    [IL_ldloc_0] = true,   [IL_ldloc_1] = true,  [IL_ldloc_2] = true,   [IL_ldloc_3] = true,  [IL_ldloc_s] = true,
    [IL_ldloc] = true,     [IL_ldloca_s] = true, [IL_ldloca] = true,    [IL_stloc_0] = true,  [IL_stloc_1] = true,
    [IL_stloc_2] = true,   [IL_stloc_3] = true,  [IL_stloc_s] = true,   [IL_stloc] = true,    [IL_ldnull] = true,
    [IL_ldc_i4_m1] = true, [IL_ldc_i4_0] = true, [IL_ldc_i4_1] = true,  [IL_ldc_i4_2] = true, [IL_ldc_i4_3] = true,
    [IL_ldc_i4_4] = true,  [IL_ldc_i4_5] = true, [IL_ldc_i4_6] = true,  [IL_ldc_i4_7] = true, [IL_ldc_i4_8] = true,
    [IL_ldc_i4_s] = true,  [IL_ldc_i4] = true,   [IL_ldc_i8] = true,    [IL_ldc_r4] = true,   [IL_ldc_r8] = true,
    [IL_ldstr] = true,     [IL_dup] = true,      [IL_pop] = true,       [IL_ret] = true,      [IL_add] = true,
    [IL_sub] = true,       [IL_mul] = true,      [IL_and] = true,       [IL_or] = true,       [IL_xor] = true,
    [IL_shl] = true,       [IL_shr] = true,      [IL_shr_un] = true,    [IL_neg] = true,      [IL_not] = true,
    [IL_ceq] = true,       [IL_cgt] = true,      [IL_cgt_un] = true,    [IL_clt] = true,      [IL_clt_un] = true,
    [IL_conv_i1] = true,   [IL_conv_i2] = true,  [IL_conv_i4] = true,   [IL_conv_i8] = true,  [IL_conv_i] = true,
    [IL_conv_u1] = true,   [IL_conv_u2] = true,  [IL_conv_u4] = true,   [IL_conv_u8] = true,  [IL_conv_u] = true,
    [IL_conv_r4] = true,   [IL_conv_r8] = true,  [IL_conv_r_un] = true, [IL_isinst] = true,   [IL_ldftn] = true,
    [IL_ldtoken] = true,   [IL_sizeof] = true,
};

static inline bool is_branch(const il_opcode_facts *facts) {
    return facts->flow == IL_FLOW_branch || facts->flow == IL_FLOW_cond_branch;
}

static inline bool is_of_field(il_opcode opcode) {
    return opcode == IL_ldfld || opcode == IL_ldflda || opcode == IL_stfld;
}

static inline il_opcode opcode_at(bytes code, uint32_t at) {
    const uint8_t *p = code.data + at;
    return il_opcode_of_encoding[*p == IL_WIDE && code.size - at >= 2 ? 256u + p[1] : *p];
}

/* Is there an instruction from `at` on that may throw whatever it is given? Most bodies have one soon, so nothing is
 * decoded but sizes. A switch ends the search, undecided. */
static bool has_thrower(bytes code, uint32_t at) {
    while (at < code.size) {
        il_opcode opcode = opcode_at(code, at);
        const il_opcode_facts *facts = &il_opcodes[opcode];
        if (!quiet[opcode] && !is_of_field(opcode)) {
            if (opcode == IL_switch)
                return false;
            if (!is_branch(facts))
                return true;
        }
        at += (uint32_t)facts->size + facts->operand_size;
    }
    return false;
}

/* Code up to its first branch: where on its stack `this` stands. */
enum { DEEPEST = 32 };
typedef struct straight_line {
    bool is_this[DEEPEST];
    uint32_t depth;
    bool known; /* else nothing of this is */
} straight_line;

/* Goes over an instruction; false when it is one of a field that is not of `this`. */
static bool step(straight_line *line, il_opcode opcode) {
    const il_opcode_facts *facts = &il_opcodes[opcode];
    if (is_branch(facts))
        line->known = false;
    uint32_t pops = facts->pops, pushes = facts->pushes;
    if (is_of_field(opcode) && (!line->known || line->depth < pops || !line->is_this[line->depth - pops]))
        return false;
    if (facts->flow == IL_FLOW_return || !line->known)
        return true;
    line->known = pops <= line->depth && line->depth - pops + pushes <= DEEPEST;
    if (!line->known)
        return true;
    /* Mono's compiler has `this` once on the stack for `field |= 2`, and copies it. */
    bool is_this = opcode == IL_ldarg_0 || (opcode == IL_dup && line->is_this[line->depth - 1]);
    line->depth -= pops;
    for (uint32_t n = 0; n < pushes; n++)
        line->is_this[line->depth++] = is_this;
    return true;
}

/* Only sizes are decoded, in a body that il_edit_begin understands. */
bool guard_is_needless(const il_body *body, uint32_t start, bool is_instance) {
    const bytes code = body->code;
    if (has_thrower(code, start))
        return false;
    straight_line line = {.known = is_instance};
    for (uint32_t at = start, size; at < code.size; at += size) {
        il_opcode opcode = opcode_at(code, at);
        size = (uint32_t)il_opcodes[opcode].size + il_opcodes[opcode].operand_size;
        if (opcode == IL_none || size > code.size - at)
            return false;
        if (opcode == IL_switch)
            size += load_u32(code.data + at + 1) * 4;
        if ((!is_of_field(opcode) && !is_branch(&il_opcodes[opcode]) && !quiet[opcode]) || !step(&line, opcode) ||
            size > code.size - at)
            return false;
    }
    return true;
}

bool guard_handler_is_quiet(const il_body *body, const il_clause *clause, bool is_instance) {
    uint32_t end = clause->handler_offset + clause->handler_length;
    straight_line line = {.known = is_instance};
    il_cursor cursor = il_cursor_of(body->code);
    cursor.at = clause->handler_offset;
    for (il_instruction i; cursor.at < end && il_next(&cursor, &i);) {
        bool leaves = i.opcode == IL_leave || i.opcode == IL_leave_s || i.opcode == IL_ret;
        bool branches = is_branch(&il_opcodes[i.opcode]) && i.opcode != IL_switch;
        if (branches && (leaves || i.target <= i.offset))
            return false;
        if (i.opcode == IL_starg || i.opcode == IL_starg_s)
            line.known &= i.integer != 0;
        else if (leaves || !(branches || quiet[i.opcode] || is_of_field(i.opcode) || i.opcode == IL_volatile ||
                             i.opcode == IL_endfinally))
            return false;
        if (!step(&line, i.opcode))
            return false;
    }
    return cursor.fault.what == NULL;
}

/* ---- Constructors ------------------------------------------------------------------------------------------------ */

static bool is_constructor_name(const md_view *v, md_column column, uint32_t row) {
    return md_name_is(v, column, row, ".ctor");
}

/* Do two rows of TypeRef name one type? Compilers write one row for each, other tools may not. */
static bool same_type_ref(const md_view *v, uint32_t a, uint32_t b) {
    return a == b || (md_cell(v, MD_TypeRef_ResolutionScope, a) == md_cell(v, MD_TypeRef_ResolutionScope, b) &&
                      md_name_is(v, MD_TypeRef_TypeName, a, md_name(v, MD_TypeRef_TypeName, b)) &&
                      md_name_is(v, MD_TypeRef_TypeNamespace, a, md_name(v, MD_TypeRef_TypeNamespace, b)));
}

/* The type that a generic instance is one of; else 0. */
static md_token generic_type(const md_view *v, uint32_t type_spec) {
    bytes signature;
    if (!md_row_exists(v, MD_TABLE_TypeSpec, type_spec) ||
        !md_try_blob(v, md_cell(v, MD_TypeSpec_Signature, type_spec), &signature))
        return 0;
    reader r = reader_of(signature);
    if (reader_u8(&r) != MD_ELEMENT_GENERICINST)
        return 0;
    reader_u8(&r);
    md_token type = md_read_type_token(&r);
    return r.failed ? 0 : type;
}

static md_token plain_type(const md_view *v, md_token type) {
    return md_token_table(type) == MD_TABLE_TypeSpec ? generic_type(v, md_token_row(type)) : type;
}

static bool same_type(const md_view *v, md_token a, md_token b) {
    a = plain_type(v, a);
    b = plain_type(v, b);
    if (md_token_table(a) == MD_TABLE_TypeRef && md_token_table(b) == MD_TABLE_TypeRef)
        return md_row_exists(v, MD_TABLE_TypeRef, md_token_row(a)) &&
               md_row_exists(v, MD_TABLE_TypeRef, md_token_row(b)) &&
               same_type_ref(v, md_token_row(a), md_token_row(b));
    return a == b && a != 0;
}

/* Is it a call of a constructor of `type` or of what it extends? Sets *arguments to their number, without `this`. */
static bool calls_constructor(const md_view *v, const md_index *index, uint32_t type, md_token callee,
                              uint32_t *arguments) {
    uint32_t row = md_token_row(callee);
    md_token parent;
    uint32_t signature_cell;
    if (md_token_table(callee) == MD_TABLE_MethodDef && md_row_exists(v, MD_TABLE_MethodDef, row) &&
        is_constructor_name(v, MD_MethodDef_Name, row)) {
        parent = md_token_of(MD_TABLE_TypeDef, md_method_type(index, row));
        signature_cell = md_cell(v, MD_MethodDef_Signature, row);
    } else if (md_token_table(callee) == MD_TABLE_MemberRef && md_row_exists(v, MD_TABLE_MemberRef, row) &&
               is_constructor_name(v, MD_MemberRef_Name, row)) {
        parent = md_cell_token(v, MD_MemberRef_Class, row);
        signature_cell = md_cell(v, MD_MemberRef_Signature, row);
    } else {
        return false;
    }
    bytes signature;
    reader r;
    md_method_sig head;
    if (!same_type(v, parent, md_token_of(MD_TABLE_TypeDef, type)) &&
        !same_type(v, parent, md_cell_token(v, MD_TypeDef_Extends, type)))
        return false;
    if (!md_try_blob(v, signature_cell, &signature))
        return false;
    r = reader_of(signature);
    if (!md_try_method_sig(&r, &head))
        return false;
    *arguments = head.parameter_count;
    return true;
}

/* Does it only push one item, whatever there is? */
static bool only_loads(il_opcode opcode) {
    return (opcode >= IL_ldarg_1 && opcode <= IL_ldloc_3) || opcode == IL_ldarg_s || opcode == IL_ldloc_s ||
           (opcode >= IL_ldnull && opcode <= IL_ldc_r8) || opcode == IL_ldstr;
}

uint32_t guard_constructor_head(const md_view *view, const md_index *index, uint32_t method_row, const il_body *body) {
    enum { CALL_BYTES = 5 };
    const bytes code = body->code;
    const uint32_t type = md_method_type(index, method_row);
    if (!type || code.data[0] != IL_OP_ldarg_0)
        return 0;
    uint32_t at = 1, loaded = 0, arguments;
    for (il_opcode opcode; at < code.size && only_loads(opcode = opcode_at(code, at)); loaded++)
        at += (uint32_t)il_opcodes[opcode].size + il_opcodes[opcode].operand_size;
    bool starts = at + CALL_BYTES < code.size && code.data[at] == IL_OP_call &&
                  calls_constructor(view, index, type, load_u32(code.data + at + 1), &arguments) && arguments == loaded;
    return starts ? at + CALL_BYTES : 0;
}

uint32_t guard_constructor_start(const md_view *view, const md_index *index, uint32_t method_row, const il_stack *stack,
                                 const il_body *body) {
    uint32_t type = md_method_type(index, method_row);
    if (type == 0)
        return 0;
    uint32_t statement_first = UINT32_MAX; /* the opcode of the last instruction with nothing on the stack before it */
    il_cursor cursor = il_cursor_of(body->code);
    for (il_instruction i; il_next(&cursor, &i);) {
        uint32_t depth = il_stack_depth_at(stack, i.offset), arguments;
        if (depth == 0)
            statement_first = i.opcode == IL_ldarg_0 ? i.offset : UINT32_MAX;
        if (i.opcode == IL_call && depth != IL_UNREACHED && statement_first != UINT32_MAX &&
            calls_constructor(view, index, type, i.token, &arguments) && depth == arguments + 1)
            return i.offset + i.size < body->code.size ? i.offset + i.size : 0;
    }
    return 0;
}
