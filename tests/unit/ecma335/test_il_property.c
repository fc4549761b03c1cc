/* Random bodies with random insertions and replacements, against a slow model that shares no code with the rewriter: a
 * list of instructions with branches that name each other, laid out again from scratch until no branch grows. In every
 * other round long branches become short where they fit; in some the code stands in a guard.
 *
 * The seed is printed; give it as the first argument to see a run again, and a number of rounds as the second. */
#include "il_unit.h"

#include <time.h>

#include "il/opcode.h"

enum { MOST_ITEMS = 400, MOST_CLAUSES = 24, MOST_ARMS = 12, NOTHING = -1 };

typedef enum kind { PLAIN, PREFIXED, TAIL_CALL, BRANCH, ARMS, RETURN, JUMP } kind;

/* An old instruction with its prefixes, what is inserted at it, what stands in its place. */
typedef struct item {
    kind kind;
    uint8_t bytes[24]; /* all but a branch's distances */
    uint32_t size;
    il_opcode opcode;
    bool is_short; /* of a branch, in the old code */
    int targets[MOST_ARMS];
    int target_count;
    uint8_t head[16], before[16]; /* `before` also holds what goes apart */
    uint32_t head_size, before_size;
    uint8_t instead[48]; /* of a plain instruction */
    uint32_t instead_size;
    bool apart;
} item;

typedef struct model {
    item items[MOST_ITEMS];
    int count;
    struct {
        uint32_t flags;
        int try_start, try_end, handler_start, handler_end, filter; /* item indexes; an end may be `count` */
        uint32_t token;
    } clauses[MOST_CLAUSES];
    uint32_t clause_count;
    bool guarded;
    int guard_start;
    uint8_t blocks[4][16]; /* fault, filter, its handler, exit */
    uint32_t block_sizes[4];
} model;

/* ---- Chance -------------------------------------------------------------------------------------------------- */

static uint64_t random_state;

static uint32_t random_below(uint32_t limit) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (uint32_t)((random_state >> 11) % limit);
}

static il_opcode random_plain(void) {
    for (;;) {
        il_opcode o = (il_opcode)(1 + random_below(IL_OPCODE_END - 1));
        uint8_t flow = il_opcodes[o].flow;
        if (o != IL_jmp && (flow == IL_FLOW_next || flow == IL_FLOW_call))
            return o;
    }
}

static il_opcode random_branch(void) {
    for (;;) {
        il_opcode o = (il_opcode)(1 + random_below(IL_OPCODE_END - 1));
        if (il_opcodes[o].operand == IL_ShortInlineBrTarget || il_opcodes[o].operand == IL_InlineBrTarget)
            return o;
    }
}

static uint32_t put_opcode(uint8_t *p, uint32_t at, il_opcode o) {
    uint16_t encoding = il_opcodes[o].encoding;
    if (encoding > 0xFF)
        p[at++] = 0xFE;
    p[at++] = (uint8_t)encoding;
    return at;
}

/* An instruction with an operand of random bytes. */
static uint32_t put_random(uint8_t *p, uint32_t at, il_opcode o) {
    at = put_opcode(p, at, o);
    for (unsigned n = il_opcodes[o].operand_size; n > 0; n--)
        p[at++] = (uint8_t)random_below(256);
    return at;
}

