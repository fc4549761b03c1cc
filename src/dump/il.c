#include "dump/dump.h"
#include "il/decode.h"
#include "metadata/names.h"
#include "select/eligible.h"

/* Where a body is: what its tokens are seen from. */
typedef struct place {
    uint32_t type_row, method_row;
} place;

static void type_token(dumper *d, place p, md_token token) {
    d->scratch.size = 0;
    md_append_type_token(&d->scratch, d->view, &d->image->index, token, p.type_row, p.method_row, MD_NAME_FULL);
    dumper_scratch(d);
}

static void user_string(dumper *d, md_token token) {
    bytes text;
    if (md_token_table(token) == MD_TOKEN_STRING && md_try_user_string(d->view, md_token_row(token), &text))
        text_quoted_utf16(d->b, (bytes){text.data, text.size & ~(size_t)1});
    else
        dumper_bad(d, "user string", token);
}

/* A call site's signature, or whatever else a StandAloneSig holds. */
static void stand_alone_signature(dumper *d, place p, md_token token) {
    bytes signature;
    if (md_token_table(token) != MD_TABLE_StandAloneSig ||
        !md_row_exists(d->view, MD_TABLE_StandAloneSig, md_token_row(token)) ||
        !md_try_blob(d->view, md_cell(d->view, MD_StandAloneSig_Signature, md_token_row(token)), &signature)) {
        dumper_bad(d, "signature", token);
        return;
    }
    reader r = reader_of(signature);
    md_method_sig sig;
    if (!md_try_method_sig(&r, &sig)) {
        dumper_hex(d, signature, 64);
        return;
    }
    d->scratch.size = 0;
    md_append_type(&d->scratch, d->view, &d->image->index, &r, p.type_row, p.method_row, MD_NAME_ENCLOSING);
    buffer_string(&d->scratch, " (");
    md_append_signature_parameters(&d->scratch, d->view, &d->image->index, signature);
    buffer_string(&d->scratch, ")");
    dumper_scratch(d);
}

/* The token and what it names. */
static void named_token(dumper *d, place p, md_token token) {
    unsigned table = md_token_table(token);
    buffer_printf(d->b, " 0x%08x ", token);
    if (table >= MD_TABLE_SPACE || !md_row_exists(d->view, (md_table_id)table, md_token_row(token))) {
        dumper_bad(d, "row", token);
    } else if (table == MD_TABLE_TypeDef || table == MD_TABLE_TypeRef || table == MD_TABLE_TypeSpec) {
        type_token(d, p, token);
    } else if (table == MD_TABLE_StandAloneSig) {
        stand_alone_signature(d, p, token);
    } else {
        d->scratch.size = 0;
        md_append_member(&d->scratch, d->view, &d->image->index, token, p.type_row, p.method_row);
        dumper_scratch(d);
    }
}

static void operand(dumper *d, place p, const il_instruction *i) {
    switch (i->operand) {
    case IL_InlineNone:
        break;
    case IL_ShortInlineVar:
    case IL_InlineVar:
    case IL_ShortInlineI:
    case IL_InlineI:
    case IL_InlineI8:
        buffer_printf(d->b, " %lld", (long long)i->integer);
        break;
    case IL_ShortInlineR: {
        float value;
        uint32_t bits = (uint32_t)i->real_bits;
        memcpy(&value, &bits, sizeof value);
        buffer_printf(d->b, " %.9g (0x%08x)", (double)value, bits);
        break;
    }
    case IL_InlineR: {
        double value;
        memcpy(&value, &i->real_bits, sizeof value);
        buffer_printf(d->b, " %.17g (0x%016llx)", value, (unsigned long long)i->real_bits);
        break;
    }
    case IL_InlineString:
        buffer_u8(d->b, ' ');
        user_string(d, i->token);
        break;
    case IL_InlineMethod:
    case IL_InlineField:
    case IL_InlineType:
    case IL_InlineTok:
    case IL_InlineSig:
        named_token(d, p, i->token);
        break;
    case IL_ShortInlineBrTarget:
    case IL_InlineBrTarget:
        buffer_printf(d->b, " IL_%04x", i->target);
        break;
    case IL_InlineSwitch:
        buffer_string(d->b, " (");
        for (uint32_t arm = 0; arm < i->arm_count; arm++)
            buffer_printf(d->b, arm ? ", IL_%04x" : "IL_%04x", il_switch_target(i, arm));
        buffer_u8(d->b, ')');
        break;
    }
}

