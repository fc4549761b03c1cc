/* One walk over the code. The depth that it reckons is never less than the true one, wherever control comes to: where
 * paths meet, either a branch said how many items it brings, and that is compared, or it brings none. So a ret at which
 * the result alone is reckoned has no more on the stack in truth; with less, a compiler refuses the body in any case.
 */
#include "il/walk.h"

#include "il/opcode.h"

enum { MOST_MARKS = 64, CALL_SIZE = 5 };

/* A place that a branch or an exception brings items to. */
typedef struct mark {
    uint32_t offset;
    int32_t depth;
} mark;

/* The work that an instruction asks for. */
typedef enum walk_kind {
    WALK_STEP, /* takes and gives what it always does */
    WALK_CALL,
    WALK_NEWOBJ,
    WALK_CALLI,
    WALK_BRANCH,
    WALK_JUMP,
    WALK_SWITCH,
    WALK_RET,
    WALK_END, /* another that does not go on */
    WALK_WIDE,
} walk_kind;

/* The facts of an encoding, by the index of il_opcode_of_encoding, in one number: in the lowest byte the size, in
 * the next one the kind, in the high half what it gives less what it takes, so that one addition counts both. Bit 31
 * says that there is more to do than to count. */
enum { KIND_AT = 8, DEPTH_AT = 32 };
#define LOOKS(step)   ((int32_t)(step) < 0)
#define KIND(step)    ((walk_kind)((step) >> KIND_AT & 0xFF))
#define LENGTH(step)  ((uint32_t)((step)&0xFF))
#define COUNTED(step) ((step) & ~0xFFFFFF00ull)
#define AT(sum)       ((uint32_t)(sum))
#define DEPTH(sum)    ((int32_t)((sum) >> DEPTH_AT))

enum {
#define X(kind, size) operand_size_##kind = size,
    IL_OPERANDS(X)
#undef X
#define X(behaviour, items) items_##behaviour = (items) == IL_VARIABLE ? 0 : (items),
        IL_POPS(X) IL_PUSHES(X)
#undef X
};

#define IS(identifier, other) ((int)IL_##identifier == (int)IL_##other)
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    walk_of_##identifier = IS(identifier, switch)                             ? WALK_SWITCH                            \
                           : IS(identifier, ret)                              ? WALK_RET                               \
                           : IS(identifier, jmp)                              ? WALK_END                               \
                           : IS(identifier, leave) || IS(identifier, leave_s) ? WALK_END                               \
                           : IS(identifier, newobj)                           ? WALK_NEWOBJ                            \
                           : IS(identifier, calli)                            ? WALK_CALLI                             \
                           : (int)IL_##pop == IL_VarPop                       ? WALK_CALL                              \
                           : (int)IL_FLOW_##flow == IL_FLOW_branch            ? WALK_JUMP                              \
                           : (int)IL_FLOW_##flow == IL_FLOW_return            ? WALK_END                               \
                           : (int)IL_FLOW_##flow == IL_FLOW_throw             ? WALK_END                               \
                           : (int)IL_FLOW_##flow == IL_FLOW_cond_branch       ? WALK_BRANCH                            \
                                                                              : WALK_STEP,
enum {
#include "il/opcodes.def"
};
#undef OPCODE

