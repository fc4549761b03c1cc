/* The bytes of the rewritten body. */
#include "il/edit_parts.h"

/* Where a reference to an old offset leads. */
static inline uint32_t target_of(const il_edit *edit, uint32_t old_offset) {
    const il_insertion *apart = edit->apart_used ? il_apart_at(edit, old_offset) : NULL;
    return apart ? apart->new_offset : il_new_reference(edit, old_offset);
}

static uint8_t *write_switch(const il_edit *edit, const il_branch *b, const uint8_t *code, uint8_t *p) {
    uint32_t end = (uint32_t)(p - code) + 5 + b->arm_count * 4;
    *p++ = (uint8_t)il_opcodes[IL_switch].encoding;
    store_u32(p, b->arm_count);
    for (uint32_t arm = 0; arm < b->arm_count; arm++)
        store_u32(p += 4, target_of(edit, edit->arms[b->target + arm]) - end);
    return p + 4;
}

/* Writes the branch as it is now at `p`, `code` being the new code's first byte; returns where it ends. */
static inline uint8_t *write_branch(const il_edit *edit, const il_branch *b, const uint8_t *code, uint8_t *p,
                                    bool *missed) {
    if (il_is_switch(b))
        return write_switch(edit, b, code, p);
    uint32_t target = il_is_ret(b) ? edit->exit_offset : target_of(edit, b->target);
    const il_opcode_facts *facts = &il_opcodes[b->opcode];
    if (b->form != IL_FORM_LONG) {
        int32_t distance = (int32_t)(target - (uint32_t)(p + 2 - code));
        *missed |= distance != (int8_t)distance;
        p[0] = (uint8_t)facts->encoding;
        p[1] = (uint8_t)distance;
        return p + 2;
    }
    p[0] = (uint8_t)il_opcodes[facts->long_form].encoding;
    store_u32(p + 1, target - (uint32_t)(p + 5 - code));
    return p + 5;
}

static inline uint8_t *put(uint8_t *p, bytes run) {
    return copy_run(p, run.data, run.size);
}

/* The code of an edit that is straight. */
static inline void write_straight(const il_edit *edit, uint8_t *p) {
    const uint8_t *const old = edit->body.code.data, *const inserted = edit->inserted.data;
    const uint32_t old_end = (uint32_t)edit->body.code.size - edit->guarded;
    uint32_t taken = 0; /* of the old code */
    for (const il_insertion *in = edit->insertions, *end = in + edit->insertion_count; in < end; in++) {
        p = copy_run(p, old + taken, in->offset - taken);
        p = copy_run(p, inserted + in->start, in->size);
        taken = in->offset;
    }
    p = copy_run(p, old + taken, old_end - taken);
    if (!edit->guarded)
        return;
    *p++ = IL_OP_leave_s;
    *p++ = (uint8_t)edit->guard.fault.size;
    p = put(p, edit->guard.fault);
    put(p, edit->guard.exit);
}

/* Returns whether every branch reaches its target. */
static __attribute__((noinline)) bool write_any(const il_edit *edit, uint8_t *code) {
    const uint8_t *old = edit->body.code.data;
    const il_branch *b = edit->branches;
    uint32_t taken = 0; /* of the old code */
    uint8_t *p = code;
    bool missed = false;
    const il_insertion *const insertions = edit->insertions;
    const uint8_t *const inserted = edit->inserted.data;
    const uint32_t old_size = (uint32_t)edit->body.code.size, count = edit->insertion_count;
    const bool apart = edit->has_apart;
    for (uint32_t i = 0;; i++) {
        while (apart && i < count && insertions[i].place == IL_APART)
            i++;
        uint32_t end = i < count ? insertions[i].offset : old_size;
        for (; b->offset < end; b++) {
            p = copy_run(p, old + taken, b->offset - taken);
            p = write_branch(edit, b, code, p, &missed);
            taken = b->offset + il_branch_size(b);
        }
        p = copy_run(p, old + taken, end - taken);
        if (i == count)
            break;
        const il_insertion *in = &insertions[i];
        taken = end + in->replaced;
        p = copy_run(p, inserted + in->start, in->size + in->replaced);
    }
    if (edit->guarded) {
        p = put(p, edit->guard.fault);
        if (edit->guard.filter.size) {
            p = put(p, edit->guard.filter);
            p = put(p, edit->guard.filter_handler);
        }
        put(p, edit->guard.exit);
    }
    for (uint32_t i = 0; edit->apart_used && i < edit->insertion_count; i++) {
        const il_insertion *in = &edit->insertions[i];
        if (in->place != IL_APART || !in->used)
            continue;
        p = put(p, il_inserted_code(edit, in));
        for (; i + 1 < edit->insertion_count && edit->insertions[i + 1].offset == in->offset; i++)
            p = put(p, il_inserted_code(edit, &edit->insertions[i + 1]));
        *p++ = (uint8_t)il_opcodes[IL_ret].encoding;
    }
    return !missed;
}

