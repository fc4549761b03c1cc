/* The scan that understands a body: where its instructions start, its branches, the ways out of it. */
#include "il/edit.h"

#include "il/edit_parts.h"

/* The scan steps over most instructions; it has to look at the others. */
typedef enum scan_kind {
    SCAN_STEP,
    SCAN_BRANCH,
    SCAN_JUMP, /* a branch that is always taken */
    SCAN_SWITCH,
    SCAN_RET,
    SCAN_DEAD_END, /* another that does not go on */
    SCAN_JMP,
    SCAN_LOCALLOC,
    SCAN_LOCAL, /* names a local in its operand */
    SCAN_PREFIX,
    SCAN_WIDE, /* the second byte decides */
} scan_kind;

/* The facts of an encoding, by the index of il_opcode_of_encoding, in one number: in the low half the size, above
 * it the items pushed (by a call at most 1), so that one addition counts both; of what has to be looked at the kind,
 * too, and the sign; bits for the locals that it names and loads and for a call (in a sum they mean nothing).
 * 0: undefined. */
#define LOOK(kind)    (1ull << 63 | (uint64_t)(kind) << 48)
#define KIND(step)    ((scan_kind)((step) >> 48 & 0xFF))
#define SIZE(step)    ((uint32_t)(step))
#define COUNTED(step) ((step) & ~(0xFFFFull << 48))
#define PUSHED(sum)   ((uint32_t)((sum) >> 32 & 0xFFFFFF))
/* From LOCALS_AT on: a bit for each local from 0 to 3, and two more. */
enum { LOCALS_AT = 56, FIRST_LOCALS = 0xF, LOADS_LOCAL = 1 << 4, CALLS = 1 << 5 };

enum {
#define X(kind, size) operand_size_##kind = size,
    IL_OPERANDS(X)
#undef X
#define X(behaviour, items) items_##behaviour = items,
        IL_PUSHES(X)
#undef X
};

#define IS(identifier, other)   ((int)IL_##identifier == (int)IL_##other)
#define LOADS(identifier, form) (IS(identifier, ldloc##form) || IS(identifier, ldloca##form))
#define NAMES(identifier, form) (LOADS(identifier, form) || IS(identifier, stloc##form))

/* Chosen by an opcode's identifier or, if that does not decide, by its flow. */
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    kind_of_##identifier = (int)IL_##identifier == IL_switch            ? SCAN_SWITCH                                  \
                           : (int)IL_##identifier == IL_ret             ? SCAN_RET                                     \
                           : (int)IL_##identifier == IL_jmp             ? SCAN_JMP                                     \
                           : (int)IL_##identifier == IL_localloc        ? SCAN_LOCALLOC                                \
                           : NAMES(identifier, _s)                      ? SCAN_LOCAL                                   \
                           : NAMES(identifier, )                        ? SCAN_LOCAL                                   \
                           : (int)IL_FLOW_##flow == IL_FLOW_branch      ? SCAN_JUMP                                    \
                           : (int)IL_FLOW_##flow == IL_FLOW_cond_branch ? SCAN_BRANCH                                  \
                           : (int)IL_FLOW_##flow == IL_FLOW_return      ? SCAN_DEAD_END                                \
                           : (int)IL_FLOW_##flow == IL_FLOW_throw       ? SCAN_DEAD_END                                \
                           : (int)IL_FLOW_##flow == IL_FLOW_meta        ? SCAN_PREFIX                                  \
                                                                        : SCAN_STEP,
enum {
#include "il/opcodes.def"
};
#undef OPCODE

#define LOCAL(identifier, n) (IS(identifier, ldloc_##n) || IS(identifier, stloc_##n) ? 1 << n : 0)
#define LOADS_FIRST(identifier)                                                                                        \
    (IS(identifier, ldloc_0) || IS(identifier, ldloc_1) || IS(identifier, ldloc_2) || IS(identifier, ldloc_3))
#define LOCALS(identifier)                                                                                             \
    (LOCAL(identifier, 0) | LOCAL(identifier, 1) | LOCAL(identifier, 2) | LOCAL(identifier, 3) |                       \
     (LOADS(identifier, _s) || LOADS(identifier, ) || LOADS_FIRST(identifier) ? LOADS_LOCAL : 0))
#define CALL(flow) ((int)IL_FLOW_##flow == IL_FLOW_call ? CALLS : 0)

