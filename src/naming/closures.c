#include "naming/closures.h"

#include "il/decode.h"
#include "metadata/types.h"
#include "naming/code.h"

enum { MOST_STEPS = 16 }; /* of closures in closures */

/* `name@12`: what fsc names after a binding, and no source can. */
static bool is_made(const char *name) {
    for (const char *at = name; (at = strchr(at, '@')) != NULL; at++)
        if (at > name && at[1] >= '0' && at[1] <= '9')
            return true;
    return false;
}

bool closures_may_be(const ilj_image *image) {
    const md_view *v = &image->metadata;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_AssemblyRef); row++)
        if (md_name_is(v, MD_AssemblyRef_Name, row, "FSharp.Core"))
            return true;
    return false;
}

typedef struct search {
    notes_search *notes;
    const md_view *v;
    bool *made_type, *made_method; /* by row: fsc made up its name */
    uint32_t *of_type, *of_method; /* MethodDef rows: the first one outside that names it */
} search;

static uint32_t type_of_field(const search *s, uint32_t token) {
    if (md_token_table(token) == MD_TABLE_Field)
        return md_field_type(s->v, md_token_row(token));
    md_token type = md_token_table(token) == MD_TABLE_MemberRef
                        ? md_type_definition(s->v, md_cell_token(s->v, MD_MemberRef_Class, md_token_row(token)))
                        : 0;
    return md_token_table(type) == MD_TABLE_TypeDef ? md_token_row(type) : 0;
}

static void name_type(const search *s, uint32_t type, uint32_t method) {
    if (type && s->made_type[type] && !s->of_type[type] && md_method_type(&s->notes->image->index, method) != type)
        s->of_type[type] = method;
}

static void look_through(const search *s, uint32_t method) {
    il_body body;
    if (!method_code(s->notes->image, method, &body))
        return;
    il_cursor cursor = il_cursor_of(body.code);
    for (il_instruction i; il_next(&cursor, &i);) {
        if (i.operand == IL_InlineField) {
            name_type(s, type_of_field(s, i.token), method);
        } else if (i.operand == IL_InlineType) {
            md_token type = md_type_definition(s->v, i.token);
            name_type(s, md_token_table(type) == MD_TABLE_TypeDef ? md_token_row(type) : 0, method);
        } else if (i.operand == IL_InlineMethod) {
            md_token member = md_member(s->v, i.token);
            uint32_t row = md_token_table(member) == MD_TABLE_MethodDef ? md_token_row(member) : 0;
            md_token type = md_type_definition(s->v, md_member_type(s->v, &s->notes->image->index, member));
            name_type(s, md_token_table(type) == MD_TABLE_TypeDef ? md_token_row(type) : 0, method);
            if (row && s->made_method[row] && !s->of_method[row] && row != method)
                s->of_method[row] = method;
        }
    }
}

/* After the machine is made or started, does the method do nothing but return it, or its task? */
static bool is_body_of(const search *s, const state_machine *m) {
    const md_index *index = &s->notes->image->index;
    uint32_t machine = md_method_type(index, m->method);
    bool whole = false;
    il_body body;
    if (!method_code(s->notes->image, m->owner, &body))
        return false;
    il_cursor cursor = il_cursor_of(body.code);
    for (il_instruction i; il_next(&cursor, &i);) {
        il_flow_kind flow = (il_flow_kind)il_opcodes[i.opcode].flow;
        if (flow != IL_FLOW_call) {
            whole = whole && flow != IL_FLOW_cond_branch && flow != IL_FLOW_throw && i.opcode != IL_pop;
            continue;
        }
        md_token member = i.opcode == IL_calli ? 0 : md_member(s->v, i.token);
        md_token type = md_type_definition(s->v, md_member_type(s->v, index, member));
        const char *name = member ? md_member_name(s->v, member) : "";
        if (m->is_async ? strcmp(name, "Start") == 0 && md_token_table(i.token) == MD_TABLE_MethodSpec
                        : i.opcode == IL_newobj && type == md_token_of(MD_TABLE_TypeDef, machine))
            whole = true;
        else
            whole = whole && strcmp(name, "get_Task") == 0;
    }
    return whole;
}

/* The machines that are a method's whole body get its name as they are, with all that is in them. */
static void leave_bodies(const search *s, uint32_t *body_of) {
    for (uint32_t i = 0; i < s->notes->machines->count; i++) {
        const state_machine *m = &s->notes->machines->list[i];
        uint32_t type = md_method_type(&s->notes->image->index, m->method);
        if (!m->owner || !s->made_type[type])
            continue;
        s->of_type[type] = m->owner;
        if (is_body_of(s, m))
            body_of[m->method] = m->owner;
    }
}

/* The outermost method that it was written in; 0: nothing is known. */
static uint32_t home_of(const search *s, const uint32_t *body_of, uint32_t method) {
    uint32_t at = method;
    for (int steps = 0; steps < MOST_STEPS; steps++) {
        uint32_t type = md_method_type(&s->notes->image->index, at);
        uint32_t next = body_of[at]          ? body_of[at]
                        : s->made_type[type] ? s->of_type[type]
                        : s->made_method[at] ? s->of_method[at]
                                             : 0;
        if (next == 0)
            return at == method ? 0 : at;
        at = next;
    }
    return 0;
}

/* A value of a module is a part of no method, though its type initializer makes it. */
static void leave_values(const search *s) {
    uint32_t *homes = s->notes->homes;
    for (uint32_t row = 1; row <= md_row_count(s->v, MD_TABLE_MethodDef); row++)
        if (homes[row] && md_name_is(s->v, MD_MethodDef_Name, homes[row], ".cctor"))
            homes[row] = 0;
    for (uint32_t i = 0; i < s->notes->machines->count; i++) {
        const state_machine *m = &s->notes->machines->list[i];
        if (m->owner && md_name_is(s->v, MD_MethodDef_Name, m->owner, ".cctor") &&
            s->made_type[md_method_type(&s->notes->image->index, m->method)])
            homes[m->method] = m->method;
    }
}

bool closures_find(notes_search *notes) {
    const md_view *v = &notes->image->metadata;
    uint32_t types = md_row_count(v, MD_TABLE_TypeDef), methods = md_row_count(v, MD_TABLE_MethodDef);
    arena *a = &notes->memory;
    search s = {.notes = notes, .v = v};
    s.made_type = arena_alloc_array(a, types + 1u, sizeof *s.made_type);
    s.made_method = arena_alloc_array(a, methods + 1u, sizeof *s.made_method);
    s.of_type = arena_alloc_array(a, types + 1u, sizeof *s.of_type);
    s.of_method = arena_alloc_array(a, methods + 1u, sizeof *s.of_method);
    uint32_t *body_of = arena_alloc_array(a, methods + 1u, sizeof *body_of);
    if (!s.made_type || !s.made_method || !s.of_type || !s.of_method || !body_of)
        return false;
    for (uint32_t row = 1; row <= types; row++)
        s.made_type[row] = is_made(md_name(v, MD_TypeDef_TypeName, row));
    for (uint32_t row = 1; row <= methods; row++)
        s.made_method[row] = is_made(md_name(v, MD_MethodDef_Name, row));
    for (uint32_t row = 1; row <= methods; row++)
        look_through(&s, row);
    leave_bodies(&s, body_of);
    for (uint32_t row = 1; row <= methods; row++)
        if (!body_of[row])
            notes->homes[row] = home_of(&s, body_of, row);
    leave_values(&s);
    return true;
}
