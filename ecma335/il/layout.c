/* Sizes and offsets of the rewritten body: which branches are short and which long, where everything lands. */
#include "il/edit_parts.h"

enum {
    WIDENING = 3, /* a long branch has four bytes of distance for the short one's one */
    /* A branch with a greater old distance, in either direction, cannot become short: the code in between must shrink
     * to 128 bytes, and only branches shrink, those from 5 bytes to 2. */
    MOST_SHORTENED = 320,
};

const il_insertion *il_apart_at(const il_edit *edit, uint32_t offset) {
    uint32_t low = 0, high = edit->insertion_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edit->insertions[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    for (; low < edit->insertion_count && edit->insertions[low].offset == offset; low++)
        if (edit->insertions[low].place == IL_APART)
            return &edit->insertions[low];
    return NULL;
}

/* The map being built. */
typedef struct point_list {
    il_point *last;
    uint32_t count;
    uint32_t *blocks;
    uint32_t reached; /* old offset of the next block, which has no point yet */
} point_list;

/* The point for old offset `old`, which lies at or after the last one. */
static inline il_point *point_at(point_list *list, uint32_t old) {
    il_point *p = list->last;
    if (p->old == old)
        return p;
    uint32_t moved = p->after;
    *++p = (il_point){old, moved, moved, moved, moved};
    list->last = p;
    for (; list->reached <= old; list->reached += IL_POINT_BLOCK)
        list->blocks[list->reached / IL_POINT_BLOCK] = list->count;
    list->count++;
    return p;
}

static inline void add_resized(point_list *list, const il_branch *b) {
    uint32_t size = b->form == IL_FORM_LONG ? IL_LONG_SIZE : IL_SHORT_SIZE;
    if (size != b->size && !il_is_switch(b))
        point_at(list, b->offset)->after += size - b->size;
}

static bool reserve_map(il_edit *edit) {
    size_t points = (size_t)edit->insertion_count + edit->branch_count + 2;
    size_t blocks = edit->body.code.size / IL_POINT_BLOCK + 1;
    return il_grow(&edit->points, &edit->points_capacity, points, sizeof *edit->points) &&
           il_grow(&edit->blocks, &edit->blocks_capacity, blocks, sizeof *edit->blocks);
}

/* Builds, in the reserved place, the map of all insertions and of the branches that have changed their size so far. */
static void build_map(il_edit *edit) {
    uint32_t code_size = (uint32_t)edit->body.code.size;
    point_list list = {.last = edit->points, .count = 1, .blocks = edit->blocks, .reached = IL_POINT_BLOCK};
    edit->points[0] = (il_point){0};
    edit->blocks[0] = 0;
    const il_branch *b = edit->branches;
    for (uint32_t i = 0; i < edit->insertion_count; i++) {
        const il_insertion *in = &edit->insertions[i];
        if (in->place == IL_APART)
            continue;
        for (; b->offset < in->offset; b++)
            add_resized(&list, b);
        uint32_t size = in->size;
        il_point *p = point_at(&list, in->offset);
        if (in->place == IL_HEAD)
            p->reference += size;
        if (in->place != IL_REPLACEMENT)
            p->self += size;
        p->after += size;
    }
    for (; b->offset != UINT32_MAX; b++)
        add_resized(&list, b);
    edit->point_count = list.count;
    list.last[1].old = UINT32_MAX;
    for (; list.reached <= code_size; list.reached += IL_POINT_BLOCK)
        edit->blocks[list.reached / IL_POINT_BLOCK] = list.count;
}

const il_point *il_map_points(il_edit *edit, uint32_t *count) {
    if (!edit->point_count)
        build_map(edit);
    bool idle = edit->points[0].self == 0 && edit->points[0].after == 0; /* nothing is moved at 0 */
    *count = edit->point_count - idle;
    return edit->points + idle;
}

uint32_t il_map_offset(il_edit *edit, uint32_t old_offset) {
    if (!edit->point_count)
        build_map(edit);
    return il_new_reference(edit, old_offset);
}

uint32_t il_map_end(il_edit *edit, uint32_t old_offset) {
    if (!edit->point_count)
        build_map(edit);
    return il_new_end(edit, old_offset);
}

/* Marks the IL_APART insertions that something refers to. */
static __attribute__((noinline)) void find_apart_references(il_edit *edit) {
    for (uint32_t i = 0; i < edit->insertion_count; i++)
        edit->insertions[i].used = false;
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        const il_branch *b = &edit->branches[i];
        bool is_switch = il_is_switch(b);
        uint32_t count = is_switch ? b->arm_count : 1;
        for (uint32_t arm = 0; arm < count; arm++) {
            const il_insertion *apart = il_apart_at(edit, is_switch ? edit->arms[b->target + arm] : b->target);
            if (apart) {
                edit->insertions[apart - edit->insertions].used = true;
                edit->apart_used = true;
            }
        }
    }
}