static void random_item(item *i, int count) {
    static const il_opcode prefixes[] = {IL_unaligned, IL_volatile, IL_constrained, IL_no, IL_readonly};
    uint32_t roll = random_below(100);
    if (roll < 50) {
        i->kind = PLAIN;
        i->size = put_random(i->bytes, 0, random_plain());
    } else if (roll < 56) {
        i->kind = PREFIXED;
        for (uint32_t n = 1 + random_below(2); n > 0; n--)
            i->size = put_random(i->bytes, i->size, prefixes[random_below(5)]);
        i->size = put_random(i->bytes, i->size, random_plain());
    } else if (roll < 59) {
        i->kind = TAIL_CALL;
        if (random_below(2))
            i->size = put_random(i->bytes, 0, IL_constrained);
        i->size = put_opcode(i->bytes, i->size, IL_tail);
        i->size = put_random(i->bytes, i->size, random_below(2) ? IL_callvirt : IL_calli);
    } else if (roll < 90) {
        i->kind = BRANCH;
        i->opcode = random_branch();
        i->is_short = il_opcodes[i->opcode].operand == IL_ShortInlineBrTarget;
        i->targets[0] = (int)random_below((uint32_t)count);
        i->target_count = 1;
    } else if (roll < 92) {
        i->kind = ARMS;
        i->opcode = IL_switch;
        i->target_count = (int)random_below(MOST_ARMS + 1);
        for (int n = 0; n < i->target_count; n++)
            i->targets[n] = (int)random_below((uint32_t)count);
    } else if (roll < 98) {
        i->kind = RETURN;
        i->size = put_opcode(i->bytes, 0, IL_ret);
    } else {
        i->kind = JUMP;
        i->size = put_random(i->bytes, 0, IL_jmp);
    }
}

static uint32_t random_insertion(uint8_t *p) {
    uint32_t size = 0;
    for (uint32_t n = random_below(4); n > 0 && size < 7; n--) {
        il_opcode o = random_plain();
        if (il_opcodes[o].operand_size <= 4)
            size = put_random(p, size, o);
    }
    return size;
}

/* Nearly all of them branches, to about equally far: what becomes of one hangs on what becomes of the others. */
static void random_crowd(model *m) {
    uint32_t short_ones = random_below(5), least_far = 10 + random_below(54);
    for (int k = 0; k < m->count; k++) {
        item *i = &m->items[k];
        bool is_branch = random_below(64) != 0;
        *i = (item){.kind = is_branch ? BRANCH : PLAIN};
        if (!is_branch) {
            i->size = put_random(i->bytes, 0, random_plain());
            continue;
        }
        i->is_short = random_below(4) < short_ones;
        do
            i->opcode = random_branch();
        while ((il_opcodes[i->opcode].long_form != IL_none) != i->is_short);
        int far = (int)(least_far + random_below(5)), target = random_below(2) ? k + far : k - far;
        i->targets[0] = target < 0 || target >= m->count ? k : target;
        i->target_count = 1;
    }
}

/* Neither branches nor clauses, and one ret: it has a way of its own through the rewriter. */
static void random_straight(model *m) {
    for (int k = 0, last = m->count - 1; k <= last; k++)
        do
            random_item(memset(&m->items[k], 0, sizeof m->items[k]), m->count);
        while (m->items[k].kind != (k < last ? PLAIN : RETURN) && (k == last || m->items[k].kind != PREFIXED));
}

static void random_model(model *m) {
    memset(m, 0, sizeof *m);
    uint32_t scale = random_below(10);
    m->count = 1 + (int)random_below(scale < 4 ? 8 : scale < 9 ? 80 : MOST_ITEMS);
    const bool straight = random_below(6) == 0;
    if (straight)
        random_straight(m);
    else if (random_below(20) == 0)
        random_crowd(m);
    else
        for (int k = 0; k < m->count; k++)
            random_item(&m->items[k], m->count);
    for (int k = 0; k + 1 < m->count; k++) /* most tail calls have their ret */
        if (m->items[k].kind == TAIL_CALL && random_below(4)) {
            memset(&m->items[k + 1], 0, sizeof(item));
            m->items[k + 1].kind = RETURN;
            m->items[k + 1].size = put_opcode(m->items[k + 1].bytes, 0, IL_ret);
        }
    m->clause_count = straight || random_below(3) ? 0 : random_below(random_below(2) ? 3 : MOST_CLAUSES);
    for (uint32_t n = 0; n < m->clause_count; n++) {
        static const uint32_t kinds[] = {0, 1, 2, 4};
        uint32_t count = (uint32_t)m->count;
        m->clauses[n].flags = kinds[random_below(4)];
        m->clauses[n].try_start = (int)random_below(count);
        m->clauses[n].try_end =
            m->clauses[n].try_start + (int)random_below(count - (uint32_t)m->clauses[n].try_start + 1);
        m->clauses[n].handler_start = (int)random_below(count);
        m->clauses[n].handler_end =
            m->clauses[n].handler_start + (int)random_below(count - (uint32_t)m->clauses[n].handler_start + 1);
        m->clauses[n].filter = (int)random_below(count);
        m->clauses[n].token = random_below(0x7FFFFFFF);
    }
}

