#include "naming/routes.h"

#include "il/opcode.h"
#include "input/call_effects.h"
#include "metadata/signature.h"
#include "naming/code.h"
#include "naming/route_text.h"

enum { MOST_STACK = 32, MOST_LOCALS = 64, MOST_FIELDS = 32, MOST_WAYS = 8, ROUNDS = 3 };

typedef enum value_kind { NOTHING, TEXT, METHOD, HANDLER, GROUP, VERBS } value_kind;

/* What is known of an item of the stack. */
typedef struct value {
    value_kind kind;
    uint32_t number;  /* TEXT: token; METHOD, HANDLER: MethodDef row; VERBS: offset of its newarr */
    const char *text; /* GROUP: prefix; VERBS: with commas */
} value;

typedef struct stack {
    value items[MOST_STACK];
    uint32_t depth;
} stack;

/* A branch to what comes after it. */
typedef struct way {
    uint32_t target; /* 0: none */
    stack stack;
} way;

/* The group that a method's callers give it. */
typedef struct given {
    uint32_t parameter; /* 1 + its position, `this` counted */
    const char *prefix;
} given;

typedef struct search {
    notes_search *notes;
    const md_view *v;
    effects *effects;
    given *known, *next; /* by MethodDef row: of the round before, of this one */
    bool last, failed;   /* round; memory ran out */
    /* Of the method that is followed: */
    uint32_t method;
    stack now;
    value locals[MOST_LOCALS];
    struct {
        uint32_t token;
        value value;
    } fields[MOST_FIELDS];
    uint32_t field_count;
    way ways[MOST_WAYS];
    buffer text;
} search;

bool routes_may_be(const ilj_image *image) {
    const md_view *v = &image->metadata;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_TypeRef); row++)
        if (md_name_is(v, MD_TypeRef_TypeName, row, "EndpointRouteBuilderExtensions") ||
            md_name_is(v, MD_TypeRef_TypeName, row, "RouteHandlerServices"))
            return true;
    return false;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

static void push(search *s, value v) {
    if (s->now.depth < MOST_STACK)
        s->now.items[s->now.depth++] = v;
}

static value pop(search *s) {
    return s->now.depth ? s->now.items[--s->now.depth] : (value){0};
}

static bool same(const value *a, const value *b) {
    return a->kind == b->kind && a->number == b->number &&
           (a->text == b->text || (a->text && b->text && strcmp(a->text, b->text) == 0));
}

/* The text of the buffer, kept; NULL: there is no memory. */
static const char *keep(search *s) {
    char *text = s->text.failed ? NULL : arena_alloc(&s->notes->memory, s->text.size + 1);
    s->failed |= !text;
    if (text && s->text.size > 0)
        memcpy(text, s->text.data, s->text.size);
    return text;
}

/* A value of the type that a signature has here. */
static value value_of_type(const search *s, reader *r) {
    static const struct {
        const char *name, *prefix;
    } rows[] = {{"RouteGroupBuilder", ROUTE_UNKNOWN}, {"IEndpointRouteBuilder", ""}, {"WebApplication", ""}};
    if (reader_u8(r) != MD_ELEMENT_CLASS)
        return (value){0};
    md_token type = md_type_definition(s->v, md_read_type_token(r));
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !r->failed; i++)
        if (md_token_table(type) == MD_TABLE_TypeRef &&
            md_name_is(s->v, MD_TypeRef_TypeName, md_token_row(type), rows[i].name))
            return (value){.kind = GROUP, .text = rows[i].prefix};
    return (value){0};
}

static value argument(const search *s, uint32_t position) {
    bytes signature;
    md_method_sig sig;
    const given *known = &s->known[s->method];
    if (known->parameter == position + 1)
        return (value){.kind = GROUP, .text = known->prefix};
    if (!md_try_blob(s->v, md_cell(s->v, MD_MethodDef_Signature, s->method), &signature))
        return (value){0};
    reader r = reader_of(signature);
    if (!md_try_method_sig(&r, &sig))
        return (value){0};
    bool has_this = sig.convention & MD_SIG_HASTHIS;
    if ((has_this && position == 0) || position - has_this >= sig.parameter_count || !md_skip_type(&r))
        return (value){0};
    for (uint32_t i = 0; i < position - has_this; i++)
        if (!md_skip_type(&r))
            return (value){0};
    return value_of_type(s, &r);
}

