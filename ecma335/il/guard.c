/* A protected region around the code: what stands where, and the rets that become leaves. */
#include "il/edit_parts.h"

static bool crosses(uint32_t start, uint32_t from, uint32_t to) {
    return (from < start) != (to < start);
}

static bool branch_crosses(const il_edit *edit, const il_branch *b, uint32_t start) {
    if (!il_is_switch(b))
        return crosses(start, b->offset, b->target);
    for (uint32_t i = 0; i < b->arm_count; i++)
        if (crosses(start, b->offset, edit->arms[b->target + i]))
            return true;
    return false;
}

static bool range_crosses(uint32_t start, uint32_t offset, uint32_t length) {
    return offset < start && offset + length > start;
}

/* The first exit at or after an offset. */
static uint32_t exit_from(const il_edit *edit, uint32_t offset) {
    uint32_t low = 0, high = edit->exit_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (edit->exits[middle].offset < offset)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Does a ret stand in a protected region, a filter or a handler, where there may be none (III.3.56)? */
static bool returns_within(const il_edit *edit) {
    for (uint32_t i = 0; i < edit->body.clause_count; i++) {
        il_clause c;
        il_body_clause(&edit->body, i, &c);
        uint32_t handler = c.handler_offset;
        if (c.flags == IL_CLAUSE_FILTER && c.class_token_or_filter_offset < handler)
            handler = c.class_token_or_filter_offset;
        if (exit_from(edit, c.try_offset) != exit_from(edit, c.try_offset + c.try_length) ||
            exit_from(edit, handler) != exit_from(edit, c.handler_offset + c.handler_length))
            return true;
    }
    return false;
}

bool il_can_part(const il_edit *edit, uint32_t start) {
    if (returns_within(edit))
        return false;
    if (start == 0)
        return true;
    if (start >= edit->body.code.size || !il_is_start(edit, start) ||
        (edit->exit_count && edit->exits[0].offset < start))
        return false;
    for (uint32_t i = 0; i < edit->branch_count; i++)
        if (branch_crosses(edit, &edit->branches[i], start))
            return false;
    for (uint32_t i = 0; i < edit->body.clause_count; i++) {
        il_clause c;
        il_body_clause(&edit->body, i, &c);
        if (range_crosses(start, c.try_offset, c.try_length) ||
            range_crosses(start, c.handler_offset, c.handler_length) || crosses(start, c.try_offset, c.handler_offset))
            return false;
    }
    return true;
}

/* The rets join the branches, in code order. */
static bool add_rets(il_edit *edit) {
    uint32_t b = edit->branch_count, exit = edit->exit_count;
    if (!il_grow(&edit->branches, &edit->branches_capacity, (size_t)b + exit + 1, sizeof *edit->branches))
        return false;
    edit->branch_count = b + exit;
    edit->branches[edit->branch_count].offset = UINT32_MAX;
    for (uint32_t to = edit->branch_count; exit > 0;) {
        if (b > 0 && edit->branches[b - 1].offset > edit->exits[exit - 1].offset)
            edit->branches[--to] = edit->branches[--b];
        else
            edit->branches[--to] =
                (il_branch){.offset = edit->exits[--exit].offset, .opcode = IL_leave_s, .size = IL_RET_SIZE};
    }
    return true;
}

ecma_status il_set_guard(il_edit *edit, const il_guard *guard) {
    if (!add_rets(edit))
        return ECMA_NO_MEMORY;
    edit->guard = *guard;
    edit->guarded = true;
    edit->adds_section = edit->body.section_count == 0;
    if (edit->adds_section) {
        edit->body.sections[0] = (il_section){.data_size_excess = 4};
        edit->body.section_count = 1;
    }
    return ECMA_OK;
}
