/* An edit from body to body, and its list of insertions. */
#include "il/edit.h"

#include <stdlib.h>

#include "il/edit_parts.h"

void il_edit_init(il_edit *edit) {
    *edit = (il_edit){0};
}

void il_edit_clear(il_edit *edit) {
    free(edit->starts);
    free(edit->branches);
    free(edit->arms);
    free(edit->inner);
    free(edit->exits);
    free(edit->insertions);
    buffer_clear(&edit->inserted);
    free(edit->points);
    free(edit->blocks);
    free(edit->queue);
    il_edit_init(edit);
}

ecma_status il_edit_begin(il_edit *edit, const il_body *body, il_fault *fault) {
    il_body_copy(&edit->body, body);
    edit->max_stack = body->max_stack;
    edit->init_locals = body->init_locals;
    edit->local_var_sig_token = body->local_var_sig_token;
    edit->flow = (il_flow){0};
    edit->guarded = false;
    edit->exit_count = edit->branch_count = edit->arm_count = edit->inner_count = edit->insertion_count = 0;
    edit->inserted.size = 0;
    edit->replaced = 0;
    edit->unsorted = edit->inserts_too_much = edit->has_apart = false;
    edit->refused = ECMA_OK;
    edit->shorten = false;
    return il_scan(edit, fault);
}

static int rank(const il_insertion *in) {
    return in->place == IL_HEAD ? 0 : in->place == IL_REPLACEMENT ? 2 : 1;
}

/* Orders by offset. At one offset, IL_HEAD comes before the rest and a replacement after it; the rest keep the order of
 * their addition, as their code does. */
static int in_code_order(const void *a, const void *b) {
    const il_insertion *x = a, *y = b;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (rank(x) != rank(y))
        return rank(x) - rank(y);
    return (x->start > y->start) - (x->start < y->start);
}

static bool is_place(const il_edit *edit, uint32_t offset, il_place place) {
    if (offset >= edit->body.code.size || !il_is_start(edit, offset) ||
        (edit->inner_count && il_is_inner(edit, offset)))
        return false;
    return place != IL_APART || il_opcode_of_encoding[edit->body.code.data[offset]] == IL_ret;
}

static ecma_status add(il_edit *edit, uint32_t offset, uint8_t place, uint8_t replaced, bytes code) {
    uint32_t start = (uint32_t)edit->inserted.size, count = edit->insertion_count;
    if (code.size >= INT32_MAX - (uint64_t)start - edit->body.code.size)
        edit->inserts_too_much = true; /* the layout reports it, and needs nothing of the insertion */
    if (edit->inserts_too_much)
        return ECMA_OK;
    if (!il_grow(&edit->insertions, &edit->insertions_capacity, (size_t)count + 1, sizeof *edit->insertions) ||
        !buffer_reserve(&edit->inserted, code.size + 1)) /* so that there is some, also for none */
        return edit->refused = ECMA_NO_MEMORY;
    copy_run(edit->inserted.data + start, code.data, code.size);
    edit->inserted.size = start + code.size;
    edit->insertion_count = count + 1;
    il_insertion *in = &edit->insertions[count];
    *in = (il_insertion){
        .offset = offset, .start = start, .size = (uint32_t)code.size - replaced, .place = place, .replaced = replaced};
    edit->replaced += replaced;
    if (place == IL_APART)
        edit->has_apart = true;
    if (count > 0 && offset <= in[-1].offset && in_code_order(in - 1, in) > 0)
        edit->unsorted = true;
    return ECMA_OK;
}

static __attribute__((noinline)) ecma_status insert_any(il_edit *edit, uint32_t offset, il_place place, bytes code) {
    if (!is_place(edit, offset, place))
        return edit->refused = ECMA_BUG;
    return add(edit, offset, (uint8_t)place, 0, code);
}

/* Nearly all insertions are a few bytes after those that are there, at a plain instruction, and there is room for them:
 * they need no function, so that nothing has to be saved for one. */
ecma_status il_insert(il_edit *edit, uint32_t offset, il_place place, bytes code) {
    enum { FEW = 16 };
    const uint32_t count = edit->insertion_count, start = (uint32_t)edit->inserted.size;
    if (code.size > FEW || edit->inserted.capacity - start < FEW || count >= edit->insertions_capacity ||
        place == IL_APART || edit->inner_count || offset >= edit->body.code.size ||
        start + edit->body.code.size > INT32_MAX / 2 || !il_is_start(edit, offset) ||
        (count && offset <= edit->insertions[count - 1].offset))
        return insert_any(edit, offset, place, code);
    copy_run(edit->inserted.data + start, code.data, code.size);
    edit->inserted.size = start + code.size;
    edit->insertion_count = count + 1;
    edit->insertions[count] =
        (il_insertion){.offset = offset, .start = start, .size = (uint32_t)code.size, .place = (uint8_t)place};
    return ECMA_OK;
}

ecma_status il_replace(il_edit *edit, uint32_t offset, bytes code) {
    if (!is_place(edit, offset, IL_BEFORE))
        return edit->refused = ECMA_BUG;
    const uint8_t *p = edit->body.code.data + offset;
    il_opcode opcode = il_opcode_of_encoding[*p == IL_WIDE ? 256 + p[1] : *p];
    const il_opcode_facts *old = &il_opcodes[opcode];
    if (old->flow != IL_FLOW_next || code.size < (size_t)old->size + old->operand_size)
        return edit->refused = ECMA_BUG;
    return add(edit, offset, IL_REPLACEMENT, (uint8_t)(old->size + old->operand_size), code);
}

/* Moves each to the front, past those that it belongs before; false: that takes too many steps. */
static bool sort_by_moving(il_edit *edit) {
    enum { STEPS = 8 }; /* of each, on average */
    uint64_t steps = (uint64_t)edit->insertion_count * STEPS;
    for (uint32_t i = 1; i < edit->insertion_count; i++) {
        const il_insertion moved = edit->insertions[i];
        uint32_t at = i;
        for (; at > 0 && in_code_order(&edit->insertions[at - 1], &moved) > 0; at--)
            edit->insertions[at] = edit->insertions[at - 1];
        edit->insertions[at] = moved;
        if (i - at > steps)
            return false;
        steps -= i - at;
    }
    return true;
}

/* Most are in their order: a few kinds of code follow one after the other, each through the body. */
void il_sort_insertions(il_edit *edit) {
    if (!sort_by_moving(edit))
        qsort(edit->insertions, edit->insertion_count, sizeof *edit->insertions, in_code_order);
    edit->unsorted = false;
}