static il_opcode opcode_of(const item *i) {
    return il_opcode_of_encoding[i->bytes[0] == 0xFE ? 256 + i->bytes[1] : i->bytes[0]];
}

/* Instructions that are together no smaller than the old one. */
static void random_replacement(item *i) {
    if (il_opcodes[opcode_of(i)].flow != IL_FLOW_next)
        return;
    do
        i->instead_size = put_random(i->instead, i->instead_size, random_plain());
    while (i->instead_size < i->size);
}

static void random_insertions(model *m) {
    uint32_t often = 1 + random_below(12);
    for (int k = 0; k < m->count; k++) {
        item *i = &m->items[k];
        if (random_below(often) == 0)
            i->head_size = random_insertion(i->head);
        if (random_below(often) == 0) {
            i->before_size = random_insertion(i->before);
            i->apart = i->kind == RETURN && i->before_size && random_below(2);
        }
        if (i->kind == PLAIN && random_below(often) == 0)
            random_replacement(i);
    }
}

/* Rets for what a guard cannot have, a start somewhere, blocks of any bytes. */
static void random_guard(model *m) {
    m->guarded = true;
    for (int k = 0; k < m->count; k++)
        if (m->items[k].kind == TAIL_CALL || m->items[k].kind == JUMP || k == m->count - 1) {
            memset(&m->items[k], 0, sizeof(item));
            m->items[k].kind = RETURN;
            m->items[k].size = put_opcode(m->items[k].bytes, 0, IL_ret);
        }
    m->guard_start = random_below(3) ? 0 : (int)random_below((uint32_t)m->count);
    bool filters = random_below(2);
    for (int n = 0; n < 4; n++) {
        m->block_sizes[n] = (n == 1 || n == 2) && !filters ? 0 : 1 + random_below(16);
        for (uint32_t at = 0; at < m->block_sizes[n]; at++)
            m->blocks[n][at] = (uint8_t)random_below(256);
    }
}

static bool apart_by(int start, int a, int b) {
    return (a < start) != (b < start);
}

/* Does the item lie in one of the clause's blocks? */
static bool is_within(const model *m, uint32_t n, int k) {
    int handler = m->clauses[n].handler_start;
    if (m->clauses[n].flags == IL_CLAUSE_FILTER && m->clauses[n].filter < handler)
        handler = m->clauses[n].filter;
    return (k >= m->clauses[n].try_start && k < m->clauses[n].try_end) ||
           (k >= handler && k < m->clauses[n].handler_end);
}

/* Does nothing lead across the start, and no ret come before it or stand in a clause's blocks? */
static bool can_guard(const model *m) {
    int start = m->guard_start;
    for (int k = 0; k < m->count; k++) {
        if (m->items[k].kind == RETURN && k < start)
            return false;
        for (uint32_t n = 0; n < m->clause_count; n++)
            if (m->items[k].kind == RETURN && is_within(m, n, k))
                return false;
        for (int n = 0; n < m->items[k].target_count; n++)
            if (apart_by(start, k, m->items[k].targets[n]))
                return false;
    }
    for (uint32_t n = 0; n < m->clause_count; n++)
        if ((m->clauses[n].try_start < start && m->clauses[n].try_end > start) ||
            (m->clauses[n].handler_start < start && m->clauses[n].handler_end > start) ||
            apart_by(start, m->clauses[n].try_start, m->clauses[n].handler_start))
            return false;
    return true;
}