static void locals(dumper *d, place p, const il_body *body) {
    md_token token = body->local_var_sig_token;
    bytes signature;
    if (token == 0)
        return;
    buffer_printf(d->b, "  locals 0x%08x%s", token, body->init_locals ? " init" : "");
    if (md_token_table(token) != MD_TABLE_StandAloneSig ||
        !md_row_exists(d->view, MD_TABLE_StandAloneSig, md_token_row(token)) ||
        !md_try_blob(d->view, md_cell(d->view, MD_StandAloneSig_Signature, md_token_row(token)), &signature)) {
        buffer_u8(d->b, ' ');
        dumper_bad(d, "signature", token);
        buffer_u8(d->b, '\n');
        return;
    }
    buffer_u8(d->b, '\n');
    reader r = reader_of(signature);
    bool is_locals = reader_u8(&r) == MD_SIG_LOCALS;
    uint32_t count = reader_compressed(&r);
    for (uint32_t i = 0; is_locals && i < count && !r.failed && text_out_flush(&d->out); i++) {
        buffer_printf(d->b, "    %u ", i);
        d->scratch.size = 0;
        md_append_type(&d->scratch, d->view, &d->image->index, &r, p.type_row, p.method_row, MD_NAME_ENCLOSING);
        dumper_scratch(d);
        buffer_u8(d->b, '\n');
    }
    if (!is_locals || r.failed) {
        buffer_string(d->b, "    ");
        dumper_bad(d, "signature", token);
        buffer_u8(d->b, '\n');
    }
}

static void clause(dumper *d, place p, const il_clause *c) {
    buffer_printf(d->b, "  try IL_%04x to IL_%04x ", c->try_offset, c->try_offset + c->try_length);
    switch (c->flags) {
    case IL_CLAUSE_EXCEPTION:
        buffer_string(d->b, "catch");
        named_token(d, p, c->class_token_or_filter_offset);
        break;
    case IL_CLAUSE_FILTER:
        buffer_printf(d->b, "filter IL_%04x", c->class_token_or_filter_offset);
        break;
    case IL_CLAUSE_FINALLY:
        buffer_string(d->b, "finally");
        break;
    case IL_CLAUSE_FAULT:
        buffer_string(d->b, "fault");
        break;
    default:
        dumper_bad(d, "clause flags", c->flags);
        break;
    }
    buffer_printf(d->b, " handler IL_%04x to IL_%04x\n", c->handler_offset, c->handler_offset + c->handler_length);
}

static void fault_line(dumper *d, const il_fault *fault) {
    buffer_string(d->b, "  <bad body: ");
    buffer_string(d->b, fault->what);
    buffer_printf(d->b, ", at 0x%x>\n", fault->offset);
    dumper_count_bad(d, "body, at", fault->offset);
}

static void body_of(dumper *d, place p) {
    il_body body;
    il_fault fault;
    if (!select_try_body(d->image, p.method_row, &body, &fault)) {
        fault_line(d, &fault);
        return;
    }
    buffer_printf(d->b, "  %s maxstack %u code size %zu\n", body.tiny ? "tiny" : "fat", body.max_stack, body.code.size);
    locals(d, p, &body);
    il_cursor cursor = il_cursor_of(body.code);
    il_instruction instruction;
    while (text_out_flush(&d->out) && il_next(&cursor, &instruction)) {
        buffer_printf(d->b, "  IL_%04x: %s", instruction.offset, il_opcodes[instruction.opcode].name);
        operand(d, p, &instruction);
        buffer_u8(d->b, '\n');
    }
    if (cursor.fault.what)
        fault_line(d, &cursor.fault);
    for (uint32_t i = 0; i < body.clause_count && text_out_flush(&d->out); i++) {
        il_clause c;
        il_body_clause(&body, i, &c);
        clause(d, p, &c);
    }
    for (uint32_t i = 0; i < body.section_count; i++)
        buffer_printf(d->b, "  section %s, %u clauses\n", body.sections[i].fat ? "fat" : "small",
                      body.sections[i].clause_count);
}

void dump_il(dumper *d) {
    const md_index *index = &d->image->index;
    for (uint32_t row = 1; row <= index->method_count && text_out_flush(&d->out); row++) {
        place p = {md_method_type(index, row), row};
        buffer_printf(d->b, "method 0x%08x ", md_token_of(MD_TABLE_MethodDef, row));
        d->scratch.size = 0;
        md_append_full_method_name(&d->scratch, d->view, index, row);
        dumper_scratch(d);
        ilj_reason reason = select_method(d->image, row);
        uint32_t rva = md_cell(d->view, MD_MethodDef_RVA, row);
        if (reason == ILJ_INSTRUMENT || (reason == ILJ_HELPER && rva != 0)) {
            buffer_printf(d->b, " rva 0x%x\n", rva);
            body_of(d, p);
        } else {
            buffer_printf(d->b, " %s\n", ilj_reason_text(reason));
        }
    }
}
