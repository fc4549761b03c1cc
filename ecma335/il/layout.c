/* Sizes and offsets of the rewritten body: which branches become long, where everything lands. */
#include "il/edit_parts.h"

enum { WIDENING = 3 }; /* a long branch has four bytes of distance for the short one's one */

static const il_point *point_before(const il_edit *edit, uint32_t old_offset) {
    uint32_t low = 0, high = edit->point_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edit->points[middle].old <= old_offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low == 0 ? NULL : &edit->points[low - 1];
}

uint32_t il_map_offset(const il_edit *edit, uint32_t old_offset) {
    const il_point *p = point_before(edit, old_offset);
    return old_offset + (!p ? 0 : p->old == old_offset ? p->reference : p->after);
}

uint32_t il_map_end(const il_edit *edit, uint32_t old_offset) {
    const il_point *p = point_before(edit, old_offset);
    return old_offset + (!p ? 0 : p->old == old_offset ? p->end : p->after);
}

/* Where the instruction itself lands. */
static uint32_t map_self(const il_edit *edit, uint32_t old_offset) {
    const il_point *p = point_before(edit, old_offset);
    return old_offset + (!p ? 0 : p->old == old_offset ? p->self : p->after);
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

/* The point for old offset `old`, behind those there are. */
static il_point *point_at(il_edit *edit, uint32_t old) {
    il_point *last = edit->point_count ? &edit->points[edit->point_count - 1] : NULL;
    if (last && last->old == old)
        return last;
    uint32_t moved = last ? last->after : 0;
    il_point *p = &edit->points[edit->point_count++];
    *p = (il_point){old, moved, moved, moved, moved};
    return p;
}

static void add_widened(il_edit *edit, const il_branch *b) {
    if (b->widened)
        point_at(edit, b->offset)->after += WIDENING;
}

/* Builds the map of all insertions and of the branches that are widened by now. */
static bool build_points(il_edit *edit, uint32_t widened) {
    if (!il_grow(&edit->points, &edit->points_capacity, (size_t)edit->insertion_count + widened, sizeof *edit->points))
        return false;
    edit->point_count = 0;
    uint32_t b = widened ? 0 : edit->branch_count;
    for (uint32_t i = 0; i < edit->insertion_count; i++) {
        const il_insertion *in = &edit->insertions[i];
        if (in->place == IL_APART)
            continue;
        for (; b < edit->branch_count && edit->branches[b].offset < in->offset; b++)
            add_widened(edit, &edit->branches[b]);
        uint32_t size = (uint32_t)in->code.size;
        il_point *p = point_at(edit, in->offset);
        if (in->place == IL_HEAD)
            p->reference += size;
        p->self += size;
        p->after += size;
    }
    for (; b < edit->branch_count; b++)
        add_widened(edit, &edit->branches[b]);
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

/* Gives the copies at the end of the code their place; the end is where the last of the old code now ends. */
static void place_apart(il_edit *edit) {
    uint32_t end = il_map_end(edit, (uint32_t)edit->body.code.size);
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

/* Tells branch `to` that a branch at `offset` has grown; true when `to` has to grow as well. */
static bool stretch(const il_edit *edit, il_branch *to, uint32_t offset) {
    if (!to->is_short || to->widened)
        return false;
    uint32_t end = to->offset + 2;
    uint32_t target = edit->apart_used && il_apart_at(edit, to->target) ? (uint32_t)edit->body.code.size : to->target;
    if (target >= end && offset >= end && offset < target)
        to->distance += WIDENING;
    else if (target < end && offset >= target && offset < to->offset)
        to->distance -= WIDENING;
    return is_too_far(to->distance);
}

/* Widens what has to be, and what has to be for that, until nothing more changes. A branch that is still short reaches
 * at most 128 bytes, so only that neighbourhood can be stretched by one that grows. */
static ecma_status widen(il_edit *edit, uint32_t *widened) {
    if (!il_grow(&edit->queue, &edit->queue_capacity, edit->branch_count, sizeof *edit->queue))
        return ECMA_NO_MEMORY;
    uint32_t queued = 0, taken = 0;
    for (uint32_t i = 0; i < edit->branch_count; i++) {
        il_branch *b = &edit->branches[i];
        if (!b->is_short)
            continue;
        const il_insertion *apart = edit->apart_used ? il_apart_at(edit, b->target) : NULL;
        int64_t target = apart ? apart->new_offset : il_map_offset(edit, b->target);
        int64_t distance = target - ((int64_t)map_self(edit, b->offset) + 2);
        b->distance = (int32_t)distance;
        b->widened = is_too_far(b->distance);
        if (b->widened)
            edit->queue[queued++] = i;
    }
    while (taken < queued) {
        uint32_t grown = edit->queue[taken++];
        uint32_t offset = edit->branches[grown].offset;
        for (uint32_t i = grown; i-- > 0 && offset - edit->branches[i].offset <= 2 + 127;)
            if (stretch(edit, &edit->branches[i], offset)) {
                edit->branches[i].widened = true;
                edit->queue[queued++] = i;
            }
        for (uint32_t i = grown + 1; i < edit->branch_count && edit->branches[i].offset - offset <= 128; i++)
            if (stretch(edit, &edit->branches[i], offset)) {
                edit->branches[i].widened = true;
                edit->queue[queued++] = i;
            }
    }
    *widened = queued;
    return ECMA_OK;
}

/* The new clause for an old one. */
void il_map_clause(const il_edit *edit, il_clause *c) {
    uint32_t try_end = il_map_end(edit, c->try_offset + c->try_length);
    uint32_t handler_end = il_map_end(edit, c->handler_offset + c->handler_length);
    c->try_offset = il_map_offset(edit, c->try_offset);
    c->handler_offset = il_map_offset(edit, c->handler_offset);
    /* An empty range whose start moves behind a head stays empty. */
    c->try_length = try_end > c->try_offset ? try_end - c->try_offset : 0;
    c->handler_length = handler_end > c->handler_offset ? handler_end - c->handler_offset : 0;
    if (c->flags == IL_CLAUSE_FILTER)
        c->class_token_or_filter_offset = il_map_offset(edit, c->class_token_or_filter_offset);
}

/* Sections keep their format unless a clause outgrows the small one. Returns the size with the code's. */
static uint64_t size_sections(il_edit *edit, uint64_t size) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < edit->body.section_count; i++) {
        const il_section *section = &edit->body.sections[i];
        edit->fat_section[i] = section->fat;
        for (uint32_t n = 0; n < section->clause_count; n++) {
            il_clause c;
            il_body_clause(&edit->body, index++, &c);
            il_map_clause(edit, &c);
            if (c.try_offset > 0xFFFF || c.handler_offset > 0xFFFF || c.try_length > 0xFF || c.handler_length > 0xFF)
                edit->fat_section[i] = true;
        }
        size = (size + 3) / 4 * 4 + 4 + (uint64_t)section->clause_count * (edit->fat_section[i] ? 24 : 12);
    }
    return size;
}

static ecma_status too_big(il_fault *fault) {
    *fault = (il_fault){"the rewritten body would exceed 2 GiB", 0};
    return ECMA_UNSUPPORTED;
}

ecma_status il_edit_layout(il_edit *edit, il_fault *fault) {
    /* No offset can pass this sum, so the arithmetic below needs no checks of its own. */
    uint64_t most = edit->body.code.size + (uint64_t)edit->branch_count * WIDENING;
    bool has_apart = false;
    for (uint32_t i = 0; i < edit->insertion_count; i++) {
        most += edit->insertions[i].code.size + 1;
        if (edit->insertions[i].code.size > INT32_MAX || most > INT32_MAX)
            return too_big(fault);
        has_apart |= edit->insertions[i].place == IL_APART;
        edit->insertions[i].used = false;
    }
    if (most > INT32_MAX)
        return too_big(fault);

    edit->apart_used = false;
    if (has_apart)
        find_apart_references(edit);
    if (edit->apart_used && edit->flow.runs_off_end) {
        *fault = (il_fault){"code would go behind code that runs off its end", (uint32_t)edit->body.code.size};
        return ECMA_UNSUPPORTED;
    }
    if (!build_points(edit, 0))
        return ECMA_NO_MEMORY;
    place_apart(edit);
    uint32_t widened = 0;
    ecma_status status = widen(edit, &widened);
    if (status != ECMA_OK)
        return status;
    if (widened) {
        if (!build_points(edit, widened))
            return ECMA_NO_MEMORY;
        place_apart(edit);
    }

    edit->tiny = edit->body.tiny && edit->code_size < 64 && edit->max_stack <= 8 && edit->local_var_sig_token == 0;
    uint64_t size = size_sections(edit, (edit->tiny ? 1u : 12u) + (uint64_t)edit->code_size);
    if (size > INT32_MAX)
        return too_big(fault);
    edit->size = (uint32_t)size;
    return ECMA_OK;
}