/* Gives what stands at the end of the code its place, the guard's blocks or copies; the end is where the last of the
 * old code now ends. Without a map all branches are rets, which are one byte larger. */
static void place_tail(il_edit *edit) {
    uint32_t moved = edit->point_count ? edit->points[edit->point_count - 1].after
                                       : (uint32_t)edit->inserted.size - edit->replaced + edit->branch_count;
    uint32_t end = (uint32_t)edit->body.code.size + moved;
    if (edit->guarded) {
        const il_guard *g = &edit->guard;
        edit->handler_offset = end;
        edit->exit_offset = end + (uint32_t)(g->fault.size + g->filter.size + g->filter_handler.size);
        end = edit->exit_offset + (uint32_t)g->exit.size;
    }
    for (uint32_t i = 0; edit->apart_used && i < edit->insertion_count; i++) {
        il_insertion *in = &edit->insertions[i];
        if (in->place != IL_APART || !in->used)
            continue;
        in->new_offset = end;
        uint32_t next = i + 1; /* what is inserted at one offset goes into one copy */
        end += in->size;
        for (; next < edit->insertion_count && edit->insertions[next].offset == in->offset; next++)
            end += edit->insertions[next].size;
        end += 1; /* ret */
        i = next - 1;
    }
    edit->code_size = end;
}

static bool is_too_far(int32_t distance) {
    return distance < -128 || distance > 127;
}

/* Where a branch led in the old code, taking what goes apart for the end of the code, where it will be. */
static uint32_t old_target(const il_edit *edit, const il_branch *b) {
    bool to_tail = il_is_ret(b) || (edit->apart_used && il_apart_at(edit, b->target));
    return to_tail ? (uint32_t)edit->body.code.size : b->target;
}

/* The greatest distance that stays short whatever comes in between, negative for none. In between can come all that is
 * inserted, and the growth of the branches there, each of two bytes or more. */
static int64_t near_distance(const il_edit *edit, uint64_t inserted) {
    int64_t room = 127 - (int64_t)inserted, few = room - (int64_t)edit->branch_count * WIDENING;
    int64_t many = room < 0 ? room : room * 2 / (2 + WIDENING);
    return few > many ? few : many;
}

/* The code is so short that no distance is too far. */
static void take_all_for_short(il_edit *edit) {
    const uint8_t of_long = edit->shorten ? IL_FORM_NEAR : IL_FORM_LONG;
    for (il_branch *b = edit->branches; b->offset != UINT32_MAX; b++)
        b->form = il_is_switch(b) ? IL_FORM_LONG : b->size == IL_LONG_SIZE ? of_long : IL_FORM_NEAR;
}

/* Takes for short what is short, and of the long branches those that may become so. Returns how many have to be asked
 * whether they stay so. */
