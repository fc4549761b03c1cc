/* One walk over the code. The depth that it reckons is never less than the true one, wherever control comes to: where
 * paths meet, either a branch said how many items it brings, and that is compared, or it brings none. So a ret at which
 * the result alone is reckoned has no more on the stack in truth; with less, a compiler refuses the body in any case.
 */
#include "il/walk.h"

#include "il/opcode.h"

enum { MOST_MARKS = 64, WIDE = 0xFE };

/* A place that a branch or an exception brings items to. */
typedef struct mark {
    uint32_t offset;
    int32_t depth;
} mark;

/* The work that an instruction asks for. */
typedef enum walk_kind {
    WALK_STEP, /* takes and gives what it always does */
    WALK_CALL,
    WALK_BRANCH,
    WALK_JUMP,
    WALK_SWITCH,
    WALK_RET,
    WALK_END, /* another that does not go on */
    WALK_WIDE,
} walk_kind;

/* The facts of an encoding, by the index of il_opcode_of_encoding, in one number: in the lowest byte the size, in
 * the next one the kind, in the high half what it gives less what it takes, so that one addition counts both. */
enum { KIND_AT = 8, DEPTH_AT = 32 };
#define KIND(step)    ((walk_kind)((step) >> KIND_AT & 0xFF))
#define SIZE(sum)     ((uint32_t)(sum))
#define COUNTED(step) ((step) & ~(0xFFull << KIND_AT))
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
    walk_of_##identifier = IS(identifier, switch)                                    ? WALK_SWITCH                     \
                           : IS(identifier, ret)                                     ? WALK_RET                        \
                           : IS(identifier, jmp)                                     ? WALK_END                        \
                           : IS(identifier, leave) || IS(identifier, leave_s)        ? WALK_END                        \
                           : (int)IL_##pop == IL_VarPop                              ? WALK_CALL                       \
                           : (int)IL_FLOW_##flow == IL_FLOW_branch                   ? WALK_JUMP                       \
                           : (int)IL_FLOW_##flow == IL_FLOW_return                   ? WALK_END                        \
                           : (int)IL_FLOW_##flow == IL_FLOW_throw                    ? WALK_END                        \
                           : (int)IL_FLOW_##flow == IL_FLOW_cond_branch              ? WALK_BRANCH                     \
                                                                                     : WALK_STEP,
enum {
#include "il/opcodes.def"
};
#undef OPCODE

/* A newobj gives the object; the constructor that it names gives nothing. */
#define GIVES(identifier, push) ((int)walk_of_##identifier == WALK_CALL ? 0 : items_##push)

static const uint64_t steps[512] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [((encoding) > 0xFF ? 256 : 0) + ((encoding)&0xFF)] =                                                              \
        (uint64_t)(((encoding) > 0xFF ? 2 : 1) + operand_size_##operand) | (uint64_t)walk_of_##identifier << KIND_AT | \
        (uint64_t)(GIVES(identifier, push) - items_##pop) << DEPTH_AT,
#include "il/opcodes.def"
#undef OPCODE
    [0xFE] = (uint64_t)WALK_WIDE << KIND_AT,
};

typedef struct walker {
    const uint8_t *code;
    il_token_effect *effect;
    void *user;
    bool settled;
    uint32_t fresh; /* the offset behind the last instruction that control does not go on behind */
    uint32_t next;  /* the offset of the nearest mark */
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
    w->next = w->marks[w->mark_count - 1].offset;
}

/* The walk has come to the nearest mark, at `at`. Returns how many items stand there. */
static int32_t take_marks(walker *w, uint32_t at, int32_t depth) {
    if (w->fresh == at)
        depth = w->marks[w->mark_count - 1].depth;
    for (; w->mark_count && w->marks[w->mark_count - 1].offset <= at; w->mark_count--)
        if (w->marks[w->mark_count - 1].depth != depth)
            w->settled = false;
    w->next = w->mark_count ? w->marks[w->mark_count - 1].offset : UINT32_MAX;
    return depth;
}

/* A branch behind which the code goes on at `end` takes some items to its target. */
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

/* The number of items that a call adds to the stack. */
static int32_t call(walker *w, const uint8_t *p) {
    il_opcode opcode = il_opcode_of_encoding[*p];
    int32_t effect = w->effect(w->user, load_u32(p + 1));
    if (effect < 0)
        w->settled = false;
    int32_t pops = effect >> 1, pushes = effect & 1;
    if (opcode == IL_newobj)
        return pops > 0 ? 2 - pops : 1; /* `this` is made by it */
    return pushes - pops - (opcode == IL_calli);
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

/* Looks at an instruction that does more than take and give. `sum` is what was counted up to it, and what it counts
 * itself. Returns the sum behind it. */
static uint64_t look(walker *w, uint64_t step, uint64_t sum, int32_t after_ret) {
    const uint32_t size = step & 0xFF;
    const uint8_t *p = w->code + SIZE(sum) - size;
    uint32_t arms;
    switch (KIND(step)) {
    case WALK_STEP:
    case WALK_WIDE:
        return sum;
    case WALK_CALL:
        return sum + items(call(w, p));
    case WALK_BRANCH:
        if (DEPTH(sum))
            branch(w, p, size, SIZE(sum), DEPTH(sum));
        return sum;
    case WALK_SWITCH:
        arms = load_u32(p + 1);
        sum += arms * 4;
        if (DEPTH(sum))
            switch_to(w, p, arms, SIZE(sum), DEPTH(sum));
        return sum;
    case WALK_JUMP:
        if (DEPTH(sum))
            branch(w, p, size, SIZE(sum), DEPTH(sum));
        break;
    case WALK_RET:
        w->settled &= DEPTH(sum) == after_ret;
        break;
    case WALK_END:
        break;
    }
    w->fresh = SIZE(sum);
    return SIZE(sum);
}

bool il_walk_over(const il_body *body, bool returns_value, il_token_effect *effect, void *user) {
    walker w;
    w.code = body->code.data;
    w.effect = effect;
    w.user = user;
    w.settled = true;
    w.fresh = w.next = UINT32_MAX;
    w.mark_count = 0;
    add_handlers(&w, body);
    const uint8_t *const code = w.code;
    const uint32_t size = (uint32_t)body->code.size;
    uint64_t sum = 0, low = 0, step;
    while (SIZE(sum) < size) {
        if (SIZE(sum) >= w.next)
            sum = SIZE(sum) | items(take_marks(&w, SIZE(sum), DEPTH(sum)));
        uint32_t stop = w.next < size ? w.next : size;
        do {
            step = steps[code[SIZE(sum)]];
            if (KIND(step) != WALK_STEP)
                break;
            sum += step;
            low |= sum;
        } while (SIZE(sum) < stop);
        if (KIND(step) == WALK_STEP)
            continue;
        if (KIND(step) == WALK_WIDE)
            step = steps[256 + code[SIZE(sum) + 1]];
        sum = look(&w, step, sum + COUNTED(step), returns_value);
        low |= sum;
    }
    return w.settled && (int64_t)low >= 0;
}