/* ---- The model's own layout -------------------------------------------------------------------------------------- */

/* Where things are, for old code (nothing inserted) or new. Offsets have one more entry, for the end. */
typedef struct layout {
    bool inserted, guarded;
    uint32_t handler, exit; /* guarded: where the old code ends, where rets lead */
    bool is_long[MOST_ITEMS];
    uint32_t end[MOST_ITEMS + 1], reference[MOST_ITEMS + 1], self[MOST_ITEMS + 1];
    uint32_t copy[MOST_ITEMS]; /* of what goes apart */
    bool copied[MOST_ITEMS];
    uint32_t size;
} layout;

static uint32_t size_of(const layout *l, const model *m, int k) {
    const item *i = &m->items[k];
    if (i->kind == BRANCH || (i->kind == RETURN && l->guarded))
        return l->is_long[k] ? 5 : 2;
    if (l->inserted && i->instead_size)
        return i->instead_size;
    return i->kind == ARMS ? 5 + 4 * (uint32_t)i->target_count : i->size;
}

static uint32_t target_offset(const layout *l, int target) {
    return l->copied[target] ? l->copy[target] : l->reference[target];
}

static void place(layout *l, const model *m) {
    uint32_t at = 0;
    for (int k = 0; k < m->count; k++) {
        const item *i = &m->items[k];
        l->end[k] = at;
        at += l->inserted ? i->head_size : 0;
        l->reference[k] = at;
        at += l->inserted && !i->apart ? i->before_size : 0;
        l->self[k] = at;
        at += size_of(l, m, k);
    }
    l->end[m->count] = l->reference[m->count] = l->self[m->count] = l->handler = at;
    l->exit = at + m->block_sizes[0] + m->block_sizes[1] + m->block_sizes[2];
    if (l->guarded)
        at = l->exit + m->block_sizes[3];
    for (int k = 0; k < m->count; k++)
        if (l->copied[k]) {
            l->copy[k] = at;
            at += m->items[k].before_size + 1;
        }
    l->size = at;
}

/* `short_at_first`: the branches that are short unless they do not reach; all others are long. */
static void lay_out(layout *l, const model *m, const bool *short_at_first, bool inserted) {
    memset(l, 0, sizeof *l);
    l->inserted = inserted;
    l->guarded = inserted && m->guarded;
    for (int k = 0; k < m->count; k++) {
        l->is_long[k] = !short_at_first[k];
        for (int n = 0; inserted && n < m->items[k].target_count; n++)
            l->copied[m->items[k].targets[n]] |= m->items[m->items[k].targets[n]].apart;
    }
    for (bool changed = true; changed;) {
        changed = false;
        place(l, m);
        for (int k = 0; k < m->count; k++) {
            bool leaves = l->guarded && m->items[k].kind == RETURN;
            if ((m->items[k].kind != BRANCH && !leaves) || l->is_long[k])
                continue;
            uint32_t target = leaves ? l->exit : target_offset(l, m->items[k].targets[0]);
            int64_t distance = (int64_t)target - (int64_t)(l->self[k] + 2);
            if (distance < -128 || distance > 127)
                l->is_long[k] = changed = true;
        }
    }
}

/* The form of a branch that has 4 bytes of distance, or 1. */
static il_opcode branch_form(il_opcode opcode, bool is_long) {
    if (is_long)
        return il_opcodes[opcode].long_form ? (il_opcode)il_opcodes[opcode].long_form : opcode;
    for (unsigned o = 1; o < IL_OPCODE_END; o++)
        if (il_opcodes[o].long_form == opcode)
            return (il_opcode)o;
    return opcode;
}

