#include "il/stack.h"

#include <stdlib.h>

#include "il/grow.h"

enum { CALL_SIZE = 5 };

void il_stack_clear(il_stack *stack) {
    free(stack->depths);
    free(stack->work);
    *stack = IL_STACK_INIT;
}

/* Notes that control comes to `offset` with `depth` items; *fresh says whether for the first time. */
static ecma_status reach(il_stack *stack, const il_body *body, uint32_t offset, uint32_t depth, bool *fresh) {
    *fresh = false;
    if (offset >= body->code.size || depth >= IL_UNREACHED)
        return ECMA_BAD_FILE;
    if (stack->depths[offset] != IL_UNREACHED)
        return stack->depths[offset] == depth ? ECMA_OK : ECMA_BAD_FILE;
    stack->depths[offset] = (uint16_t)depth;
    if (depth > stack->max_depth)
        stack->max_depth = depth;
    *fresh = true;
    return ECMA_OK;
}

/* The same, to be followed later. */
static ecma_status reach_later(il_stack *stack, const il_body *body, uint32_t offset, uint32_t depth) {
    bool fresh;
    ecma_status status = reach(stack, body, offset, depth, &fresh);
    if (status != ECMA_OK || !fresh)
        return status;
    if (!il_grow(&stack->work, &stack->work_capacity, stack->work_count + 1, sizeof *stack->work))
        return ECMA_NO_MEMORY;
    stack->work[stack->work_count++] = offset;
    return ECMA_OK;
}

/* The items that an instruction takes and gives. */
static bool effect_of(const il_instruction *i, bool returns_value, il_call_effect *effect, void *user, uint32_t *pops,
                      uint32_t *pushes) {
    const il_opcode_facts *facts = &il_opcodes[i->opcode];
    *pops = facts->pops;
    *pushes = facts->pushes;
    if (i->opcode == IL_ret) {
        *pops = returns_value;
        return true;
    }
    if (*pops != IL_VARIABLE)
        return true;
    if (!effect(user, i, pops, pushes) || *pops >= IL_UNREACHED || *pushes > 1)
        return false;
    if (i->opcode == IL_calli)
        *pops += 1;
    if (i->opcode == IL_newobj)
        *pushes = 1;
    return true;
}

/* Goes on from the offset *at, which is reached, to the next instruction that may do more than take and give what it
 * always does, without decoding what is before it. Most instructions are stepped over here. `fresh`: it is reached for
 * the first time. */
static inline ecma_status step_on(il_stack *stack, const il_body *body, uint32_t *at, bool *fresh) {
    const uint8_t *code = body->code.data;
    uint16_t *depths = stack->depths;
    uint32_t offset = *at, depth = depths[offset], most = stack->max_depth;
    const uint32_t size = (uint32_t)body->code.size;
    ecma_status status = ECMA_OK;
    *fresh = true;
    for (;;) {
        const uint8_t opcode = il_opcode_of_encoding[code[offset]];
        const il_opcode_facts *facts = &il_opcodes[opcode];
        if (facts->flow != IL_FLOW_next || opcode == IL_none)
            break;
        offset += (uint32_t)facts->size + facts->operand_size;
        if (facts->pops > depth || offset >= size) {
            status = ECMA_BAD_FILE;
            break;
        }
        depth = depth - facts->pops + facts->pushes;
        if (depths[offset] != IL_UNREACHED || depth >= IL_UNREACHED) {
            *fresh = false;
            status = depth < IL_UNREACHED && depths[offset] == depth ? ECMA_OK : ECMA_BAD_FILE;
            break;
        }
        depths[offset] = (uint16_t)depth;
        most = depth > most ? depth : most;
    }
    stack->max_depth = most;
    *at = offset;
    return status;
}

/* il_next; of a call only what il_call_effect looks at is decoded: opcode, token, size. */
static inline bool next(il_cursor *cursor, il_instruction *i) {
    const uint8_t *p = cursor->code.data + cursor->at;
    const il_opcode opcode = il_opcode_of_encoding[*p];
    const il_opcode_facts *facts = &il_opcodes[opcode];
    if (facts->flow != IL_FLOW_call || cursor->code.size - cursor->at < CALL_SIZE)
        return il_next(cursor, i);
    i->opcode = opcode;
    i->operand = (il_operand_kind)facts->operand;
    i->offset = cursor->at;
    i->size = CALL_SIZE;
    i->token = load_u32(p + 1);
    cursor->at += CALL_SIZE;
    return true;
}

/* Follows control from `offset`, with a known depth, until it stops or reaches an instruction it has visited. */
static ecma_status follow(il_stack *stack, const il_body *body, uint32_t offset, bool returns_value,
                          il_call_effect *effect, void *user) {
    il_cursor cursor = il_cursor_of(body->code);
    cursor.at = offset;
    for (bool fresh = true; fresh;) {
        ecma_status status = step_on(stack, body, &cursor.at, &fresh);
        if (status != ECMA_OK || !fresh)
            return status;
        uint32_t depth = stack->depths[cursor.at], pops, pushes;
        il_instruction i;
        if (!next(&cursor, &i) || !effect_of(&i, returns_value, effect, user, &pops, &pushes) || pops > depth)
            return ECMA_BAD_FILE;
        depth = depth - pops + pushes;
        if (depth > stack->max_depth)
            stack->max_depth = depth;

        if (i.opcode == IL_leave || i.opcode == IL_leave_s)
            return reach_later(stack, body, i.target, 0);
        if (i.operand == IL_ShortInlineBrTarget || i.operand == IL_InlineBrTarget)
            status = reach_later(stack, body, i.target, depth);
        for (uint32_t arm = 0; i.operand == IL_InlineSwitch && arm < i.arm_count && status == ECMA_OK; arm++)
            status = reach_later(stack, body, il_switch_target(&i, arm), depth);
        if (status != ECMA_OK)
            return status;
        switch ((il_flow_kind)il_opcodes[i.opcode].flow) {
        case IL_FLOW_branch:
        case IL_FLOW_return:
        case IL_FLOW_throw:
            return ECMA_OK;
        default:
            if (i.opcode == IL_jmp)
                return ECMA_OK;
            status = reach(stack, body, cursor.at, depth, &fresh);
            if (status != ECMA_OK)
                return status;
        }
    }
    return ECMA_OK;
}

ecma_status il_stack_analyse(il_stack *stack, const il_body *body, bool returns_value, il_call_effect *effect,
                             void *user) {
    if (!il_grow(&stack->depths, &stack->depths_capacity, body->code.size, sizeof *stack->depths))
        return ECMA_NO_MEMORY;
    memset(stack->depths, 0xFF, body->code.size * sizeof *stack->depths);
    stack->work_count = 0;
    stack->max_depth = 0;

    ecma_status status = reach_later(stack, body, 0, 0);
    for (uint32_t n = 0; n < body->clause_count && status == ECMA_OK; n++) {
        il_clause c;
        il_body_clause(body, n, &c);
        bool has_exception = c.flags == IL_CLAUSE_EXCEPTION || c.flags == IL_CLAUSE_FILTER;
        status = reach_later(stack, body, c.handler_offset, has_exception);
        if (status == ECMA_OK && c.flags == IL_CLAUSE_FILTER)
            status = reach_later(stack, body, c.class_token_or_filter_offset, 1);
    }
    while (status == ECMA_OK && stack->work_count > 0) {
        uint32_t offset = stack->work[--stack->work_count];
        status = follow(stack, body, offset, returns_value, effect, user);
    }
    return status;
}