/* The effect of a call includes its result, but not the pointer that a calli pops. */
#define IS_CALL(identifier)                                                                                            \
    ((int)walk_of_##identifier == WALK_CALL || (int)walk_of_##identifier == WALK_NEWOBJ ||                             \
     (int)walk_of_##identifier == WALK_CALLI)
#define GIVES(identifier, push) (IS(identifier, calli) ? -1 : IS_CALL(identifier) ? 0 : items_##push)
#define LOOK(kind)              ((kind) == WALK_STEP ? 0 : 1ull << 31 | (uint64_t)(kind) << KIND_AT)

static const uint64_t steps[512] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [IL_INDEX_OF(encoding)] = (uint64_t)(((encoding) > 0xFF ? 2 : 1) + operand_size_##operand) |                       \
                              LOOK((int)walk_of_##identifier) |                                                        \
                              (uint64_t)(GIVES(identifier, push) - items_##pop) << DEPTH_AT,
#include "il/opcodes.def"
#undef OPCODE
    [IL_WIDE] = LOOK(WALK_WIDE),
};

/* A call's part of the sum, by il_known_effect; where that is not known, the size alone. */
#define CALL_STEP(known) (CALL_SIZE + ((known) == 0 ? 0 : (uint64_t)((((known)-1) & 1) - ((known)-1) / 2) << DEPTH_AT))
#define CALL_STEPS_4(n)  CALL_STEP(n), CALL_STEP((n) + 1), CALL_STEP((n) + 2), CALL_STEP((n) + 3)
#define CALL_STEPS_16(n) CALL_STEPS_4(n), CALL_STEPS_4((n) + 4), CALL_STEPS_4((n) + 8), CALL_STEPS_4((n) + 12)
#define CALL_STEPS_64(n) CALL_STEPS_16(n), CALL_STEPS_16((n) + 16), CALL_STEPS_16((n) + 32), CALL_STEPS_16((n) + 48)
static const uint64_t call_steps[256] = {CALL_STEPS_64(0), CALL_STEPS_64(64), CALL_STEPS_64(128), CALL_STEPS_64(192)};

typedef struct walker {
    const uint8_t *code;
    uint32_t size;
    bool settled;
    uint32_t fresh; /* the offset after the last instruction that control does not go on after */
    uint32_t stop;  /* the offset of the nearest mark or, where that is nearer, the end of the code */
    uint32_t mark_count;
    mark marks[MOST_MARKS]; /* falling offsets */
} walker;

static void add_mark(walker *w, uint32_t offset, int32_t depth) {
    uint32_t i = w->mark_count;
    if (i == MOST_MARKS) {
        w->settled = false;
        return;
    }
    for (; i > 0 && w->marks[i - 1].offset < offset; i--)
        w->marks[i] = w->marks[i - 1];
    w->marks[i] = (mark){offset, depth};
    w->mark_count++;
    w->stop = w->marks[w->mark_count - 1].offset;
}

/* The walk has come to the nearest mark, at `at`. Returns how many items stand there. */
static int32_t take_marks(walker *w, uint32_t at, int32_t depth) {
    if (w->fresh == at)
        depth = w->marks[w->mark_count - 1].depth;
    for (; w->mark_count && w->marks[w->mark_count - 1].offset <= at; w->mark_count--)
        if (w->marks[w->mark_count - 1].depth != depth)
            w->settled = false;
    w->stop = w->mark_count ? w->marks[w->mark_count - 1].offset : w->size;
    return depth;
}

/* A branch after which the code goes on at `end` takes some items to its target. */
static void branch_to(walker *w, uint32_t end, uint32_t target, int32_t depth) {
    if (target < end)
        w->settled = false;
    else
        add_mark(w, target, depth);
}

static void branch(walker *w, const uint8_t *p, uint32_t size, uint32_t end, int32_t depth) {
    int32_t near = (int8_t)p[1];
    branch_to(w, end, end + (size == 2 ? (uint32_t)near : load_u32(p + 1)), depth);
}

static void switch_to(walker *w, const uint8_t *p, uint32_t count, uint32_t end, int32_t depth) {
    for (uint32_t arm = 0; arm < count && w->settled; arm++)
        branch_to(w, end, end + load_u32(p + 5 + (size_t)arm * 4), depth);
}

static uint64_t items(int32_t count) {
    return (uint64_t)(uint32_t)count << DEPTH_AT;
}

static void add_handlers(walker *w, const il_body *body) {
    for (uint32_t i = 0; i < body->clause_count && w->settled; i++) {
        il_clause c;
        il_body_clause(body, i, &c);
        if (c.flags == IL_CLAUSE_EXCEPTION || c.flags == IL_CLAUSE_FILTER)
            add_mark(w, c.handler_offset, 1);
        if (c.flags == IL_CLAUSE_FILTER)
            add_mark(w, c.class_token_or_filter_offset, 1);
    }
}

bool il_walk_over(const il_body *body, bool returns_value, const il_effects *effects) {
    const uint8_t *const code = body->code.data;
    walker w;
    w.code = code;
    w.size = w.stop = (uint32_t)body->code.size;
    w.settled = true;
    w.fresh = UINT32_MAX;
    w.mark_count = 0;
    if (body->clause_count)
        add_handlers(&w, body);
    uint64_t sum = 0, low = 0, step;
    for (;; low |= sum) {
        while (AT(sum) >= w.stop) {
            if (AT(sum) >= w.size)
                return w.settled && (int64_t)low >= 0;
            sum = AT(sum) | items(take_marks(&w, AT(sum), DEPTH(sum)));
        }
        do {
            step = steps[code[AT(sum)]];
            if (LOOKS(step))
                break;
            sum += step;
            low |= sum;
        } while (AT(sum) < w.stop);
        if (!LOOKS(step))
            continue;
        const uint8_t *p = code + il_hidden(AT(sum));
        int32_t effect, pops;
        if (KIND(step) == WALK_CALL) {
            const uint32_t token = load_u32(p + 1), known = il_known_effect(effects, token);
            sum += call_steps[known];
            if (known)
                continue;
            effect = effects->tell(effects->user, token);
            w.settled &= effect >= 0;
            sum += items((effect & 1) - (effect >> 1));
            continue;
        }
        if (KIND(step) == WALK_WIDE)
            step = steps[256 + p[1]];
        sum += COUNTED(step);
        if (KIND(step) == WALK_BRANCH && DEPTH(sum) == 0)
            continue;
        uint32_t arms;
        switch (KIND(step)) {
        case WALK_STEP:
        case WALK_CALL:
        case WALK_WIDE:
            continue;
        case WALK_CALLI:
            effect = il_effect_of(effects, load_u32(p + 1));
            w.settled &= effect >= 0;
            sum += items((effect & 1) - (effect >> 1));
            continue;
        case WALK_NEWOBJ: /* gives the object; the constructor gives nothing */
            effect = il_effect_of(effects, load_u32(p + 1));
            w.settled &= effect >= 0;
            pops = effect >> 1;
            sum += items(pops > 0 ? 2 - pops : 1); /* `this` is made by it */
            continue;
        case WALK_BRANCH:
            branch(&w, p, LENGTH(step), AT(sum), DEPTH(sum));
            continue;
        case WALK_SWITCH:
            arms = load_u32(p + 1);
            sum += arms * 4;
            if (DEPTH(sum))
                switch_to(&w, p, arms, AT(sum), DEPTH(sum));
            continue;
        case WALK_JUMP:
            if (DEPTH(sum))
                branch(&w, p, LENGTH(step), AT(sum), DEPTH(sum));
            break;
        case WALK_RET:
            w.settled &= DEPTH(sum) == returns_value;
            break;
        case WALK_END:
            break;
        }
        w.fresh = AT(sum);
        sum = AT(sum);
    }
}