static const uint64_t steps[512] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [IL_INDEX_OF(encoding)] = (uint64_t)(((encoding) > 0xFF ? 2 : 1) + operand_size_##operand) |                       \
                              (uint64_t)(items_##push == IL_VARIABLE ? 1 : items_##push) << 32 |                       \
                              (uint64_t)(LOCALS(identifier) | CALL(flow)) << LOCALS_AT |                               \
                              ((int)kind_of_##identifier == SCAN_STEP ? 0 : LOOK(kind_of_##identifier)),
#include "il/opcodes.def"
#undef OPCODE
    [IL_WIDE] = LOOK(SCAN_WIDE),
};

typedef struct scan {
    il_edit *edit;
    il_fault *fault;
    const uint8_t *code;
    uint32_t size;
    uint32_t tail_unit; /* the first prefix of the last tail call */
    uint32_t tail_end;  /* the offset after it */
    uint32_t dead_end;  /* the offset after the last instruction that does not go on */
    uint64_t seen;      /* the bits of all steps but some that are looked at */
    uint32_t locals;    /* the highest local that an operand names, and 1 */
} scan;

static ecma_status no(scan *s, const char *what, uint32_t offset) {
    *s->fault = (il_fault){what, offset};
    return ECMA_BAD_FILE;
}

static inline void mark_start(il_edit *edit, uint32_t offset) {
    edit->starts[offset >> 6] |= 1ull << (offset & 63);
}

static inline ecma_status add_exit(il_edit *edit, uint32_t offset, il_exit_kind kind) {
    if (!il_grow(&edit->exits, &edit->exits_capacity, (size_t)edit->exit_count + 1, sizeof *edit->exits))
        return ECMA_NO_MEMORY;
    edit->exits[edit->exit_count++] = (il_exit){offset, kind};
    return ECMA_OK;
}

static inline il_branch *add_branch(il_edit *edit) {
    if (!il_grow(&edit->branches, &edit->branches_capacity, (size_t)edit->branch_count + 2, sizeof *edit->branches))
        return NULL;
    return &edit->branches[edit->branch_count++];
}

/* A branch at `at`, of `size` bytes. */
static inline ecma_status scan_branch(scan *s, uint32_t at, uint32_t size) {
    il_branch *b = add_branch(s->edit);
    if (!b)
        return ECMA_NO_MEMORY;
    const uint8_t *p = s->code + at;
    uint8_t opcode = il_opcode_of_encoding[*p];
    int32_t distance = (int8_t)p[1];
    if (size == IL_LONG_SIZE) {
        opcode = il_short_forms[opcode];
        distance = (int32_t)load_u32(p + 1);
    }
    int64_t target = (int64_t)at + size + distance;
    *b = (il_branch){.offset = at, .target = (uint32_t)target, .opcode = opcode, .size = (uint8_t)size};
    s->edit->flow.loops |= target <= at;
    if (target < 0 || target >= s->size)
        return no(s, "a branch leads outside the code", at);
    return ECMA_OK;
}

/* The same of a switch, where `end` is after the count; sets it to the end of the arms. */
static ecma_status scan_switch(scan *s, uint32_t at, uint32_t *end) {
    il_edit *edit = s->edit;
    il_branch *b = add_branch(edit);
    if (!b)
        return ECMA_NO_MEMORY;
    const uint8_t *arms = s->code + *end;
    uint32_t count = load_u32(arms - 4);
    if (count > (s->size - *end) / 4)
        return no(s, "a switch runs past the end", at);
    *b = (il_branch){.offset = at, .target = edit->arm_count, .arm_count = count, .opcode = IL_switch};
    if (!il_grow(&edit->arms, &edit->arms_capacity, (size_t)edit->arm_count + count, sizeof *edit->arms))
        return ECMA_NO_MEMORY;
    *end += count * 4;
    for (uint32_t i = 0; i < count; i++) {
        int64_t target = (int64_t)*end + (int32_t)load_u32(arms + (size_t)i * 4);
        if (target < 0 || target >= s->size)
            return no(s, "a switch arm leads outside the code", at);
        edit->flow.loops |= target <= at;
        edit->arms[edit->arm_count++] = (uint32_t)target;
    }
    return ECMA_OK;
}

static ecma_status scan_ret(scan *s, uint32_t at) {
    il_edit *edit = s->edit;
    edit->flow.ret_count++;
    if (at != s->tail_end)
        return add_exit(edit, at, IL_EXIT_RET);
    edit->flow.tail_call_count++;
    ecma_status status = add_exit(edit, s->tail_unit, IL_EXIT_TAIL_CALL);
    return status ? status : add_exit(edit, at, IL_EXIT_AFTER_TAIL_CALL);
}

/* An instruction that names a local, in all bytes from `operand` to `end`. */
static inline void note_local(scan *s, uint32_t operand, uint32_t end) {
    uint32_t local = end - operand == 1 ? s->code[operand] : load_u16(s->code + operand);
    if (local >= s->locals)
        s->locals = local + 1;
}

static inline bool is_call(uint8_t encoding) {
    il_opcode opcode = il_opcode_of_encoding[encoding];
    return il_opcodes[opcode].flow == IL_FLOW_call && opcode != IL_newobj;
}

/* Handles any other instruction that has to be looked at, the prefixes before it included. Its first byte, marked as a
 * start, is at the offset in the low half of *passed, which is moved after it. */
static ecma_status scan_unit(scan *s, uint64_t *passed) {
    il_edit *edit = s->edit;
    const uint32_t unit = SIZE(*passed);
    uint32_t at = unit, end;
    bool tail = false;
    uint64_t step;
    for (;;) {
        step = steps[s->code[at]];
        if (KIND(step) == SCAN_WIDE && s->size - at >= 2)
            step = steps[256 + s->code[at + 1]];
        if (step == 0)
            return no(s, "an opcode is undefined", at);
        if (KIND(step) == SCAN_WIDE || SIZE(step) > s->size - at)
            return no(s, "an instruction runs past the end", at);
        end = at + SIZE(step);
        if (KIND(step) != SCAN_PREFIX)
            break;
        tail |= il_opcode_of_encoding[256 + s->code[at + 1]] == IL_tail;
        at = end;
        if (at == s->size)
            return no(s, "a prefix stands before nothing", unit);
        mark_start(edit, at);
        if (!il_grow(&edit->inner, &edit->inner_capacity, (size_t)edit->inner_count + 1, sizeof *edit->inner))
            return ECMA_NO_MEMORY;
        edit->inner[edit->inner_count++] = at;
    }

    ecma_status status = ECMA_OK;
    switch (KIND(step)) {
    case SCAN_BRANCH:
    case SCAN_JUMP:
        return no(s, "a prefix stands before a branch", at);
    case SCAN_RET:
        return no(s, "a prefix stands before a ret", at);
    case SCAN_SWITCH:
        if (at != unit)
            return no(s, "a prefix stands before a branch", at);
        status = scan_switch(s, at, &end);
        break;
    case SCAN_DEAD_END:
        s->dead_end = end;
        edit->flow.rethrows |= end - at == 2 && il_opcode_of_encoding[256 + s->code[at + 1]] == IL_rethrow;
        break;
    case SCAN_JMP:
        edit->flow.jmp_count++;
        s->dead_end = end;
        status = add_exit(edit, unit, IL_EXIT_JMP);
        break;
    case SCAN_LOCALLOC:
        edit->flow.has_localloc = true;
        break;
    case SCAN_LOCAL:
        s->seen |= step;
        note_local(s, end - at == 2 ? at + 1 : at + 2, end);
        break;
    default:
        s->seen |= step;
        if (tail && is_call(s->code[at])) {
            s->tail_unit = unit;
            s->tail_end = end;
        }
    }
    *passed += COUNTED(step) - SIZE(step) + (end - unit);
    return status;
}

static uint32_t last_start(const il_edit *edit, uint32_t size) {
    uint32_t offset = size - 1;
    while (!il_is_start(edit, offset))
        offset--;
    return offset;
}

/* Steps from instruction to instruction until one has to be looked at, or the code or the next 64 bytes of it end: the
 * bits of *word are the starts among those bytes. `inside`: the bits that stand for bytes of the code. A run spends
 * most of its time here, so the loop has only what it needs. Returns what is known of the last instruction. */
static inline uint64_t step_over(const uint8_t *code, uint64_t inside, uint64_t *word, uint64_t *passed,
                                 uint64_t *all) {
    uint64_t starts = *word, sum = *passed, bit = 1ull << (sum & 63), seen = *all, step;
    do {
        step = steps[code[SIZE(sum)]];
        starts |= bit;
        seen |= step;
        if ((int64_t)step <= 0)
            break;
        bit <<= step & 63;
        sum += step;
    } while (bit & inside);
    *word = starts;
    *passed = sum;
    *all = seen;
    return step;
}

static void tell_seen(scan *s) {
    il_flow *flow = &s->edit->flow;
    uint64_t seen = s->seen >> LOCALS_AT;
    uint32_t first = seen & FIRST_LOCALS ? 32 - (uint32_t)__builtin_clz((unsigned)seen & FIRST_LOCALS) : 0;
    flow->loads_local = (seen & LOADS_LOCAL) != 0;
    flow->calls = (seen & CALLS) != 0;
    flow->local_count = first > s->locals ? first : s->locals;
}

static ecma_status scan_code(scan *s) {
    il_edit *edit = s->edit;
    uint32_t size = s->size, last_word = size >> 6, at;
    uint64_t last_inside = (1ull << (size & 63)) - 1, passed = 0;
    while ((at = SIZE(passed)) < size) {
        uint64_t inside = at >> 6 == last_word ? last_inside : UINT64_MAX;
        uint64_t step = step_over(s->code, inside, &edit->starts[at >> 6], &passed, &s->seen);
        if ((int64_t)step > 0)
            continue;
        scan_kind kind = KIND(step);
        ecma_status status;
        at = il_hidden(SIZE(passed));
        if (SIZE(step) > size - at)
            return no(s, "an instruction runs past the end", at);
        if (kind == SCAN_LOCAL) {
            note_local(s, at + 1, at + 2); /* the wide ones are SCAN_WIDE here */
            passed += COUNTED(step);
            continue;
        }
        if (kind == SCAN_BRANCH || kind == SCAN_JUMP) {
            status = scan_branch(s, at, SIZE(step));
            passed += SIZE(step);
            if (kind == SCAN_JUMP)
                s->dead_end = SIZE(passed);
        } else if (kind == SCAN_RET) {
            status = scan_ret(s, at);
            passed += SIZE(step);
            s->dead_end = SIZE(passed);
        } else {
            status = scan_unit(s, &passed);
        }
        if (status != ECMA_OK)
            return status;
    }
    if (at > size)
        return no(s, "an instruction runs past the end", last_start(edit, size));
    edit->flow.pushed = PUSHED(passed);
    tell_seen(s);
    edit->flow.runs_off_end = s->dead_end != size;
    edit->flow.branch_count = edit->branch_count;
    edit->branches[edit->branch_count].offset = UINT32_MAX;
    return ECMA_OK;
}

bool il_is_inner(const il_edit *edit, uint32_t offset) {
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

/* Every way out of a tail call's unit has to come through its start. A branch after another prefix only leaves that
 * prefix out, so it is let be. */
static bool parts_tail_call(const il_edit *edit, uint32_t target) {
    if (!il_is_inner(edit, target))
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

static inline ecma_status check_target(scan *s, uint32_t branch, uint32_t target) {
    if (!il_is_start(s->edit, target))
        return no(s, "a branch leads into an instruction", branch);
    if (s->edit->flow.tail_call_count && parts_tail_call(s->edit, target))
        return no(s, "a branch parts a tail call from its prefix", branch);
    return ECMA_OK;
}

static ecma_status check_branches(scan *s) {
    const il_edit *edit = s->edit;
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        const il_branch *b = &edit->branches[i];
        ecma_status status = ECMA_OK;
        if (!il_is_switch(b))
            status = check_target(s, b->offset, b->target);
        else
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
        /* Its first instruction is no place for an insertion then. */
        if (edit->inner_count && il_is_inner(edit, c.handler_offset))
            return no(s, "a handler starts between a prefix and its instruction", c.handler_offset);
        if (c.flags == IL_CLAUSE_FILTER && !is_range(edit, c.class_token_or_filter_offset, 0))
            return no(s, "a filter does not start at an instruction", c.class_token_or_filter_offset);
    }
    return ECMA_OK;
}

ecma_status il_scan(il_edit *edit, il_fault *fault) {
    enum { FEW = 8 }; /* words of starts: nearly all bodies have no more */
    size_t words = edit->body.code.size / 64 + 1;
    if (!il_grow(&edit->starts, &edit->starts_capacity, words > FEW ? words : FEW, sizeof *edit->starts) ||
        !il_grow(&edit->branches, &edit->branches_capacity, 1, sizeof *edit->branches))
        return ECMA_NO_MEMORY;
    for (size_t i = 0; i < FEW; i++)
        edit->starts[i] = 0;
    if (words > FEW)
        memset(edit->starts + FEW, 0, (words - FEW) * sizeof *edit->starts);

    scan s = {.edit = edit,
              .fault = fault,
              .code = edit->body.code.data,
              .size = (uint32_t)edit->body.code.size,
              .tail_end = UINT32_MAX,
              .dead_end = UINT32_MAX};
    ecma_status status = scan_code(&s);
    if (status == ECMA_OK)
        status = check_branches(&s);
    if (status == ECMA_OK)
        status = check_clauses(&s);
    return status;
}

/* A reference from `from` to `target` that leads backwards closes a loop. */
static void take_loop(uint32_t from, uint32_t target, uint32_t *start, uint32_t *end) {
    if (target > from)
        return;
    *start = target < *start ? target : *start;
    *end = from > *end ? from : *end;
}

bool il_edit_loops(const il_edit *edit, uint32_t *start, uint32_t *end) {
    *start = UINT32_MAX;
    *end = 0;
    if (!edit->flow.loops)
        return false;
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        const il_branch *b = &edit->branches[i];
        if (!il_is_switch(b))
            take_loop(b->offset, b->target, start, end);
        for (uint32_t arm = 0; il_is_switch(b) && arm < b->arm_count; arm++)
            take_loop(b->offset, edit->arms[b->target + arm], start, end);
    }
    return true;
}