static void emit(const layout *l, const model *m, buffer *code) {
    for (int k = 0; k < m->count; k++) {
        const item *i = &m->items[k];
        if (l->inserted) {
            buffer_append(code, i->head, i->head_size);
            if (!i->apart)
                buffer_append(code, i->before, i->before_size);
        }
        assert_int_equal(code->size, l->self[k]);
        uint32_t end = l->self[k] + size_of(l, m, k);
        bool leaves = l->guarded && i->kind == RETURN;
        if (i->kind == BRANCH || leaves) {
            uint32_t distance = (leaves ? l->exit : target_offset(l, i->targets[0])) - end;
            il_opcode opcode = leaves ? IL_leave_s : i->opcode;
            buffer_u8(code, (uint8_t)il_opcodes[branch_form(opcode, l->is_long[k])].encoding);
            if (l->is_long[k])
                buffer_u32(code, distance);
            else
                buffer_u8(code, (uint8_t)distance);
        } else if (i->kind == ARMS) {
            buffer_u8(code, SWITCH);
            buffer_u32(code, (uint32_t)i->target_count);
            for (int n = 0; n < i->target_count; n++)
                buffer_u32(code, target_offset(l, i->targets[n]) - end);
        } else if (l->inserted && i->instead_size)
            buffer_append(code, i->instead, i->instead_size);
        else
            buffer_append(code, i->bytes, i->size);
    }
    for (int n = 0; l->guarded && n < 4; n++)
        buffer_append(code, m->blocks[n], m->block_sizes[n]);
    for (int k = 0; k < m->count; k++)
        if (l->copied[k]) {
            buffer_append(code, m->items[k].before, m->items[k].before_size);
            buffer_u8(code, RET);
        }
    assert_int_equal(code->size, l->size);
}

static uint32_t clause_count(const layout *l, const model *m) {
    return m->clause_count + (!l->guarded ? 0 : m->block_sizes[1] ? 2 : 1);
}

/* After the method's own clauses come the guard's. */
static il_clause clause_of(const layout *l, const model *m, uint32_t n) {
    if (n >= m->clause_count) {
        uint32_t guard = l->reference[m->guard_start], behind = l->handler + m->block_sizes[0];
        if (n == m->clause_count)
            return (il_clause){IL_CLAUSE_FAULT, guard, l->handler - guard, l->handler, m->block_sizes[0], 0};
        return (il_clause){IL_CLAUSE_FILTER,  guard, behind - guard, behind + m->block_sizes[1],
                           m->block_sizes[2], behind};
    }
    uint32_t try_start = l->reference[m->clauses[n].try_start], try_end = l->end[m->clauses[n].try_end];
    uint32_t start = l->reference[m->clauses[n].handler_start], end = l->end[m->clauses[n].handler_end];
    bool filter = m->clauses[n].flags == IL_CLAUSE_FILTER;
    return (il_clause){m->clauses[n].flags,
                       try_start,
                       try_end > try_start ? try_end - try_start : 0,
                       start,
                       end > start ? end - start : 0,
                       filter ? l->reference[m->clauses[n].filter] : m->clauses[n].token};
}

static bool outgrows_small(const layout *l, const model *m) {
    uint32_t count = clause_count(l, m);
    bool outgrows = count > 20;
    for (uint32_t n = 0; n < count; n++) {
        il_clause c = clause_of(l, m, n);
        outgrows |= c.try_offset > 65535 || c.handler_offset > 65535 || c.try_length > 255 || c.handler_length > 255;
    }
    return outgrows;
}

/* ---- One round --------------------------------------------------------------------------------------------------- */

static model m;
static layout old, new;
static il_edit edit;