static uint32_t hope_for_short(il_edit *edit, uint64_t inserted) {
    uint32_t asked = 0;
    const int64_t near = near_distance(edit, inserted);
    const uint32_t asked_from = near < 0 ? 0 : (uint32_t)near + 1, code_size = (uint32_t)edit->body.code.size;
    const bool shorten = edit->shorten, plain = !edit->apart_used; /* the stores below may change no local */
    if (near >= code_size) {
        take_all_for_short(edit);
        return 0;
    }
    for (il_branch *b = edit->branches; b->offset != UINT32_MAX; b++) {
        b->form = IL_FORM_LONG;
        if (il_is_switch(b))
            continue;
        uint32_t end = b->offset + b->size;
        uint32_t target = !plain ? old_target(edit, b) : il_is_ret(b) ? code_size : b->target;
        uint32_t distance = target < end ? end - target : target - end;
        if (b->size == IL_LONG_SIZE && (!shorten || distance > MOST_SHORTENED))
            continue;
        b->form = distance < asked_from ? IL_FORM_NEAR : IL_FORM_SHORT;
        asked += distance >= asked_from;
    }
    return asked;
}

/* Adds the growth of a branch at `offset` to the distance of `to`, if it lies in between. True if `to` has to grow as
 * well. */
static bool stretch(const il_edit *edit, il_branch *to, uint32_t offset) {
    uint32_t end = to->offset + il_branch_size(to);
    uint32_t target = old_target(edit, to);
    if (target >= end && offset >= end && offset < target)
        to->distance += WIDENING;
    else if (target < end && offset >= target && offset < to->offset)
        to->distance -= WIDENING;
    return is_too_far(to->distance);
}

/* Bytes of the old code within which a branch can be stretched by one that grows after it, and by one that does
 * before. */
typedef struct neighbourhood {
    uint32_t before, behind;
} neighbourhood;

/* Makes long those that do not reach their targets as things stand, and puts them into the queue; returns how many. */
static uint32_t queue_too_far(il_edit *edit, neighbourhood *around) {
    uint32_t queued = 0;
    *around = (neighbourhood){0, 0};
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        il_branch *b = &edit->branches[i];
        if (b->form != IL_FORM_SHORT)
            continue;
        const il_insertion *apart = edit->apart_used ? il_apart_at(edit, b->target) : NULL;
        int64_t target = il_is_ret(b) ? edit->exit_offset
                         : apart      ? apart->new_offset
                                      : il_new_reference(edit, b->target);
        const il_point *p = il_point_before(edit, b->offset);
        uint32_t self = b->offset + (p->old == b->offset ? p->self : p->after);
        b->distance = (int32_t)(target - ((int64_t)self + 2));
        if (is_too_far(b->distance)) {
            b->form = IL_FORM_LONG;
            edit->queue[queued++] = i;
            continue;
        }
        uint32_t old = old_target(edit, b);
        if (old > b->offset && old - b->offset > around->before)
            around->before = old - b->offset;
        if (old <= b->offset && b->offset - old > around->behind)
            around->behind = b->offset - old;
    }
    return queued;
}

/* Makes long what has to be, and what has to be for that, until nothing more changes: a branch is short exactly when it
 * can be. One that is still short reaches at most 128 bytes, so only a small neighbourhood can be stretched by one that
 * grows. */
static __attribute__((noinline)) ecma_status widen(il_edit *edit, uint32_t *widened) {
    if (!il_grow(&edit->queue, &edit->queue_capacity, edit->branch_count, sizeof *edit->queue))
        return ECMA_NO_MEMORY;
    neighbourhood around;
    il_branch *branches = edit->branches;
    uint32_t queued = queue_too_far(edit, &around), taken = 0;
    while (taken < queued) {
        uint32_t grown = edit->queue[taken++];
        uint32_t offset = branches[grown].offset;
        for (uint32_t i = grown; i-- > 0 && offset - branches[i].offset <= around.before;)
            if (branches[i].form == IL_FORM_SHORT && stretch(edit, &branches[i], offset)) {
                branches[i].form = IL_FORM_LONG;
                edit->queue[queued++] = i;
            }
        for (uint32_t i = grown + 1; i < edit->branch_count && branches[i].offset - offset <= around.behind; i++)
            if (branches[i].form == IL_FORM_SHORT && stretch(edit, &branches[i], offset)) {
                branches[i].form = IL_FORM_LONG;
                edit->queue[queued++] = i;
            }
    }
    *widened = queued;
    return ECMA_OK;
}

