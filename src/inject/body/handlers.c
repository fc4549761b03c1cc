#include "inject/body/handlers.h"

#include "il/decode.h"
#include "metadata/types.h"

#include <stdlib.h>
#include <string.h>

static int by_value(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Offsets of handlers, or of filters, each with the number of the clause. */
static uint32_t list_offsets(buffer *list, const il_body *body, bool filters) {
    uint32_t last = 0, count = 0, found = 0;
    bool sorted = true;
    list->size = 0;
    for (uint32_t i = 0; i < body->clause_count; i++) {
        il_clause c;
        il_body_clause(body, i, &c);
        if (filters && c.flags != IL_CLAUSE_FILTER)
            continue;
        const uint32_t offset = filters ? c.class_token_or_filter_offset : c.handler_offset;
        sorted &= last <= offset;
        last = offset;
        buffer_append(list, &(uint64_t){(uint64_t)offset << 32 | i}, sizeof(uint64_t));
        found++;
    }
    if (list->failed || found == 0)
        return 0;
    uint64_t *all = (uint64_t *)(void *)list->data;
    if (!sorted)
        qsort(all, found, sizeof *all, by_value);
    for (uint32_t i = 0; i < found; i++)
        if (i == 0 || all[i] >> 32 != all[count - 1] >> 32)
            all[count++] = all[i];
    return count;
}

uint32_t handlers_list(buffer *list, const il_body *body) {
    return list_offsets(list, body, false);
}

uint32_t handlers_list_filters(buffer *list, const il_body *body) {
    return list_offsets(list, body, true);
}

/* The instructions of a handler, by what matters for its part. */
typedef struct handler_steps {
    bool casts; /* to an exception, at its head: F# */
    bool stores, numbers, gives_some, leaves, others;
    uint32_t rethrows, furthest; /* the offset after the last rethrow, and that to which a branch leads; 0: none */
} handler_steps;

static void look_at(handler_steps *s, const md_view *v, const il_instruction *i, bool first) {
    switch (i->opcode) {
    case IL_nop:
    case IL_ldarg_0:
    case IL_ldloc_0:
    case IL_ldloc_1:
    case IL_ldloc_2:
    case IL_ldloc_3:
    case IL_ldloc_s:
    case IL_ldloc:
        return;
    case IL_stloc_0:
    case IL_stloc_1:
    case IL_stloc_2:
    case IL_stloc_3:
    case IL_stloc_s:
    case IL_stloc:
    case IL_stfld:
        s->stores = true;
        return;
    case IL_ldc_i4_1:
        s->numbers = true;
        return;
    case IL_castclass:
        s->casts |= first;
        s->others |= !first;
        return;
    case IL_call:
        if (strcmp(md_member_name(v, md_member(v, i->token)), "Some") == 0)
            s->gives_some = true;
        else
            s->others = true;
        return;
    case IL_leave:
    case IL_leave_s:
        /* Nothing runs after the rethrow, unless a branch leads there. */
        s->leaves |= !s->rethrows || s->furthest >= s->rethrows;
        return;
    case IL_rethrow:
        s->rethrows = i->offset + i->size;
        return;
    default:
        s->others = true;
        if (i->operand == IL_InlineSwitch)
            s->leaves = true;
        else if ((i->operand == IL_ShortInlineBrTarget || i->operand == IL_InlineBrTarget) && i->target > s->furthest)
            s->furthest = i->target;
    }
}

handler_part handlers_part(const md_view *v, const il_body *body, const il_clause *clause) {
    if (clause->flags != IL_CLAUSE_EXCEPTION ||
        !md_type_is(v, md_type_definition(v, clause->class_token_or_filter_offset), "System", "Object"))
        return HANDLER_CATCHES;
    handler_steps s = {0};
    il_cursor cursor = il_cursor_of(body->code);
    cursor.at = clause->handler_offset;
    const uint32_t end = clause->handler_offset + clause->handler_length;
    for (il_instruction i; cursor.at < end && il_next(&cursor, &i);)
        look_at(&s, v, &i, i.offset == clause->handler_offset);
    if (s.casts && s.rethrows && !s.leaves)
        return HANDLER_UNWINDS;
    /* A catch block that awaits puts its number by as well; F# does so in both, and an option in a finally block alone.
     */
    bool holds = s.stores && s.leaves && !s.rethrows && !s.others;
    return holds && (s.casts ? s.gives_some : !s.numbers && !s.gives_some) ? HANDLER_HOLDS : HANDLER_CATCHES;
}