static void check_exits(void) {
    uint32_t n = 0;
    for (int k = 0; k < m.count; k++) {
        il_exit expected[2];
        int count = 0;
        if (m.items[k].kind == RETURN && k > 0 && m.items[k - 1].kind == TAIL_CALL) {
            expected[count++] = (il_exit){old.self[k - 1], IL_EXIT_TAIL_CALL};
            expected[count++] = (il_exit){old.self[k], IL_EXIT_AFTER_TAIL_CALL};
        } else if (m.items[k].kind == RETURN)
            expected[count++] = (il_exit){old.self[k], IL_EXIT_RET};
        else if (m.items[k].kind == JUMP)
            expected[count++] = (il_exit){old.self[k], IL_EXIT_JMP};
        for (int e = 0; e < count; e++, n++) {
            assert_true(n < edit.exit_count);
            assert_int_equal(edit.exits[n].offset, expected[e].offset);
            assert_int_equal(edit.exits[n].kind, expected[e].kind);
        }
    }
    assert_int_equal(n, edit.exit_count);
}

static void one_round(bool shorten, bool guarded) {
    random_model(&m);
    if (guarded)
        random_guard(&m);
    /* In the old code a branch is short when it was drawn so and reaches. */
    bool was_short[MOST_ITEMS] = {false};
    for (int k = 0; k < m.count; k++)
        was_short[k] = m.items[k].kind == BRANCH && m.items[k].is_short;
    lay_out(&old, &m, was_short, false);
    for (int k = 0; k < m.count; k++)
        was_short[k] = was_short[k] && !old.is_long[k];

    buffer old_code = BUFFER_INIT, in = BUFFER_INIT, new_code = BUFFER_INIT, out = BUFFER_INIT;
    il_clause clauses[MOST_CLAUSES];
    emit(&old, &m, &old_code);
    for (uint32_t n = 0; n < m.clause_count; n++)
        clauses[n] = clause_of(&old, &m, n);
    bool tiny = old.size < 64 && m.clause_count == 0 && random_below(2);
    bool fat_section = outgrows_small(&old, &m) || random_below(4) == 0;
    if (tiny)
        make_tiny(&in, buffer_bytes(&old_code));
    else
        make_fat(&in, buffer_bytes(&old_code), clauses, m.clause_count, fat_section);

    /* Nothing inserted: the same bytes. */
    il_body body = read_body(&in);
    il_fault fault = {NULL, 0};
    if (il_edit_begin(&edit, &body, &fault) != ECMA_OK)
        fail_msg("not understood: %s at %u", fault.what, fault.offset);
    assert_int_equal(il_edit_encode(&edit, &out, &fault), ECMA_OK);
    assert_int_equal(out.size, in.size);
    assert_memory_equal(out.data, in.data, in.size);
    check_exits();

    /* Inserted: what the model says. */
    random_insertions(&m);
    bool may_be_short[MOST_ITEMS];
    for (int k = 0; k < m.count; k++)
        may_be_short[k] = was_short[k] || shorten || m.items[k].kind == RETURN;
    for (int k = 0; guarded && k < m.count; k++)
        m.items[k].apart = false;
    assert_int_equal(il_edit_begin(&edit, &body, &fault), ECMA_OK);
    if (guarded && (m.guarded = can_guard(&m)) != il_can_guard(&edit, old.self[m.guard_start]))
        fail_msg("the model %s a guard from %u on", m.guarded ? "has" : "has not", old.self[m.guard_start]);
    lay_out(&new, &m, may_be_short, true);
    bool copies = false;
    il_guard guard = {.start = old.self[m.guard_start],
                      .fault = bytes_of(m.blocks[0], m.block_sizes[0]),
                      .filter = bytes_of(m.blocks[1], m.block_sizes[1]),
                      .filter_handler = bytes_of(m.blocks[2], m.block_sizes[2]),
                      .exit = bytes_of(m.blocks[3], m.block_sizes[3])};
    if (m.guarded && m.guard_start % 2) /* before or after the insertions */
        assert_int_equal(il_set_guard(&edit, &guard), ECMA_OK);
    edit.shorten = shorten;
    for (int k = 0; k < m.count; k++) {
        const item *i = &m.items[k];
        copies |= new.copied[k];
        if (i->instead_size && i->size % 2) /* before or after what is inserted there */
            assert_int_equal(il_replace(&edit, old.self[k], bytes_of(i->instead, i->instead_size)), ECMA_OK);
        if (i->head_size)
            assert_int_equal(il_insert(&edit, old.self[k], IL_HEAD, bytes_of(i->head, i->head_size)), ECMA_OK);
        if (i->before_size)
            assert_int_equal(
                il_insert(&edit, old.self[k], i->apart ? IL_APART : IL_BEFORE, bytes_of(i->before, i->before_size)),
                ECMA_OK);
        if (i->instead_size && i->size % 2 == 0)
            assert_int_equal(il_replace(&edit, old.self[k], bytes_of(i->instead, i->instead_size)), ECMA_OK);
    }
    if (m.guarded && m.guard_start % 2 == 0)
        assert_int_equal(il_set_guard(&edit, &guard), ECMA_OK);
    const item *last = &m.items[m.count - 1];
    bool stops = last->kind == RETURN || last->kind == JUMP ||
                 (last->kind == BRANCH && il_opcodes[last->opcode].flow == IL_FLOW_branch);
    out.size = 0;
    ecma_status status = il_edit_encode(&edit, &out, &fault);
    if (copies && !stops) {
        assert_int_equal(status, ECMA_UNSUPPORTED);
        goto done;
    }
    assert_int_equal(status, ECMA_OK);
    emit(&new, &m, &new_code);
    body = read_body(&out);
    assert_int_equal(body.code.size, new_code.size);
    assert_memory_equal(body.code.data, new_code.data, new_code.size);
    assert_int_equal(body.tiny, tiny && !m.guarded && new.size < 64);
    assert_int_equal(body.clause_count, clause_count(&new, &m));
    if (body.clause_count)
        assert_int_equal(body.sections[0].fat, (m.clause_count && fat_section) || outgrows_small(&new, &m));
    for (uint32_t n = 0; n < body.clause_count; n++) {
        il_clause expected = clause_of(&new, &m, n), c;
        il_body_clause(&body, n, &c);
        assert_memory_equal(&c, &expected, sizeof c);
    }
    for (int k = 0; k <= m.count; k++) {
        assert_int_equal(il_map_offset(&edit, old.self[k]), new.reference[k]);
        assert_int_equal(il_map_end(&edit, old.self[k]), new.end[k]);
    }
    for (int k = 0; k < m.count; k++) /* what is within an instruction stays within it */
        for (uint32_t offset = old.self[k] + 1; offset < old.self[k] + size_of(&old, &m, k); offset++) {
            uint32_t to = il_map_offset(&edit, offset);
            assert_true(to > new.self[k] && to < new.self[k] + size_of(&new, &m, k));
            assert_int_equal(il_map_end(&edit, offset), to);
        }
    assert_int_equal(il_edit_tail_offset(&edit), m.guarded ? new.handler : new.size);
    if (!m.guarded) /* what was written is understood again; a guard's blocks are no code here */
        assert_int_equal(il_edit_begin(&edit, &body, &fault), ECMA_OK);
done:
    buffer_clear(&old_code);
    buffer_clear(&new_code);
    buffer_clear(&in);
    buffer_clear(&out);
}

static uint64_t seed;
static unsigned long rounds = 4000;

static void random_insertions_give_what_the_model_gives(void **state) {
    (void)state;
    il_edit_init(&edit);
    for (unsigned long n = 0; n < rounds; n++) {
        random_state = (seed + n) * 0x9E3779B97F4A7C15u | 1;
        one_round(n % 2, n % 3 == 0);
    }
    il_edit_clear(&edit);
}

int main(int argc, char **argv) {
    seed = argc > 1 ? strtoull(argv[1], NULL, 0) : (uint64_t)time(NULL);
    rounds = argc > 2 ? strtoul(argv[2], NULL, 0) : rounds;
    printf("seed %llu\n", (unsigned long long)seed);
    fflush(stdout);
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_insertions_give_what_the_model_gives)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
