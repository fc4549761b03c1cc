/* The scan that understands a body, and the list of insertions. */
#include "il/edit.h"

#include <stdlib.h>

#include "il/edit_parts.h"

/* The size of an instruction that the scan only steps over; 0 for those it has to look at, and for what is undefined.
 */
#define OPERAND_SIZE(kind) operand_size_##kind
enum {
#define X(kind, size) operand_size_##kind = size,
    IL_OPERANDS(X)
#undef X
};
static const uint8_t plain_size[512] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [((encoding) > 0xFF ? 256 : 0) + ((encoding)&0xFF)] =                                                              \
        ((int)IL_FLOW_##flow == IL_FLOW_next || (int)IL_FLOW_##flow == IL_FLOW_call ||                                 \
         (int)IL_FLOW_##flow == IL_FLOW_break) &&                                                                      \
                (int)IL_##identifier != IL_jmp && (int)IL_##identifier != IL_localloc                                  \
            ? ((encoding) > 0xFF ? 2 : 1) + OPERAND_SIZE(operand)                                                      \
            : 0,
#include "il/opcodes.def"
#undef OPCODE
};

void il_edit_init(il_edit *edit) {
    *edit = (il_edit){0};
}

void il_edit_clear(il_edit *edit) {
    free(edit->starts);
    free(edit->branches);
    free(edit->arms);
    free(edit->inner);
    free((void *)edit->exits);
    free(edit->insertions);
    free(edit->points);
    free(edit->queue);
    il_edit_init(edit);
}

/* The scan's place in the prefixes and tail calls that came before. */
typedef struct scan {
    il_edit *edit;
    il_fault *fault;
    uint32_t at;
    uint32_t unit;      /* the first prefix of the instruction at `at`; without one, `at` */
    uint32_t tail_unit; /* of the last tail call */
    uint32_t tail_end;  /* the offset behind it */
    uint32_t dead_end;  /* the offset behind the last instruction that does not go on */
    bool tail;          /* one of the prefixes is tail. */
} scan;

static ecma_status no(scan *s, const char *what, uint32_t offset) {
    *s->fault = (il_fault){what, offset};
    return ECMA_BAD_FILE;
}

static ecma_status add_exit(il_edit *edit, uint32_t offset, il_exit_kind kind) {
    il_exit *exits = (il_exit *)edit->exits;
    bool grown = il_grow(&exits, &edit->exits_capacity, edit->exit_count + 1, sizeof *exits);
    edit->exits = exits;
    if (!grown)
        return ECMA_NO_MEMORY;
    exits[edit->exit_count++] = (il_exit){offset, kind};
    return ECMA_OK;
}

/* A branch or switch at s->at, whose operand starts at `operand`; sets *size to that of the instruction. */
static ecma_status scan_branch(scan *s, il_opcode opcode, const uint8_t *operand, size_t left, uint32_t *size) {
    il_edit *edit = s->edit;
    const il_opcode_facts *facts = &il_opcodes[opcode];
    int64_t code_size = (int64_t)edit->body.code.size;
    if (!il_grow(&edit->branches, &edit->branches_capacity, edit->branch_count + 1, sizeof *edit->branches))
        return ECMA_NO_MEMORY;
    il_branch *b = &edit->branches[edit->branch_count++];
    *b = (il_branch){.offset = s->at, .opcode = (uint8_t)opcode};
    if (opcode != IL_switch) {
        b->is_short = facts->operand == IL_ShortInlineBrTarget;
        int64_t target = (int64_t)s->at + *size + (b->is_short ? (int8_t)operand[0] : (int32_t)load_u32(operand));
        if (target < 0 || target >= code_size)
            return no(s, "a branch leads outside the code", s->at);
        b->target = (uint32_t)target;
        return ECMA_OK;
    }
    b->arm_count = load_u32(operand);
    b->target = edit->arm_count;
    if (b->arm_count > (left - *size) / 4)
        return no(s, "a switch runs past the end", s->at);
    *size += b->arm_count * 4;
    if (!il_grow(&edit->arms, &edit->arms_capacity, edit->arm_count + b->arm_count, sizeof *edit->arms))
        return ECMA_NO_MEMORY;
    for (uint32_t i = 0; i < b->arm_count; i++) {
        int64_t target = (int64_t)s->at + *size + (int32_t)load_u32(operand + 4 + (size_t)i * 4);
        if (target < 0 || target >= code_size)
            return no(s, "a switch arm leads outside the code", s->at);
        edit->arms[edit->arm_count++] = (uint32_t)target;
    }
    return ECMA_OK;
}

