/* Sizes and offsets of the rewritten body: which branches are short and which long, where everything lands. */
#include "il/edit_parts.h"

enum {
    WIDENING = 3, /* a long branch has four bytes of distance for the short one's one */
    /* A branch whose old distance is greater, either way, cannot become short: of the code in between, which must come
     * down to 128 bytes, nothing shrinks but branches, and those from 5 bytes to 2. */
    MOST_SHORTENED = 320,
};

/* The last point at or before an old offset, looked for from the place where the last one was found: *near, how many
 * stood before it. What is asked one after the other lies close together. */
static const il_point *point_before(const il_edit *edit, uint32_t old_offset, uint32_t *near) {
    const il_point *points = edit->points;
    uint32_t low, high, step = 1;
    if (*near < edit->point_count && points[*near].old <= old_offset) {
        for (low = *near + 1; low + step <= edit->point_count && points[low + step - 1].old <= old_offset; step *= 2)
            low += step;
        high = low + step <= edit->point_count ? low + step - 1 : edit->point_count;
    } else {
        for (high = *near; high >= step && points[high - step].old > old_offset; step *= 2)
            high -= step;
        low = high >= step ? high - step + 1 : 0;
    }
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (points[middle].old <= old_offset)
            low = middle + 1;
        else
            high = middle;
    }
    *near = low == 0 ? 0 : low - 1;
    return low == 0 ? NULL : &points[low - 1];
}

/* An old offset behind the last point before it: not at or before the first byte of the instruction at the point, even
 * when it is amid a branch that was made short. */
static uint32_t behind_point(const il_point *p, uint32_t old_offset) {
    uint32_t moved = old_offset + p->after, least = p->old + p->self + 1;
    return (int32_t)(moved - least) < 0 ? least : moved;
}

uint32_t il_map_offset_near(const il_edit *edit, uint32_t old_offset, uint32_t *near) {
    const il_point *p = point_before(edit, old_offset, near);
    return !p ? old_offset : p->old == old_offset ? old_offset + p->reference : behind_point(p, old_offset);
}

static uint32_t map_end_near(const il_edit *edit, uint32_t old_offset, uint32_t *near) {
    const il_point *p = point_before(edit, old_offset, near);
    return !p ? old_offset : p->old == old_offset ? old_offset + p->end : behind_point(p, old_offset);
}

uint32_t il_map_offset(const il_edit *edit, uint32_t old_offset) {
    return il_map_offset_near(edit, old_offset, &(uint32_t){edit->point_count / 2});
}

uint32_t il_map_end(const il_edit *edit, uint32_t old_offset) {
    return map_end_near(edit, old_offset, &(uint32_t){edit->point_count / 2});
}

/* Where an instruction itself lands that `passed` points are at or before. */
static uint32_t self_behind(const il_edit *edit, uint32_t passed, uint32_t old_offset) {
    if (passed == 0)
        return old_offset;
    const il_point *p = &edit->points[passed - 1];
    return old_offset + (p->old == old_offset ? p->self : p->after);
}

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

/* The map being built: points from `first` up to `next`. */
typedef struct point_list {
    il_point *first, *next;
} point_list;

/* The point for old offset `old`, which lies at or behind the last one. */
static inline il_point *point_at(point_list *list, uint32_t old) {
    uint32_t moved = 0;
    if (list->next != list->first) {
        il_point *last = list->next - 1;
        if (last->old == old)
            return last;
        moved = last->after;
    }
    *list->next = (il_point){old, moved, moved, moved, moved};
    return list->next++;
}

static inline void add_resized(point_list *list, const il_branch *b) {
    uint32_t more = b->is_ret ? 1 : 0; /* leave.s for ret */
    if (b->stays_short != b->is_short)
        more += b->is_short ? (uint32_t)WIDENING : (uint32_t)-WIDENING;
    if (more)
        point_at(list, b->offset)->after += more;
}

/* Builds the map of all insertions and of the branches whose size is another by now. */
static bool build_points(il_edit *edit, uint32_t resized) {
    size_t most = (size_t)edit->insertion_count + resized + (edit->guarded ? edit->exit_count : 0);
    if (!il_grow(&edit->points, &edit->points_capacity, most, sizeof *edit->points))
        return false;
    point_list list = {edit->points, edit->points};
    const il_branch *branches = edit->branches;
    uint32_t b = resized || edit->guarded ? 0 : edit->branch_count;
    for (uint32_t i = 0; i < edit->insertion_count; i++) {
        const il_insertion *in = &edit->insertions[i];
        if (in->place == IL_APART)
            continue;
        for (; b < edit->branch_count && branches[b].offset < in->offset; b++)
            add_resized(&list, &branches[b]);
        uint32_t size = (uint32_t)in->code.size;
        il_point *p = point_at(&list, in->offset);
        if (in->place == IL_HEAD)
            p->reference += size;
        p->self += size;
        p->after += size;
    }
    for (; b < edit->branch_count; b++)
        add_resized(&list, &branches[b]);
    edit->point_count = (uint32_t)(list.next - list.first);
    return true;
}

