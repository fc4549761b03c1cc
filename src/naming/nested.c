#include "naming/nested.h"

#include "il/decode.h"
#include "naming/code.h"

typedef struct search {
    notes_search *notes;
    const md_view *v;
    uint32_t *machine; /* by MethodDef row: the method that runs the body of an async or iterator method; 0: none */
    uint32_t *queue, count;
} search;

/* A lambda, `<Main>b__0_3`, or a local function, `<Main>g__Load|0_4`. */
static bool is_within(const char *name) {
    return name[0] == '<' && (strstr(name, ">b__") || strstr(name, ">g__"));
}

/* Queues what the method names and no other endpoint is. */
static void look_through(search *s, uint32_t method, uint32_t endpoint) {
    il_body body;
    if (!method || !method_code(s->notes->image, method, &body))
        return;
    il_cursor cursor = il_cursor_of(body.code);
    for (il_instruction i; il_next(&cursor, &i);) {
        md_token member = i.operand == IL_InlineMethod ? md_member(s->v, i.token) : 0;
        uint32_t row = md_token_table(member) == MD_TABLE_MethodDef ? md_token_row(member) : 0;
        if (!row || s->notes->routes[row] || s->notes->homes[row] || !is_within(md_name(s->v, MD_MethodDef_Name, row)))
            continue;
        s->notes->homes[row] = endpoint;
        s->queue[s->count++] = row;
    }
}

bool nested_find(notes_search *notes) {
    const md_view *v = &notes->image->metadata;
    uint32_t methods = md_row_count(v, MD_TABLE_MethodDef);
    search s = {.notes = notes, .v = v};
    s.machine = arena_alloc_array(&notes->memory, methods + 1u, sizeof *s.machine);
    s.queue = arena_alloc_array(&notes->memory, methods + 1u, sizeof *s.queue);
    if (!s.machine || !s.queue)
        return false;
    for (uint32_t i = 0; i < notes->machines->count; i++)
        s.machine[notes->machines->list[i].owner] = notes->machines->list[i].method;
    for (uint32_t row = 1; row <= methods; row++)
        if (notes->routes[row] && is_within(md_name(v, MD_MethodDef_Name, row)))
            s.queue[s.count++] = row;
    for (uint32_t at = 0; at < s.count; at++) {
        uint32_t row = s.queue[at], endpoint = notes->homes[row] ? notes->homes[row] : row;
        look_through(&s, row, endpoint);
        look_through(&s, s.machine[row], endpoint);
    }
    return true;
}