/* An instruction that is not merely stepped over. Moves s->at behind it. */
static ecma_status scan_special(scan *s) {
    il_edit *edit = s->edit;
    const uint8_t *p = edit->body.code.data + s->at;
    size_t left = edit->body.code.size - s->at;
    size_t index = p[0] == 0xFE && left >= 2 ? 256u + p[1] : p[0];
    il_opcode opcode = il_opcode_of_encoding[index];
    const il_opcode_facts *facts = &il_opcodes[opcode];
    uint32_t size = (uint32_t)facts->size + facts->operand_size;
    if (opcode == IL_none && index != 0xFE)
        return no(s, "an opcode is undefined", s->at);
    if (opcode == IL_none || size > left)
        return no(s, "an instruction runs past the end", s->at);

    bool prefixed = s->unit != s->at;
    if (prefixed) {
        if (!il_grow(&edit->inner, &edit->inner_capacity, edit->inner_count + 1, sizeof *edit->inner))
            return ECMA_NO_MEMORY;
        edit->inner[edit->inner_count++] = s->at;
    }
    if (facts->flow == IL_FLOW_meta) {
        s->tail |= opcode == IL_tail;
        s->at += size;
        return ECMA_OK;
    }

    ecma_status status = ECMA_OK;
    switch ((il_flow_kind)facts->flow) {
    case IL_FLOW_branch:
    case IL_FLOW_cond_branch:
        if (prefixed)
            return no(s, "a prefix stands before a branch", s->at);
        status = scan_branch(s, opcode, p + facts->size, left, &size);
        if (facts->flow == IL_FLOW_branch)
            s->dead_end = s->at + size;
        break;
    case IL_FLOW_throw:
    case IL_FLOW_return:
        s->dead_end = s->at + size;
        if (opcode != IL_ret)
            break;
        if (prefixed)
            return no(s, "a prefix stands before a ret", s->at);
        edit->flow.ret_count++;
        if (s->at == s->tail_end) {
            edit->flow.tail_call_count++;
            status = add_exit(edit, s->tail_unit, IL_EXIT_TAIL_CALL);
            if (status == ECMA_OK)
                status = add_exit(edit, s->at, IL_EXIT_AFTER_TAIL_CALL);
        } else
            status = add_exit(edit, s->at, IL_EXIT_RET);
        break;
    default:
        if (opcode == IL_jmp) {
            edit->flow.jmp_count++;
            s->dead_end = s->at + size;
            status = add_exit(edit, s->unit, IL_EXIT_JMP);
        } else if (opcode == IL_localloc)
            edit->flow.has_localloc = true;
        else if (s->tail && facts->flow == IL_FLOW_call && opcode != IL_newobj) {
            s->tail_unit = s->unit;
            s->tail_end = s->at + size;
        }
    }
    s->at += size;
    s->unit = s->at;
    s->tail = false;
    return status;
}

/* Steps over instructions that need no look, from `at` on; returns the offset of the first that does, or one at or past
 * the end, where the last one started at *last. Most of the time of a run goes by here, so that all it needs is at
 * hand. */
static inline uint32_t step_over(const uint8_t *code, uint32_t size, uint64_t *starts, uint32_t at, uint32_t *last) {
    while (at < size) {
        uint32_t step = plain_size[code[at]];
        starts[at >> 6] |= 1ull << (at & 63);
        if (step == 0 && code[at] == 0xFE && size - at >= 2)
            step = plain_size[256 + code[at + 1]];
        if (step == 0)
            return at;
        *last = at;
        at += step;
    }
    return at;
}

static ecma_status scan_code(scan *s) {
    il_edit *edit = s->edit;
    const uint8_t *code = edit->body.code.data;
    uint32_t size = (uint32_t)edit->body.code.size, last = 0;
    for (;;) {
        s->unit = s->at = step_over(code, size, edit->starts, s->at, &last);
        if (s->at >= size)
            break;
        /* One that has prefixes is looked at whatever it is. */
        do {
            edit->starts[s->at >> 6] |= 1ull << (s->at & 63);
            ecma_status status = scan_special(s);
            if (status != ECMA_OK)
                return status;
        } while (s->unit != s->at && s->at < size);
        if (s->unit != s->at)
            return no(s, "a prefix stands before nothing", s->unit);
    }
    if (s->at > size)
        return no(s, "an instruction runs past the end", last);
    edit->flow.runs_off_end = s->dead_end != size;
    edit->flow.branch_count = edit->branch_count;
    return ECMA_OK;
}

/* Whether the sorted list of prefixed instructions has `offset`. */
static bool is_inner(const il_edit *edit, uint32_t offset) {
    uint32_t low = 0, high = edit->inner_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edit->inner[middle] < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low < edit->inner_count && edit->inner[low] == offset;
}

/* Every way out of a tail call's unit has to come through its start. A branch behind another prefix only leaves that
 * prefix out, so it is let be. */
