#include "il/decode.h"

static bool no(il_cursor *cursor, const char *what) {
    cursor->fault = (il_fault){what, cursor->at};
    return false;
}

/* Whether `displacement` from `end` stays within the code. */
static bool leads_inside(const il_cursor *cursor, uint32_t end, int32_t displacement) {
    int64_t target = (int64_t)end + displacement;
    return target >= 0 && target < (int64_t)cursor->code.size;
}

bool il_next(il_cursor *cursor, il_instruction *instruction) {
    if (cursor->fault.what || cursor->at >= cursor->code.size)
        return false;
    const uint8_t *p = cursor->code.data + cursor->at;
    size_t left = cursor->code.size - cursor->at;

    size_t index = p[0];
    if (index == IL_WIDE && left >= 2)
        index = 256u + p[1];
    il_opcode opcode = il_opcode_of_encoding[index];
    if (opcode == IL_none)
        return no(cursor, index == IL_WIDE ? "an instruction runs past the end" : "an opcode is undefined");
    const il_opcode_facts *facts = &il_opcodes[opcode];
    size_t size = (size_t)facts->size + facts->operand_size;
    if (size > left)
        return no(cursor, "an instruction runs past the end");

    const uint8_t *operand = p + facts->size;
    uint32_t end = cursor->at + (uint32_t)size;
    il_instruction *i = instruction;
    i->offset = cursor->at;
    i->size = (uint32_t)size;
    i->opcode = opcode;
    i->operand = (il_operand_kind)facts->operand;
    i->integer = 0;
    i->arms = NULL;
    switch (i->operand) {
    case IL_InlineNone:
        break;
    case IL_ShortInlineVar:
        i->integer = operand[0];
        break;
    case IL_InlineVar:
        i->integer = load_u16(operand);
        break;
    case IL_ShortInlineI:
        i->integer = (int8_t)operand[0];
        break;
    case IL_InlineI:
        i->integer = (int32_t)load_u32(operand);
        break;
    case IL_InlineI8:
        i->integer = (int64_t)load_u64(operand);
        break;
    case IL_ShortInlineR:
        i->real_bits = load_u32(operand);
        break;
    case IL_InlineR:
        i->real_bits = load_u64(operand);
        break;
    case IL_InlineMethod:
    case IL_InlineField:
    case IL_InlineType:
    case IL_InlineTok:
    case IL_InlineString:
    case IL_InlineSig:
        i->token = load_u32(operand);
        break;
    case IL_ShortInlineBrTarget:
    case IL_InlineBrTarget: {
        int32_t displacement = i->operand == IL_InlineBrTarget ? (int32_t)load_u32(operand) : (int8_t)operand[0];
        if (!leads_inside(cursor, end, displacement))
            return no(cursor, "a branch leads outside the code");
        i->target = end + (uint32_t)displacement;
        break;
    }
    case IL_InlineSwitch: {
        i->arm_count = load_u32(operand);
        i->arms = operand + 4;
        if (i->arm_count > (left - size) / 4)
            return no(cursor, "a switch runs past the end");
        i->size += i->arm_count * 4;
        end = cursor->at + i->size;
        for (uint32_t arm = 0; arm < i->arm_count; arm++)
            if (!leads_inside(cursor, end, (int32_t)load_u32(i->arms + (size_t)arm * 4)))
                return no(cursor, "a switch arm leads outside the code");
        break;
    }
    }
    cursor->at = end;
    return true;
}
