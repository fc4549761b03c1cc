#include "choice/guess.h"

#include "il/decode.h"
#include "metadata/flags.h"

/* The code as far as it was seen. */
typedef struct shape {
    uint32_t calls, branches, blocks;
    bool loops, returns;
} shape;

/* A branch to the next instruction, as compilers that do not optimise write it before a return, is none. */
static void see_branch(shape *s, const il_instruction *i, uint32_t target, bool conditional) {
    if (target <= i->offset)
        s->loops = true;
    else if (target != i->offset + i->size || conditional)
        s->branches++;
    s->blocks += 1 + (uint32_t)conditional;
}

static void see(shape *s, const il_instruction *i) {
    switch (il_opcodes[i->opcode].flow) {
    case IL_FLOW_call:
        s->calls++;
        break;
    case IL_FLOW_return:
        s->returns = true;
        break;
    case IL_FLOW_branch:
    case IL_FLOW_cond_branch:
        if (i->operand == IL_InlineSwitch) {
            s->branches += i->arm_count;
            s->blocks += i->arm_count;
            for (uint32_t arm = 0; arm < i->arm_count; arm++)
                s->loops |= il_switch_target(i, arm) <= i->offset;
        } else {
            see_branch(s, i, i->target, il_opcodes[i->opcode].flow == IL_FLOW_cond_branch);
        }
        break;
    default:
        break;
    }
}

guess guess_of(uint32_t impl_flags, const il_body *body) {
    /* MethodDef.ImplFlags (II.23.1.11), and CoreCLR's MethodImplOptions. */
    bool forced = impl_flags & MD_IMPL_AGGRESSIVE_INLINING;
    shape s = {.blocks = 1};
    if (impl_flags & (MD_IMPL_NO_INLINING | MD_IMPL_SYNCHRONIZED | MD_IMPL_NO_OPTIMIZATION |
                      MD_IMPL_AGGRESSIVE_OPTIMIZATION | MD_IMPL_ASYNC))
        return GUESS_STAYS;
    if (body->clause_count > 0 || (!forced && body->code.size > GUESS_LEAF_IL))
        return GUESS_STAYS;
    il_cursor cursor = il_cursor_of(body->code);
    il_instruction i;
    while (il_next(&cursor, &i))
        see(&s, &i);
    if (cursor.fault.what || !s.returns || s.loops) /* one that only throws is called seldom, and is not inlined */
        return GUESS_STAYS;
    if (forced)
        return GUESS_FORCED;
    if (body->code.size <= GUESS_SMALL_IL)
        return GUESS_SMALL;
    if (body->code.size <= GUESS_WRAPPER_IL && s.branches == 0 && s.calls <= 1)
        return GUESS_WRAPPER;
    return s.calls == 0 && s.blocks <= GUESS_LEAF_BLOCKS ? GUESS_LEAF : GUESS_STAYS;
}

const char *guess_text(guess g) {
    switch (g) {
    case GUESS_STAYS:
        break;
    case GUESS_FORCED:
        return "AggressiveInlining";
    case GUESS_SMALL:
        return "fewer than 20 bytes of IL, no loop";
    case GUESS_WRAPPER:
        return "one call, no branch";
    case GUESS_LEAF:
        return "no call, no loop";
    }
    return "";
}