static bool parts_tail_call(const il_edit *edit, uint32_t target) {
    if (edit->flow.tail_call_count == 0 || !is_inner(edit, target))
        return false;
    uint32_t low = 0, high = edit->exit_count; /* the last exit at or before the target */
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edit->exits[middle].offset <= target)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == 0 || edit->exits[low - 1].kind != IL_EXIT_TAIL_CALL)
        return false;
    return true; /* the ret that follows the call is the next exit, so an inner target is in this unit */
}

static ecma_status check_target(scan *s, uint32_t branch, uint32_t target) {
    if (!il_is_start(s->edit, target))
        return no(s, "a branch leads into an instruction", branch);
    if (parts_tail_call(s->edit, target))
        return no(s, "a branch parts a tail call from its prefix", branch);
    return ECMA_OK;
}

static ecma_status check_branches(scan *s) {
    const il_edit *edit = s->edit;
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        const il_branch *b = &edit->branches[i];
        ecma_status status = ECMA_OK;
        if (b->opcode != IL_switch)
            status = check_target(s, b->offset, b->target);
        for (uint32_t arm = 0; arm < b->arm_count && status == ECMA_OK; arm++)
            status = check_target(s, b->offset, edit->arms[b->target + arm]);
        if (status != ECMA_OK)
            return status;
    }
    return ECMA_OK;
}

/* Whether [offset, offset + length) starts and ends between instructions of the code. */
static bool is_range(const il_edit *edit, uint32_t offset, uint32_t length) {
    size_t size = edit->body.code.size;
    if (offset >= size || length > size - offset || !il_is_start(edit, offset))
        return false;
    return offset + length == size || il_is_start(edit, offset + length);
}

static ecma_status check_clauses(scan *s) {
    const il_edit *edit = s->edit;
    for (uint32_t i = 0; i < edit->body.clause_count; i++) {
        il_clause c;
        il_body_clause(&edit->body, i, &c);
        if (c.flags > IL_CLAUSE_FAULT || c.flags == 3)
            return no(s, "an exception clause is of no known kind", c.try_offset);
        if (!is_range(edit, c.try_offset, c.try_length))
            return no(s, "a protected range does not lie between instructions", c.try_offset);
        if (!is_range(edit, c.handler_offset, c.handler_length))
            return no(s, "a handler does not lie between instructions", c.handler_offset);
        if (c.flags == IL_CLAUSE_FILTER && !is_range(edit, c.class_token_or_filter_offset, 0))
            return no(s, "a filter does not start at an instruction", c.class_token_or_filter_offset);
    }
    return ECMA_OK;
}

ecma_status il_edit_begin(il_edit *edit, const il_body *body, il_fault *fault) {
    edit->body = *body;
    edit->max_stack = body->max_stack;
    edit->init_locals = body->init_locals;
    edit->local_var_sig_token = body->local_var_sig_token;
    edit->flow = (il_flow){0};
    edit->guarded = false;
    edit->exit_count = edit->branch_count = edit->arm_count = edit->inner_count = edit->insertion_count = 0;
    edit->shorten = false;

    size_t words = body->code.size / 64 + 1;
    if (!il_grow(&edit->starts, &edit->starts_capacity, words, sizeof *edit->starts))
        return ECMA_NO_MEMORY;
    memset(edit->starts, 0, words * sizeof *edit->starts);

    scan s = {.edit = edit, .fault = fault, .tail_end = UINT32_MAX, .dead_end = UINT32_MAX};
    ecma_status status = scan_code(&s);
    if (status == ECMA_OK)
        status = check_branches(&s);
    if (status == ECMA_OK)
        status = check_clauses(&s);
    return status;
}

ecma_status il_insert(il_edit *edit, uint32_t offset, il_place place, bytes code) {
    if (offset >= edit->body.code.size || !il_is_start(edit, offset) || is_inner(edit, offset))
        return ECMA_BUG;
    if (place == IL_APART && il_opcode_of_encoding[edit->body.code.data[offset]] != IL_ret)
        return ECMA_BUG;
    if (edit->insertion_count > 0) {
        const il_insertion *last = &edit->insertions[edit->insertion_count - 1];
        if (offset < last->offset)
            return ECMA_BUG;
        if (offset == last->offset && (place != last->place) && (place == IL_HEAD || last->place != IL_HEAD))
            return ECMA_BUG;
    }
    if (!il_grow(&edit->insertions, &edit->insertions_capacity, edit->insertion_count + 1, sizeof *edit->insertions))
        return ECMA_NO_MEMORY;
    edit->insertions[edit->insertion_count++] = (il_insertion){.offset = offset, .place = place, .code = code};
    return ECMA_OK;
}