/* Marks the IL_APART insertions that something refers to. */
static void find_apart_references(il_edit *edit) {
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        const il_branch *b = &edit->branches[i];
        bool is_switch = b->opcode == IL_switch;
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
 * old code now ends. */
static void place_tail(il_edit *edit) {
    uint32_t end = (uint32_t)edit->body.code.size;
    if (edit->point_count)
        end += edit->points[edit->point_count - 1].after;
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
        end += (uint32_t)in->code.size;
        for (; next < edit->insertion_count && edit->insertions[next].offset == in->offset; next++)
            end += (uint32_t)edit->insertions[next].code.size;
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
    bool to_tail = b->is_ret || (edit->apart_used && il_apart_at(edit, b->target));
    return to_tail ? (uint32_t)edit->body.code.size : b->target;
}

/* Does a branch that reached over `distance` bytes reach its target whatever comes in between? That is at most all that
 * is inserted, and growth of the branches there, each of which has two bytes or more. */
static bool is_near(const il_edit *edit, uint64_t distance, uint64_t inserted) {
    uint64_t most_branches = distance / 2 < edit->branch_count ? distance / 2 : edit->branch_count;
    return distance + inserted + most_branches * WIDENING <= 127;
}

/* Takes for short what is short, and of the long branches those that may become so; *shortened: how many of these;
 * *asked: how many of all have to be asked whether they stay so. */
static void hope_for_short(il_edit *edit, uint64_t inserted, uint32_t *shortened, uint32_t *asked) {
    *shortened = *asked = 0;
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        il_branch *b = &edit->branches[i];
        b->stays_short = b->is_near = false;
        if (b->opcode == IL_switch || !(b->is_short || edit->shorten))
            continue;
        int64_t distance = (int64_t)old_target(edit, b) - ((int64_t)b->offset + il_branch_size(b));
        uint64_t size = (uint64_t)(distance < 0 ? -distance : distance);
        if (!b->is_short && size > MOST_SHORTENED)
            continue;
        b->stays_short = true;
        b->is_near = is_near(edit, size, inserted);
        *shortened += !b->is_short;
        *asked += !b->is_near;
    }
}

/* Tells branch `to` that a branch at `offset` has grown; true when `to` has to grow as well. */
static bool stretch(const il_edit *edit, il_branch *to, uint32_t offset) {
    uint32_t end = to->offset + il_branch_size(to);
    uint32_t target = old_target(edit, to);
    if (target >= end && offset >= end && offset < target)
        to->distance += WIDENING;
    else if (target < end && offset >= target && offset < to->offset)
        to->distance -= WIDENING;
    return is_too_far(to->distance);
}

/* Bytes of the old code within which a branch can be stretched by one that grows behind it, and by one that does
 * before. */
typedef struct neighbourhood {
    uint32_t before, behind;
} neighbourhood;

static inline bool may_grow(const il_branch *b) {
    return b->stays_short && !b->is_near;
}

