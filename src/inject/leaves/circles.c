#include "inject/leaves/circles.h"

#include <stdlib.h>

#include "il/decode.h"
#include "metadata/types.h"
#include "util/list.h"

/* Strongly connected components, by Tarjan's algorithm (1972) with a path of its own instead of recursion. */
typedef struct search {
    uint32_t *callees; /* rows, those of each method together */
    uint32_t *ends;    /* of each row: where its callees end, and those of the next one begin */
    bool *calls_itself;
    uint32_t *number, *low; /* of each row; number 0: not met yet */
    uint32_t *next;         /* of each row: the callee to go on with */
    uint32_t *path, *open;  /* rows */
    uint32_t count, capacity, path_count, open_count, met;
} search;

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

static bool add_callees(search *s, const ilj_image *image, uint32_t row, bytes code) {
    const md_view *v = &image->metadata;
    il_cursor cursor = il_cursor_of(code);
    il_instruction i;
    while (il_next(&cursor, &i)) {
        md_token member = i.operand == IL_InlineMethod ? md_member(v, i.token) : 0;
        if (md_token_table(member) != MD_TABLE_MethodDef || !member)
            continue;
        if (!list_grow((void **)&s->callees, s->count, &s->capacity, sizeof *s->callees))
            return false;
        s->callees[s->count++] = md_token_row(member);
        s->calls_itself[row] |= md_token_row(member) == row;
    }
    return true;
}

static bool find_calls(search *s, const ilj_image *image, const bodies *b, uint32_t rows) {
    pe_section_hint hint = {0};
    uint32_t row = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        const method_body *m = &b->list[i];
        bytes from;
        il_body body;
        il_fault fault;
        while (row < m->row)
            s->ends[row++] = s->count;
        if (!m->native && pe_try_bytes_with_hint(&image->pe, &hint, m->rva, &from) &&
            il_body_try_read(&body, from, &fault) && !add_callees(s, image, m->row, body.code))
            return false;
    }
    while (row <= rows)
        s->ends[row++] = s->count;
    return true;
}

/* ---- Circles ----------------------------------------------------------------------------------------------------- */

static void meet(search *s, uint32_t row) {
    s->number[row] = s->low[row] = ++s->met;
    s->next[row] = s->ends[row - 1];
    s->path[s->path_count++] = s->open[s->open_count++] = row;
}

/* All callees of the innermost method of the path were met. An open one has no circle yet. */
static void leave(search *s, uint32_t *circle, uint32_t *circle_count) {
    uint32_t row = s->path[--s->path_count], member;
    if (s->path_count > 0 && s->low[row] < s->low[s->path[s->path_count - 1]])
        s->low[s->path[s->path_count - 1]] = s->low[row];
    if (s->low[row] != s->number[row])
        return;
    bool alone = s->open[s->open_count - 1] == row && !s->calls_itself[row];
    *circle_count += !alone;
    do {
        member = s->open[--s->open_count];
        circle[member] = alone ? 0 : *circle_count;
    } while (member != row);
}

static void walk(search *s, uint32_t *circle, uint32_t *circle_count, uint32_t root) {
    meet(s, root);
    while (s->path_count > 0) {
        uint32_t row = s->path[s->path_count - 1];
        if (s->next[row] == s->ends[row]) {
            leave(s, circle, circle_count);
            continue;
        }
        uint32_t callee = s->callees[s->next[row]++];
        if (s->number[callee] == 0)
            meet(s, callee);
        else if (circle[callee] == UINT32_MAX && s->number[callee] < s->low[row])
            s->low[row] = s->number[callee];
    }
}

ecma_status circles_find(circles *c, ilj_image *image, const bodies *b) {
    const uint32_t rows = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    const size_t size = rows + (size_t)1;
    search s = {.ends = calloc(size, sizeof *s.ends),
                .calls_itself = calloc(size, sizeof *s.calls_itself),
                .number = calloc(size, sizeof *s.number),
                .low = calloc(size, sizeof *s.low),
                .next = calloc(size, sizeof *s.next),
                .path = calloc(size, sizeof *s.path),
                .open = calloc(size, sizeof *s.open)};
    uint32_t *circle = arena_alloc_array(&image->arena, size, sizeof *circle), count = 0;
    bool done = circle && s.ends && s.calls_itself && s.number && s.low && s.next && s.path && s.open &&
                find_calls(&s, image, b, rows);
    for (uint32_t row = 0; done && row <= rows; row++)
        circle[row] = UINT32_MAX;
    for (uint32_t row = 1; done && row <= rows; row++)
        if (s.number[row] == 0)
            walk(&s, circle, &count, row);
    c->of_method = circle;
    void *owned[] = {s.callees, s.ends, s.calls_itself, s.number, s.low, s.next, s.path, s.open};
    for (size_t i = 0; i < sizeof owned / sizeof owned[0]; i++)
        free(owned[i]);
    return done ? ECMA_OK : diag_no_memory(&image->diag);
}