/* The new clause for an old one, after the points are final. */
static void map_clause(const il_edit *edit, il_clause *c) {
    uint32_t try_end = il_new_end(edit, c->try_offset + c->try_length);
    uint32_t handler_end = il_new_end(edit, c->handler_offset + c->handler_length);
    c->try_offset = il_new_reference(edit, c->try_offset);
    c->handler_offset = il_new_reference(edit, c->handler_offset);
    /* An empty range that starts after a moved head stays empty. */
    c->try_length = try_end > c->try_offset ? try_end - c->try_offset : 0;
    c->handler_length = handler_end > c->handler_offset ? handler_end - c->handler_offset : 0;
    if (c->flags == IL_CLAUSE_FILTER)
        c->class_token_or_filter_offset = il_new_reference(edit, c->class_token_or_filter_offset);
}

void il_moved_clause(const il_edit *edit, uint32_t index, il_clause *c) {
    il_body_clause(&edit->body, index, c);
    map_clause(edit, c);
}

static bool is_fat_clause(const il_clause *c) {
    return c->try_offset > 0xFFFF || c->handler_offset > 0xFFFF || c->try_length > 0xFF || c->handler_length > 0xFF;
}

/* Where a section's clauses end, which stands after `size` bytes. */
static inline uint64_t section_end(uint64_t size, uint32_t count, bool fat) {
    return (size + 3) / 4 * 4 + 4 + (uint64_t)count * (fat ? 24 : 12);
}

static uint64_t size_guard_section(il_edit *edit, uint64_t size) {
    il_clause c;
    il_guard_clause(edit, 0, &c);
    edit->fat_section[0] = is_fat_clause(&c);
    return section_end(size, 1, edit->fat_section[0]);
}

/* Sections keep their format unless a clause, or their number, outgrows the small one. Returns the size with the
 * code's. */
static __attribute__((noinline)) uint64_t size_sections(il_edit *edit, uint64_t size) {
    enum { MOST_SMALL = (0xFF - 4) / 12 }; /* DataSize is a byte (II.25.4.5) */
    uint32_t index = 0;
    for (uint32_t i = 0; i < edit->body.section_count; i++) {
        const il_section *section = &edit->body.sections[i];
        uint32_t count = il_section_clauses(edit, i);
        edit->fat_section[i] = section->fat || (count > MOST_SMALL && count > section->clause_count);
        for (uint32_t n = 0; n < count; n++) {
            il_clause c;
            il_new_clause(edit, index++, &c);
            if (is_fat_clause(&c))
                edit->fat_section[i] = true;
        }
        size = section_end(size, count, edit->fat_section[i]);
    }
    return size;
}

/* Can the layout do without the map? It can where nothing refers to an old offset but a guard's start at 0: `asked` is
 * the number of branches, rets among them, that may become long. */
static bool needs_no_map(const il_edit *edit, uint32_t asked) {
    if (!edit->guarded)
        return !edit->branch_count && !edit->body.section_count && !edit->has_apart;
    return !asked && !edit->flow.branch_count && !edit->body.clause_count && !edit->has_apart && edit->guard.start == 0;
}

/* Where references to the first instruction lead: after what stands at the head. */
static uint32_t head_size(const il_edit *edit) {
    uint32_t size = 0;
    for (uint32_t i = 0; i < edit->insertion_count && edit->insertions[i].offset == 0; i++)
        size += edit->insertions[i].place == IL_HEAD ? edit->insertions[i].size : 0;
    return size;
}

static ecma_status too_big(il_fault *fault) {
    *fault = (il_fault){"the rewritten body would exceed 2 GiB", 0};
    return ECMA_UNSUPPORTED;
}

/* Does nothing else change than is inserted, but one ret at the end that a guard makes a leave? Nearly all bodies
 * without branches are so. No map is needed for them, and the leave is short. */
static inline bool is_straight(const il_edit *edit) {
    enum { FEW_BYTES = 1 << 16 }; /* so that sums need no checks */
    const il_guard *g = &edit->guard;
    const size_t size = edit->body.code.size;
    if ((edit->flow.branch_count | edit->body.clause_count | edit->replaced) || edit->unsorted || edit->has_apart ||
        edit->inserts_too_much || size > FEW_BYTES || edit->inserted.size > FEW_BYTES)
        return false;
    if (!edit->guarded)
        return !edit->body.section_count;
    return edit->adds_section && edit->exit_count == 1 && edit->exits[0].offset == size - 1 && !g->filter.size &&
           g->fault.size <= INT8_MAX && g->exit.size <= FEW_BYTES;
}