static value load_field(const search *s, uint32_t token) {
    bytes signature;
    for (uint32_t i = 0; i < s->field_count; i++)
        if (s->fields[i].token == token)
            return s->fields[i].value;
    if (md_token_table(token) != MD_TABLE_Field ||
        !md_try_blob(s->v, md_cell(s->v, MD_Field_Signature, md_token_row(token)), &signature))
        return (value){0};
    reader r = reader_of(signature);
    return reader_u8(&r) == MD_SIG_FIELD ? value_of_type(s, &r) : (value){0};
}

static bool is_in_doubt(const search *s) {
    for (uint32_t i = 0; i < MOST_WAYS; i++)
        if (s->ways[i].target)
            return true;
    return false;
}

/* Another value that only some paths store is not known. */
static void store(const search *s, value *at, value v) {
    *at = at->kind != NOTHING && !same(at, &v) && is_in_doubt(s) ? (value){0} : v;
}

static void store_field(search *s, uint32_t token, value v) {
    for (uint32_t i = 0; i < s->field_count; i++)
        if (s->fields[i].token == token) {
            store(s, &s->fields[i].value, v);
            return;
        }
    if (v.kind != NOTHING && s->field_count < MOST_FIELDS) {
        s->fields[s->field_count].token = token;
        s->fields[s->field_count++].value = v;
    }
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

/* The verb of a method that maps endpoints, "" for one that takes a list of them; NULL: it maps none. Generated code
 * has MapGet0, MapGet1 … */
static const char *verb_of(const char *name) {
    static const char *const rows[][2] = {{"MapGet", "GET"},       {"MapPost", "POST"},   {"MapPut", "PUT"},
                                          {"MapDelete", "DELETE"}, {"MapPatch", "PATCH"}, {"MapMethods", ""},
                                          {"Map", "ANY"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t size = strlen(rows[i][0]);
        if (strncmp(name, rows[i][0], size) == 0 && strspn(name + size, "0123456789") == strlen(name + size))
            return rows[i][1];
    }
    return NULL;
}

static bool is_of_mapper(const search *s, md_token member) {
    md_token type = md_type_definition(s->v, md_member_type(s->v, &s->notes->image->index, member));
    if (md_token_table(type) == MD_TABLE_TypeDef)
        return strstr(md_name(s->v, MD_TypeDef_TypeName, md_token_row(type)), "GeneratedRouteBuilderExtensionsCore");
    return type && md_type_is(s->v, type, "Microsoft.AspNetCore.Builder", "EndpointRouteBuilderExtensions");
}

static void map_endpoint(search *s, const char *verb, const value *arguments, uint32_t count) {
    const value *group = &arguments[0], *pattern = &arguments[1], *handler = &arguments[count - 1];
    const value *verbs = &arguments[2];
    s->text.size = 0;
    if (!s->last || pattern->kind != TEXT || handler->kind != HANDLER)
        return;
    if (*verb == 0)
        verb = count == 4 && verbs->kind == VERBS ? verbs->text : "";
    if (*verb == 0)
        return;
    buffer literal = BUFFER_INIT;
    if (route_literal(&literal, s->v, pattern->number)) {
        buffer_u8(&literal, 0);
        buffer_string(&s->text, verb);
        buffer_u8(&s->text, ' ');
        if (!literal.failed)
            route_join(&s->text, group->kind == GROUP ? group->text : "", (const char *)literal.data);
        s->failed |= literal.failed || !route_give(s->notes, handler->number, &s->text);
    }
    buffer_clear(&literal);
}

static value map_group(search *s, const value *arguments) {
    value group = {.kind = GROUP, .text = ROUTE_UNKNOWN};
    buffer literal = BUFFER_INIT;
    if (arguments[1].kind == TEXT && route_literal(&literal, s->v, arguments[1].number)) {
        buffer_u8(&literal, 0);
        s->text.size = 0;
        if (!literal.failed)
            route_join(&s->text, arguments[0].kind == GROUP ? arguments[0].text : "", (const char *)literal.data);
        s->failed |= literal.failed;
        const char *kept = s->text.size <= ROUTE_MOST ? keep(s) : NULL;
        group.text = kept ? kept : ROUTE_UNKNOWN;
    }
    buffer_clear(&literal);
    return group;
}

/* A group that is handed to a method of the module. */
static void hand_over(search *s, uint32_t callee, const value *arguments, uint32_t count) {
    given *to = &s->next[callee];
    for (uint32_t i = 0; i < count; i++) {
        if (arguments[i].kind != GROUP || (to->parameter && to->parameter != i + 1))
            continue;
        if (to->parameter && strcmp(to->prefix, arguments[i].text) != 0)
            to->prefix = ROUTE_UNKNOWN;
        else
            *to = (given){i + 1, arguments[i].text};
    }
}

/* What a call returns. Methods that set something up return the builder that they were given, as `!!0`. */
static value result_of(const search *s, const il_instruction *i, md_token member, const value *first) {
    bytes signature;
    md_method_sig sig;
    md_column column = md_token_table(member) == MD_TABLE_MethodDef ? MD_MethodDef_Signature : MD_MemberRef_Signature;
    if (!member || !md_try_blob(s->v, md_cell(s->v, column, md_token_row(member)), &signature))
        return (value){0};
    reader r = reader_of(signature);
    if (!md_try_method_sig(&r, &sig))
        return (value){0};
    reader after = r;
    if (md_token_table(i->token) == MD_TABLE_MethodSpec && reader_u8(&after) == MD_ELEMENT_MVAR)
        return first->kind == GROUP ? *first : (value){0};
    return value_of_type(s, &r);
}

static value make(search *s, md_token member, const value *arguments, uint32_t count) {
    const value *last = count ? &arguments[count - 1] : NULL;
    if (last && last->kind == METHOD)
        return (value){.kind = HANDLER, .number = last->number};
    if (count != 1 || !member)
        return (value){0};
    if (last->kind == HANDLER || last->kind == VERBS)
        return *last; /* a delegate of a delegate; a read-only list of an array */
    md_token type = md_type_definition(s->v, md_member_type(s->v, &s->notes->image->index, member));
    if (last->kind != TEXT || md_token_table(type) != MD_TABLE_TypeDef ||
        strncmp(md_name(s->v, MD_TypeDef_TypeName, md_token_row(type)), "<>z__ReadOnly", 13) != 0)
        return (value){0};
    s->text.size = 0; /* a list of one */
    const char *verb = route_literal(&s->text, s->v, last->number) ? keep(s) : NULL;
    return verb ? (value){.kind = VERBS, .text = verb} : (value){0};
}

/* False when it is not known what the call does to the stack. */
static bool call(search *s, const il_instruction *i) {
    enum { MOST_ARGUMENTS = 16 };
    value arguments[MOST_ARGUMENTS] = {{0}};
    uint32_t pops, pushes;
    if (!effects_of_call(s->effects, i, &pops, &pushes))
        return false;
    for (uint32_t at = pops; at-- > 0;) {
        value v = pop(s);
        if (at < MOST_ARGUMENTS)
            arguments[at] = v;
    }
    uint32_t count = pops < MOST_ARGUMENTS ? pops : MOST_ARGUMENTS;
    md_token member = i->opcode == IL_calli ? 0 : md_member(s->v, i->token);
    const char *name = member ? md_member_name(s->v, member) : "", *verb = verb_of(name);
    value result = {0};
    if (i->opcode == IL_newobj) {
        push(s, make(s, member, arguments, count));
        return true;
    }
    if (verb && (count == 3 || count == 4) && is_of_mapper(s, member))
        map_endpoint(s, verb, arguments, count);
    else if (count == 2 && strcmp(name, "MapGroup") == 0 && is_of_mapper(s, member))
        result = map_group(s, arguments);
    else {
        if (md_token_table(member) == MD_TABLE_MethodDef)
            hand_over(s, md_token_row(member), arguments, count);
        result = result_of(s, i, member, &arguments[0]);
    }
    if (pushes)
        push(s, result);
    return true;
}

/* ---- Other instructions ------------------------------------------------------------------------------------------ */

/* Paths meet: after `dead` code there is but the one that branched here. A delegate is made only where the field that
 * keeps it is empty, so that it is known on both. */
static void arrive(search *s, uint32_t offset, bool dead) {
    if (dead)
        s->now.depth = 0;
    for (uint32_t i = 0; i < MOST_WAYS; i++) {
        way *w = &s->ways[i];
        if (w->target != offset || offset == 0)
            continue;
        w->target = 0;
        if (dead) {
            s->now = w->stack;
            dead = false;
            continue;
        }
        for (uint32_t at = 0; at < s->now.depth; at++) {
            const value *other = at < w->stack.depth ? &w->stack.items[at] : &(value){0};
            bool kept = other->kind == NOTHING && s->now.items[at].kind == HANDLER;
            if (!kept && !same(&s->now.items[at], other))
                s->now.items[at] = (value){0};
        }
    }
}

/* Where there is no room for the branch, nothing of what it brings is known. */
static void branch(search *s, uint32_t from, uint32_t target) {
    if (target <= from)
        return;
    for (uint32_t i = 0; i < MOST_WAYS; i++)
        if (s->ways[i].target == 0 || s->ways[i].target < from) {
            s->ways[i] = (way){target, s->now};
            return;
        }
    memset(s->now.items, 0, sizeof s->now.items);
}

static void add_verb(search *s, value array, value verb) {
    if (array.kind != VERBS)
        return;
    s->text.size = 0;
    buffer_string(&s->text, array.text);
    buffer_string(&s->text, *array.text ? "," : "");
    bool known = verb.kind == TEXT && s->text.size < ROUTE_MOST && route_literal(&s->text, s->v, verb.number);
    const char *text = known ? keep(s) : NULL;
    for (uint32_t i = 0; i < s->now.depth; i++)
        if (s->now.items[i].kind == VERBS && s->now.items[i].number == array.number)
            s->now.items[i] = text ? (value){VERBS, array.number, text} : (value){0};
}

/* The number of the local or argument that an instruction of one of these names; UINT32_MAX: it is another one. */
static uint32_t number_of(const il_instruction *i, il_opcode first, il_opcode short_form, il_opcode long_form) {
    if (i->opcode >= first && i->opcode < first + 4)
        return (uint32_t)(i->opcode - first);
    return i->opcode == short_form || i->opcode == long_form ? (uint32_t)i->integer : UINT32_MAX;
}

static void step_plainly(search *s, const il_instruction *i) {
    const il_opcode_facts *facts = &il_opcodes[i->opcode];
    for (uint32_t n = 0; n < facts->pops && facts->pops != IL_VARIABLE; n++)
        pop(s);
    for (uint32_t n = 0; n < facts->pushes && facts->pushes != IL_VARIABLE; n++)
        push(s, (value){0});
}

/* Loads and stores; false when it is none. */
static bool moves_value(search *s, const il_instruction *i) {
    uint32_t load = number_of(i, IL_ldloc_0, IL_ldloc_s, IL_ldloc),
             kept = number_of(i, IL_stloc_0, IL_stloc_s, IL_stloc),
             own = number_of(i, IL_ldarg_0, IL_ldarg_s, IL_ldarg);
    if (load != UINT32_MAX) {
        push(s, load < MOST_LOCALS ? s->locals[load] : (value){0});
    } else if (own != UINT32_MAX) {
        push(s, argument(s, own));
    } else if (kept != UINT32_MAX) {
        value v = pop(s);
        if (kept < MOST_LOCALS)
            store(s, &s->locals[kept], v);
    } else if (i->opcode == IL_ldfld || i->opcode == IL_ldsfld) {
        if (i->opcode == IL_ldfld)
            pop(s);
        push(s, load_field(s, i->token));
    } else if (i->opcode == IL_stfld || i->opcode == IL_stsfld) {
        value v = pop(s);
        if (i->opcode == IL_stfld)
            pop(s);
        store_field(s, i->token, v);
    } else {
        return false;
    }
    return true;
}

static bool step(search *s, const il_instruction *i) {
    value v;
    switch (i->opcode) {
    case IL_ldstr:
        push(s, (value){.kind = TEXT, .number = i->token});
        return true;
    case IL_ldvirtftn:
        pop(s); /* falls through */
    case IL_ldftn: {
        md_token method = md_member(s->v, i->token);
        bool own = md_token_table(method) == MD_TABLE_MethodDef;
        push(s, own ? (value){.kind = METHOD, .number = md_token_row(method)} : (value){0});
        return true;
    }
    case IL_dup:
        v = pop(s);
        push(s, v);
        push(s, v);
        return true;
    case IL_castclass:
        return true;
    case IL_newarr:
        pop(s);
        push(s, (value){VERBS, i->offset, ""});
        return true;
    case IL_stelem_ref:
        v = pop(s);
        pop(s);
        add_verb(s, pop(s), v);
        return true;
    default:
        if (il_opcodes[i->opcode].flow == IL_FLOW_call && i->opcode != IL_jmp)
            return call(s, i);
        if (!moves_value(s, i))
            step_plainly(s, i);
        return true;
    }
}

static void follow(search *s, uint32_t method) {
    il_body body;
    if (!method_code(s->notes->image, method, &body))
        return;
    s->method = method;
    s->now.depth = s->field_count = 0;
    memset(s->locals, 0, sizeof s->locals);
    memset(s->ways, 0, sizeof s->ways);
    il_cursor cursor = il_cursor_of(body.code);
    bool dead = false;
    for (il_instruction i; il_next(&cursor, &i) && !s->failed;) {
        arrive(s, i.offset, dead);
        if (!step(s, &i))
            return;
        il_flow_kind flow = (il_flow_kind)il_opcodes[i.opcode].flow;
        bool switches = i.opcode == IL_switch;
        dead = flow == IL_FLOW_branch || flow == IL_FLOW_return || flow == IL_FLOW_throw;
        if ((flow == IL_FLOW_branch || flow == IL_FLOW_cond_branch) && !switches)
            branch(s, i.offset, i.target);
    }
}

bool routes_find(notes_search *notes) {
    uint32_t methods = md_row_count(&notes->image->metadata, MD_TABLE_MethodDef);
    search *s = arena_alloc(&notes->memory, sizeof *s);
    given *rounds[2] = {arena_alloc_array(&notes->memory, methods + 1u, sizeof **rounds),
                        arena_alloc_array(&notes->memory, methods + 1u, sizeof **rounds)};
    if (!s || !rounds[0] || !rounds[1])
        return false;
    *s = (search){.notes = notes, .v = &notes->image->metadata, .effects = effects_of_image(notes->image)};
    s->text = BUFFER_INIT;
    for (int round = 0; round < ROUNDS && s->effects && !s->failed; round++) {
        s->known = rounds[round % 2];
        s->next = rounds[1 - round % 2];
        s->last = round + 1 == ROUNDS;
        memset(s->next, 0, (methods + 1u) * sizeof *s->next);
        for (uint32_t method = 1; method <= methods && !s->failed; method++)
            follow(s, method);
    }
    bool ok = s->effects && !s->failed && !s->text.failed;
    buffer_clear(&s->text);
    return ok;
}