/* Makes long those that do not reach their targets as things stand, and puts them into the queue; returns how many. */
static uint32_t queue_too_far(il_edit *edit, neighbourhood *around) {
    uint32_t queued = 0, passed = 0, near = 0;
    *around = (neighbourhood){0, 0};
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        il_branch *b = &edit->branches[i];
        if (!may_grow(b))
            continue;
        const il_insertion *apart = edit->apart_used ? il_apart_at(edit, b->target) : NULL;
        for (; passed < edit->point_count && edit->points[passed].old <= b->offset; passed++)
            ;
        int64_t target = b->is_ret ? edit->exit_offset
                         : apart   ? apart->new_offset
                                   : il_map_offset_near(edit, b->target, &near);
        int64_t distance = target - ((int64_t)self_behind(edit, passed, b->offset) + 2);
        b->distance = (int32_t)distance;
        b->stays_short = !is_too_far(b->distance);
        if (!b->stays_short) {
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
static ecma_status widen(il_edit *edit, uint32_t *widened) {
    if (!il_grow(&edit->queue, &edit->queue_capacity, edit->branch_count, sizeof *edit->queue))
        return ECMA_NO_MEMORY;
    neighbourhood around;
    il_branch *branches = edit->branches;
    uint32_t queued = queue_too_far(edit, &around), taken = 0;
    while (taken < queued) {
        uint32_t grown = edit->queue[taken++];
        uint32_t offset = branches[grown].offset;
        for (uint32_t i = grown; i-- > 0 && offset - branches[i].offset <= around.before;)
            if (may_grow(&branches[i]) && stretch(edit, &branches[i], offset)) {
                branches[i].stays_short = false;
                edit->queue[queued++] = i;
            }
        for (uint32_t i = grown + 1; i < edit->branch_count && branches[i].offset - offset <= around.behind; i++)
            if (may_grow(&branches[i]) && stretch(edit, &branches[i], offset)) {
                branches[i].stays_short = false;
                edit->queue[queued++] = i;
            }
    }
    *widened = queued;
    return ECMA_OK;
}

/* The new clause for an old one, after the points are final. */
static void map_clause(const il_edit *edit, il_clause *c, uint32_t *near) {
    uint32_t try_end = map_end_near(edit, c->try_offset + c->try_length, near);
    uint32_t handler_end = map_end_near(edit, c->handler_offset + c->handler_length, near);
    c->try_offset = il_map_offset_near(edit, c->try_offset, near);
    c->handler_offset = il_map_offset_near(edit, c->handler_offset, near);
    /* An empty range whose start moves behind a head stays empty. */
    c->try_length = try_end > c->try_offset ? try_end - c->try_offset : 0;
    c->handler_length = handler_end > c->handler_offset ? handler_end - c->handler_offset : 0;
    if (c->flags == IL_CLAUSE_FILTER)
        c->class_token_or_filter_offset = il_map_offset_near(edit, c->class_token_or_filter_offset, near);
}

uint32_t il_section_clauses(const il_edit *edit, uint32_t section) {
    bool last = section + 1 == edit->body.section_count;
    return edit->body.sections[section].clause_count + (last ? il_guard_clause_count(edit) : 0);
}

void il_new_clause(const il_edit *edit, uint32_t index, il_clause *c, uint32_t *near) {
    if (index >= edit->body.clause_count) {
        il_guard_clause(edit, index - edit->body.clause_count, c);
        return;
    }
    il_body_clause(&edit->body, index, c);
    map_clause(edit, c, near);
}

/* Sections keep their format unless a clause, or their number, outgrows the small one. Returns the size with the
 * code's. */
static uint64_t size_sections(il_edit *edit, uint64_t size) {
    enum { MOST_SMALL = (0xFF - 4) / 12 }; /* DataSize is a byte (II.25.4.5) */
    uint32_t index = 0, near = 0;
    for (uint32_t i = 0; i < edit->body.section_count; i++) {
        const il_section *section = &edit->body.sections[i];
        uint32_t count = il_section_clauses(edit, i);
        edit->fat_section[i] = section->fat || (count > MOST_SMALL && count > section->clause_count);
        for (uint32_t n = 0; n < count; n++) {
            il_clause c;
            il_new_clause(edit, index++, &c, &near);
            if (c.try_offset > 0xFFFF || c.handler_offset > 0xFFFF || c.try_length > 0xFF || c.handler_length > 0xFF)
                edit->fat_section[i] = true;
        }
        size = (size + 3) / 4 * 4 + 4 + (uint64_t)count * (edit->fat_section[i] ? 24 : 12);
    }
    return size;
}

static ecma_status too_big(il_fault *fault) {
    *fault = (il_fault){"the rewritten body would exceed 2 GiB", 0};
    return ECMA_UNSUPPORTED;
}

ecma_status il_edit_layout(il_edit *edit, il_fault *fault) {
    /* No offset can pass this sum, so the arithmetic below needs no checks of its own. */
    const il_guard *g = &edit->guard;
    uint64_t old = edit->body.code.size + (uint64_t)edit->branch_count * WIDENING, inserted = 0;
    if (edit->guarded) /* rets are among the branches, and smaller */
        inserted = (uint64_t)g->fault.size + g->filter.size + g->filter_handler.size + g->exit.size +
                   (uint64_t)edit->exit_count * (1 + WIDENING);
    bool has_apart = false;
    for (uint32_t i = 0; i < edit->insertion_count; i++) {
        inserted += edit->insertions[i].code.size + 1;
        if (edit->insertions[i].code.size > INT32_MAX || old + inserted > INT32_MAX)
            return too_big(fault);
        has_apart |= edit->insertions[i].place == IL_APART;
        edit->insertions[i].used = false;
    }
    if (old + inserted > INT32_MAX)
        return too_big(fault);

    edit->apart_used = false;
    if (has_apart)
        find_apart_references(edit);
    if (edit->apart_used && edit->flow.runs_off_end) {
        *fault = (il_fault){"code would go behind code that runs off its end", (uint32_t)edit->body.code.size};
        return ECMA_UNSUPPORTED;
    }
    uint32_t shortened, asked, widened = 0;
    hope_for_short(edit, inserted, &shortened, &asked);
    if (!build_points(edit, shortened))
        return ECMA_NO_MEMORY;
    place_tail(edit);
    ecma_status status = asked ? widen(edit, &widened) : ECMA_OK;
    if (status != ECMA_OK)
        return status;
    if (widened) {
        if (!build_points(edit, shortened + widened))
            return ECMA_NO_MEMORY;
        place_tail(edit);
    }

    edit->tiny = edit->body.tiny && !edit->guarded && edit->code_size < 64 && edit->max_stack <= 8 &&
                 edit->local_var_sig_token == 0;
    uint64_t size = size_sections(edit, (edit->tiny ? 1u : 12u) + (uint64_t)edit->code_size);
    if (size > INT32_MAX)
        return too_big(fault);
    edit->size = (uint32_t)size;
    return ECMA_OK;
}