static void lay_out_straight(il_edit *edit) {
    const il_guard *g = &edit->guard;
    uint32_t end = (uint32_t)(edit->body.code.size + edit->inserted.size);
    if (edit->guarded) {
        uint32_t start = g->start;
        for (const il_insertion *in = edit->insertions, *last = in + edit->insertion_count;
             in < last && in->offset + (in->place != IL_HEAD) <= g->start; in++)
            start += in->size;
        edit->guard_offset = start;
        edit->branches[0].form = IL_FORM_NEAR;
        edit->handler_offset = end + IL_SHORT_SIZE - IL_RET_SIZE;
        edit->exit_offset = edit->handler_offset + (uint32_t)g->fault.size;
        end = edit->exit_offset + (uint32_t)g->exit.size;
    }
    edit->code_size = end;
}

/* When all offsets are known. */
static inline ecma_status size_all(il_edit *edit, il_fault *fault) {
    edit->tiny = edit->body.tiny && !edit->guarded && edit->code_size < 64 && edit->max_stack <= 8 &&
                 edit->local_var_sig_token == 0;
    uint64_t size = (edit->tiny ? 1u : 12u) + (uint64_t)edit->code_size;
    if (il_has_guard_alone(edit))
        size = size_guard_section(edit, size);
    else if (edit->body.section_count)
        size = size_sections(edit, size);
    if (size > INT32_MAX)
        return too_big(fault);
    edit->size = (uint32_t)size;
    return ECMA_OK;
}

static __attribute__((noinline)) ecma_status lay_out_any(il_edit *edit, il_fault *fault) {
    if (edit->unsorted)
        il_sort_insertions(edit);
    /* No offset can pass this sum, so the arithmetic below needs no checks of its own. */
    const il_guard *g = &edit->guard;
    uint64_t old = edit->body.code.size + (uint64_t)edit->branch_count * WIDENING;
    uint64_t inserted = edit->inserted.size + edit->insertion_count; /* with a ret after what goes apart */
    if (edit->guarded)                                               /* rets are among the branches, and smaller */
        inserted += (uint64_t)g->fault.size + g->filter.size + g->filter_handler.size + g->exit.size +
                    (uint64_t)edit->exit_count * (1 + WIDENING);
    if (edit->inserts_too_much || old + inserted > INT32_MAX)
        return too_big(fault);

    edit->apart_used = false;
    if (edit->has_apart)
        find_apart_references(edit);
    if (edit->apart_used && edit->flow.runs_off_end) {
        *fault = (il_fault){"code would go after code that runs off its end", (uint32_t)edit->body.code.size};
        return ECMA_UNSUPPORTED;
    }
    uint32_t asked = edit->branch_count ? hope_for_short(edit, inserted) : 0, widened = 0;
    if (!reserve_map(edit))
        return ECMA_NO_MEMORY;
    if (!needs_no_map(edit, asked))
        build_map(edit);
    place_tail(edit);
    ecma_status status = asked ? widen(edit, &widened) : ECMA_OK;
    if (status != ECMA_OK)
        return status;
    if (widened) {
        build_map(edit);
        place_tail(edit);
    }

    if (edit->guarded)
        edit->guard_offset = edit->point_count ? il_new_reference(edit, g->start) : head_size(edit);
    return size_all(edit, fault);
}

ecma_status il_edit_layout(il_edit *edit, il_fault *fault) {
    if (edit->refused)
        return edit->refused;
    edit->point_count = 0;
    edit->straight = is_straight(edit);
    if (!edit->straight)
        return lay_out_any(edit, fault);
    if (!reserve_map(edit)) /* it may be asked for all the same */
        return ECMA_NO_MEMORY;
    edit->apart_used = false;
    lay_out_straight(edit);
    return size_all(edit, fault);
}
