#include "il/stack.h"

#include <stdlib.h>

#include "il/grow.h"

void il_stack_clear(il_stack *stack) {
    free(stack->depths);
    free(stack->work);
    *stack = IL_STACK_INIT;
}

/* Notes that control comes to `offset` with `depth` items; *fresh tells whether for the first time. */
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

/* Follows control from `offset`, whose depth is known, until it stops or comes where it has been. */
static ecma_status follow(il_stack *stack, const il_body *body, uint32_t offset, bool returns_value,
                          il_call_effect *effect, void *user) {
    il_cursor cursor = il_cursor_of(body->code);
    cursor.at = offset;
    for (bool fresh = true; fresh;) {
        ecma_status status = ECMA_OK;
        uint32_t depth = stack->depths[cursor.at], pops, pushes;
        /* Most instructions only take and give what they always do, and need no decoding. */
        const il_opcode_facts *facts = &il_opcodes[il_opcode_of_encoding[body->code.data[cursor.at]]];
        if (facts->name && facts->flow == IL_FLOW_next) {
            cursor.at += (uint32_t)facts->size + facts->operand_size;
            if (facts->pops > depth)
                return ECMA_BAD_FILE;
            status = reach(stack, body, cursor.at, depth - facts->pops + facts->pushes, &fresh);
            if (status != ECMA_OK)
                return status;
            continue;
        }
        il_instruction i;
        if (!il_next(&cursor, &i) || !effect_of(&i, returns_value, effect, user, &pops, &pushes) || pops > depth)
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