static inline bool write_code(const il_edit *edit, uint8_t *code) {
    if (!edit->straight)
        return write_any(edit, code);
    write_straight(edit, code);
    return true;
}

static uint8_t *write_clause(const il_clause *c, bool fat, uint8_t *p) {
    if (fat) {
        store_u32(p, c->flags);
        store_u32(p + 4, c->try_offset);
        store_u32(p + 8, c->try_length);
        store_u32(p + 12, c->handler_offset);
        store_u32(p + 16, c->handler_length);
        store_u32(p + 20, c->class_token_or_filter_offset);
        return p + 24;
    }
    store_u32(p, (c->flags & 0xFFFF) | c->try_offset << 16);
    store_u32(p + 4, (c->try_length & 0xFF) | (c->handler_offset & 0xFFFF) << 8 | c->handler_length << 24);
    store_u32(p + 8, c->class_token_or_filter_offset);
    return p + 12;
}

static uint32_t section_head(uint32_t kind, bool fat, uint32_t count, uint32_t excess) {
    const uint32_t data_size = count * (fat ? 24 : 12) + excess;
    return IL_SECT_EH_TABLE | kind | (fat ? IL_SECT_FAT_FORMAT | data_size << 8 : (data_size & 0xFF) << 8);
}

/* The one section of a body that is guarded and had none. */
static void write_guard_section(const il_edit *edit, uint8_t *to, uint8_t *p) {
    const bool fat = edit->fat_section[0];
    il_clause c;
    store_u32(p, 0);
    p += -(size_t)(p - to) & 3;
    store_u32(p, section_head(0, fat, 1, 4));
    il_guard_clause(edit, 0, &c);
    write_clause(&c, fat, p + 4);
}

/* Writes the sections that follow the code, which ends at `p`, after the header at `to`. */
static __attribute__((noinline)) void write_sections(const il_edit *edit, uint8_t *to, uint8_t *p) {
    uint32_t index = 0;
    for (uint32_t i = 0; i < edit->body.section_count; i++) {
        const il_section *section = &edit->body.sections[i];
        bool fat = edit->fat_section[i];
        size_t padding = (4 - ((size_t)(p - to) & 3)) & 3;
        store_u32(p, 0); /* the section's head, of four bytes, is written over the rest */
        if (section->padding_size && padding == section->padding_size)
            copy_run(p, section->padding, padding);
        p += padding;

        uint32_t excess = fat == section->fat ? section->data_size_excess : 4;
        uint32_t count = il_section_clauses(edit, i);
        const uint32_t more = i + 1 < edit->body.section_count ? IL_SECT_MORE_SECTS : 0;
        store_u32(p, section_head(more, fat, count, excess) | (fat ? 0 : (uint32_t)section->reserved << 16));
        p += 4;
        for (uint32_t n = 0; n < count; n++) {
            il_clause c;
            il_new_clause(edit, index++, &c);
            p = write_clause(&c, fat, p);
        }
    }
}

ecma_status il_edit_write(const il_edit *edit, uint8_t *to) {
    if (edit->tiny) {
        to[0] = (uint8_t)(edit->code_size << 2 | IL_TINY_FORMAT);
        return write_code(edit, to + 1) ? ECMA_OK : ECMA_BUG;
    }
    uint16_t flags = edit->body.tiny ? IL_FAT_FORMAT : edit->body.flags & (uint16_t)~IL_INIT_LOCALS;
    if (edit->init_locals)
        flags |= IL_INIT_LOCALS;
    if (edit->body.section_count)
        flags |= IL_MORE_SECTS;
    store_u32(to, flags | 3u << 12 | (uint32_t)edit->max_stack << 16);
    store_u32(to + 4, edit->code_size);
    store_u32(to + 8, edit->local_var_sig_token);
    bool reaches = write_code(edit, to + 12);
    if (il_has_guard_alone(edit))
        write_guard_section(edit, to, to + 12 + edit->code_size);
    else if (edit->body.section_count)
        write_sections(edit, to, to + 12 + edit->code_size);
    return reaches ? ECMA_OK : ECMA_BUG;
}

ecma_status il_edit_encode(il_edit *edit, buffer *out, il_fault *fault) {
    ecma_status status = il_edit_layout(edit, fault);
    if (status != ECMA_OK)
        return status;
    uint8_t *to = buffer_extend(out, edit->size);
    if (!to)
        return ECMA_NO_MEMORY;
    return il_edit_write(edit, to);
}
