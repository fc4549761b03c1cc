#include "async/state_machines.h"

#include "async/machine_sites.h"
#include "il/body.h"
#include "il/decode.h"
#include "il/opcode.h"
#include "metadata/signature.h"

#include <stdlib.h>

/* A type that may be a machine, and what was found of it. */
typedef struct suspect {
    uint32_t type;       /* TypeDef row */
    uint32_t starter;    /* MethodDef row of the first one that starts it, 0: none */
    uint32_t creator;    /* MethodDef row of the first one outside the type that creates it */
    md_token started_on; /* definition of the builder that starts it; 0: it is an iterator only */
} suspect;

typedef struct search {
    ilj_image *image;
    const bodies *bodies;
    bool with_sites;
    arena memory;  /* of the search alone */
    suspect *list; /* by number, from 1 */
    uint32_t count;
    uint32_t *of_type;                         /* the suspect that a TypeDef is, 0 for none */
    uint32_t *of_spec, *of_method, *of_member; /* the suspect that a call of this row starts or creates */
} search;

/* ---- Candidates, from the tables ----------------------------------------------------------------------------------
 */

/* The TypeDef row that a type in a signature is, or an instantiation of; 0 when it is no type of this module. */
static uint32_t own_type(reader *r) {
    unsigned element = reader_u8(r);
    if (element == MD_ELEMENT_GENERICINST)
        element = reader_u8(r);
    if (element != MD_ELEMENT_CLASS && element != MD_ELEMENT_VALUETYPE)
        return 0;
    md_token type = md_read_type_token(r);
    return !r->failed && md_token_table(type) == MD_TABLE_TypeDef ? md_token_row(type) : 0;
}

/* void Start<TStateMachine>(ref TStateMachine) of any type; MoveNext of AsyncIteratorMethodBuilder looks the same. */
static bool is_start(const search *s, md_token member, md_token *builder) {
    static const uint8_t shape[] = {
        MD_SIG_HASTHIS | MD_SIG_GENERIC, 1, 1, MD_ELEMENT_VOID, MD_ELEMENT_BYREF, MD_ELEMENT_MVAR, 0};
    const md_view *v = &s->image->metadata;
    const char *name = md_member_name(v, member);
    bool move_next = strcmp(name, "MoveNext") == 0;
    bytes signature;
    if (!move_next && strcmp(name, "Start") != 0)
        return false;
    md_column column = md_token_table(member) == MD_TABLE_MethodDef ? MD_MethodDef_Signature : MD_MemberRef_Signature;
    if (!md_try_blob(v, md_cell(v, column, md_token_row(member)), &signature) || signature.size != sizeof shape ||
        memcmp(signature.data, shape, sizeof shape) != 0)
        return false;
    *builder = md_type_definition(v, md_member_type(&s->image->metadata, &s->image->index, member));
    return *builder &&
           (!move_next || md_type_is(v, *builder, "System.Runtime.CompilerServices", "AsyncIteratorMethodBuilder"));
}

static uint32_t add_suspect(search *s, uint32_t type) {
    if (!s->of_type[type]) {
        s->list[++s->count] = (suspect){.type = type};
        s->of_type[type] = s->count;
    }
    return s->of_type[type];
}

/* Every instantiation of a Start over a type of this module. */
static void suspect_started(search *s) {
    const md_view *v = &s->image->metadata;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MethodSpec); row++) {
        md_token member = md_member(v, md_token_of(MD_TABLE_MethodSpec, row)), builder;
        bytes signature;
        if (!member || !is_start(s, member, &builder) ||
            !md_try_blob(v, md_cell(v, MD_MethodSpec_Instantiation, row), &signature))
            continue;
        reader r = reader_of(signature);
        if (reader_u8(&r) != MD_SIG_METHODSPEC || reader_compressed(&r) != 1)
            continue;
        uint32_t type = own_type(&r);
        if (!md_row_exists(v, MD_TABLE_TypeDef, type))
            continue;
        s->of_spec[row] = add_suspect(s, type);
        s->list[s->of_spec[row]].started_on = builder;
    }
}

/* `bool MoveNext()`, or F#'s GenerateNext: what an iterator does for each element. */
static bool is_iterator_step(const md_view *v, uint32_t method) {
    static const uint8_t shape[] = {MD_SIG_HASTHIS, 0, MD_ELEMENT_BOOLEAN};
    bytes signature;
    const char *name = md_name(v, MD_MethodDef_Name, method);
    if (strcmp(name, "GenerateNext") == 0)
        return true;
    return strcmp(name, "MoveNext") == 0 && md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &signature) &&
           signature.size == sizeof shape && memcmp(signature.data, shape, sizeof shape) == 0;
}

/* <Name>d__1 and <Name>c__Iterator1 of C#, VB$StateMachine_1_Name, name@1 of F#: no source can name a type so. */
static bool is_compilers_name(const char *name) {
    return name[0] == '<' || strncmp(name, "VB$StateMachine_", 16) == 0 || strchr(name, '@');
}

/* The method of a type that `is` says yes to. */
static uint32_t find_method(const md_view *v, uint32_t type, bool (*is)(const md_view *v, uint32_t method)) {
    md_run run = md_list(v, MD_TypeDef_MethodList, type);
    for (uint32_t i = run.first; i < run.end; i++) {
        uint32_t method = md_run_row(v, &run, i);
        if (is(v, method))
            return method;
    }
    return 0;
}

static void suspect_iterators(search *s) {
    const md_view *v = &s->image->metadata;
    for (uint32_t type = 1; type <= md_row_count(v, MD_TABLE_TypeDef); type++)
        if (md_enclosing_type(&s->image->index, type) && is_compilers_name(md_name(v, MD_TypeDef_TypeName, type)) &&
            find_method(v, type, is_iterator_step))
            add_suspect(s, type);
}

/* The constructors of suspects, as this module names them. */
static void find_constructors(search *s) {
    const md_view *v = &s->image->metadata;
    for (uint32_t i = 1; i <= s->count; i++) {
        md_run run = md_list(v, MD_TypeDef_MethodList, s->list[i].type);
        for (uint32_t at = run.first; at < run.end; at++) {
            uint32_t method = md_run_row(v, &run, at);
            if (md_row_exists(v, MD_TABLE_MethodDef, method) && md_name_is(v, MD_MethodDef_Name, method, ".ctor"))
                s->of_method[method] = i;
        }
    }
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MemberRef); row++) {
        md_token of = md_cell_token(v, MD_MemberRef_Class, row);
        if (md_token_table(of) != MD_TABLE_TypeSpec || !md_name_is(v, MD_MemberRef_Name, row, ".ctor"))
            continue;
        md_token type = md_type_definition(v, of);
        if (md_token_table(type) == MD_TABLE_TypeDef)
            s->of_member[row] = s->of_type[md_token_row(type)];
    }
}

/* ---- Starters and creators, from the bodies ------------------------------------------------------------------------
 */

/* The suspect that a token starts, as the operand of a call; 0 for none. */
static uint32_t started_by(const search *s, uint32_t token) {
    return md_row_exists(&s->image->metadata, MD_TABLE_MethodSpec, md_token_row(token))
               ? s->of_spec[md_token_row(token)]
               : 0;
}

/* The suspect that a token creates, as the operand of a newobj. */
static uint32_t created_by(const search *s, uint32_t token) {
    uint32_t row = md_token_row(token);
    md_table_id table = (md_table_id)md_token_table(token);
    if ((table != MD_TABLE_MethodDef && table != MD_TABLE_MemberRef) || !md_row_exists(&s->image->metadata, table, row))
        return 0;
    return (table == MD_TABLE_MethodDef ? s->of_method : s->of_member)[row];
}

/* Bodies that stand nearly side by side, in the order of the list: looked through as one piece. */
typedef struct stretch {
    const uint8_t *start, *end;
    uint32_t first, next; /* positions in the list; those between them that are instrumented are of the stretch */
} stretch;

/* Goes through the bodies of a stretch once, for places that ascend. */
typedef struct finder {
    bodies_walk walk;
    uint32_t method; /* of the body that was reached last, 0 at first */
    const uint8_t *start;
    il_cursor cursor; /* in its code, which starts at `start` */
} finder;

static finder finder_of(const stretch *of) {
    return (finder){.walk.next = of->first};
}

/* Goes on to the next body of the stretch. */
static bool next_body(finder *f, const search *s, const stretch *of) {
    enum { TINY_HEADER_BYTES = 1, FAT_HEADER_BYTES = 12, FORMAT = 3 };
    method_body *m;
    bytes from;
    while (f->walk.next < of->next && bodies_next(&f->walk, s->bodies, s->image, &m, &from)) {
        if (from.size < m->size)
            continue;
        f->method = m->row;
        f->start = from.data + ((from.data[0] & FORMAT) == IL_TINY_FORMAT ? TINY_HEADER_BYTES : FAT_HEADER_BYTES);
        f->cursor = il_cursor_of(bytes_of(f->start, m->code_size));
        return true;
    }
    return false;
}

/* The method that has the five bytes at `at` as an instruction of its code; 0: none has. */
static uint32_t method_with(finder *f, const search *s, const stretch *of, const uint8_t *at) {
    il_instruction instruction;
    while (!f->method || at >= f->start + f->cursor.code.size)
        if (!next_body(f, s, of))
            return 0;
    if (at < f->start)
        return 0;
    const uint32_t offset = (uint32_t)(at - f->start);
    while (f->cursor.at < offset && il_next(&f->cursor, &instruction))
        ;
    il_cursor here = f->cursor;
    return here.at == offset && il_next(&here, &instruction) ? f->method : 0;
}

/* The five bytes of a call of a MethodSpec and of a newobj are looked for everywhere, by the one of them that is rare;
 * where they stand, it is seen whether they are an instruction. */
static void look_through(search *s, const stretch *of) {
    enum { OPERAND = 4 };
    const uint8_t *end = of->end;
    if (!of->start || end - of->start <= OPERAND)
        return;
    finder f = finder_of(of);
    for (const uint8_t *p = of->start + OPERAND; (p = memchr(p, MD_TABLE_MethodSpec, (size_t)(end - p))); p++) {
        uint32_t number = p[-OPERAND] == IL_OP_call ? started_by(s, load_u32(p + 1 - OPERAND)) : 0;
        if (number && !s->list[number].starter)
            s->list[number].starter = method_with(&f, s, of, p - OPERAND);
    }
    f = finder_of(of);
    for (const uint8_t *p = of->start; (p = memchr(p, IL_OP_newobj, (size_t)(end - p))) && end - p > OPERAND; p++) {
        uint32_t number = created_by(s, load_u32(p + 1));
        if (!number || s->list[number].creator)
            continue;
        uint32_t method = method_with(&f, s, of, p);
        if (method && md_method_type(&s->image->index, method) != s->list[number].type)
            s->list[number].creator = method;
    }
}

/* A look through many bodies at once costs a quarter of one through each: most have less code than a step of memchr.
 * What stands between two of a stretch, at most MOST_BETWEEN bytes, is no code, as method_with says. */
static void look_through_all(search *s) {
    enum { MOST_BETWEEN = 64 };
    method_body *m;
    bytes from;
    stretch of = {0};
    for (bodies_walk walk = {0}; bodies_next(&walk, s->bodies, s->image, &m, &from); of.next = walk.next) {
        if (from.size < m->size)
            continue;
        if (!of.start || from.data < of.end || from.data - of.end > MOST_BETWEEN) {
            look_through(s, &of);
            of = (stretch){.start = from.data, .first = walk.next - 1};
        }
        of.end = from.data + m->size;
    }
    look_through(s, &of);
}

/* ---- The result ----------------------------------------------------------------------------------------------------
 */

/* `void MoveNext()`, by its name or by the method of IAsyncStateMachine that it implements. */
static uint32_t find_async_step(const search *s, uint32_t type) {
    static const uint8_t shape[] = {MD_SIG_HASTHIS, 0, MD_ELEMENT_VOID};
    const md_view *v = &s->image->metadata;
    md_run run = md_list(v, MD_TypeDef_MethodList, type);
    uint32_t by_name = 0;
    for (uint32_t i = run.first; i < run.end; i++) {
        uint32_t method = md_run_row(v, &run, i), implementation = md_method_impl(&s->image->index, method);
        bytes signature;
        if (!md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &signature) || signature.size != sizeof shape ||
            memcmp(signature.data, shape, sizeof shape) != 0)
            continue;
        md_token declaration =
            implementation ? md_member(v, md_cell_token(v, MD_MethodImpl_MethodDeclaration, implementation)) : 0;
        if (declaration && strcmp(md_member_name(v, declaration), "MoveNext") == 0)
            return method;
        if (md_name_is(v, MD_MethodDef_Name, method, "MoveNext"))
            by_name = method;
    }
    return by_name;
}

static int in_method_order(const void *a, const void *b) {
    uint32_t x = ((const state_machine *)a)->method, y = ((const state_machine *)b)->method;
    return (x > y) - (x < y);
}

static bool is_class(const md_view *v, uint32_t type) {
    md_token base = md_cell_token(v, MD_TypeDef_Extends, type);
    return !md_type_is(v, base, "System", "ValueType");
}

/* The machine that a suspect is; false when it is none, or not one that is instrumented. */
static ecma_status decide(search *s, state_machine *m, bool *is_one, const suspect *of, machine_scratch *scratch) {
    const md_view *v = &s->image->metadata;
    il_body body;
    *is_one = false;
    *m = (state_machine){.starter = of->started_on ? of->starter : 0, .owner = of->creator ? of->creator : of->starter};
    m->is_async = of->started_on != 0;
    m->method = m->is_async ? find_async_step(s, of->type) : find_method(v, of->type, is_iterator_step);
    if (!bodies_read(s->bodies, s->image, m->method, &body))
        return ECMA_OK;
    *is_one = true;
    m->is_iterator =
        !m->is_async || md_type_is(v, of->started_on, "System.Runtime.CompilerServices", "AsyncIteratorMethodBuilder");
    m->is_class = is_class(v, of->type);
    /* A struct's or a Debug build's machine is started where it is created, an async iterator's later on. */
    if (!m->is_iterator && of->starter)
        m->owner = of->starter;
    return m->starter && s->with_sites ? machine_find_sites(m, s->image, &body, of->started_on, scratch) : ECMA_OK;
}

static ecma_status decide_all(search *s, state_machines *m) {
    machine_scratch scratch = {0};
    ecma_status status = ECMA_OK;
    m->list = arena_alloc_array(&s->image->arena, s->count + 1u, sizeof *m->list);
    if (!m->list)
        status = ECMA_NO_MEMORY;
    for (uint32_t i = 1; i <= s->count && status == ECMA_OK; i++) {
        bool is_one;
        status = decide(s, &m->list[m->count], &is_one, &s->list[i], &scratch);
        m->count += is_one;
    }
    machine_scratch_clear(&scratch);
    if (m->count)
        qsort(m->list, m->count, sizeof *m->list, in_method_order);
    return status;
}

static bool allocate(search *s) {
    const md_view *v = &s->image->metadata;
    const size_t numbers = md_row_count(v, MD_TABLE_MethodSpec) + (size_t)md_row_count(v, MD_TABLE_MethodDef) +
                        md_row_count(v, MD_TABLE_MemberRef) + 8 * (size_t)md_row_count(v, MD_TABLE_TypeDef);
    arena *a = arena_has(&s->image->arena, numbers * sizeof(uint32_t)) ? &s->image->arena : &s->memory;
    size_t types = md_row_count(v, MD_TABLE_TypeDef) + 1u;
    s->list = arena_alloc_array(a, types, sizeof *s->list);
    s->of_type = arena_alloc_array(a, types, sizeof *s->of_type);
    s->of_spec = arena_alloc_array(a, md_row_count(v, MD_TABLE_MethodSpec) + 1u, sizeof *s->of_spec);
    s->of_method = arena_alloc_array(a, md_row_count(v, MD_TABLE_MethodDef) + 1u, sizeof *s->of_method);
    s->of_member = arena_alloc_array(a, md_row_count(v, MD_TABLE_MemberRef) + 1u, sizeof *s->of_member);
    return s->list && s->of_type && s->of_spec && s->of_method && s->of_member;
}

ecma_status state_machines_find(state_machines *m, ilj_image *image, const bodies *b, bool with_sites) {
    search s = {.image = image, .bodies = b, .with_sites = with_sites, .memory = ARENA_INIT};
    *m = (state_machines){0};
    ecma_status status = allocate(&s) ? ECMA_OK : ECMA_NO_MEMORY;
    if (!status) {
        suspect_started(&s);
        suspect_iterators(&s);
    }
    if (!status && s.count) {
        find_constructors(&s);
        look_through_all(&s);
        status = decide_all(&s, m);
    }
    arena_clear(&s.memory);
    return status ? diag_no_memory(&image->diag) : ECMA_OK;
}

bool state_machines_have_events(const state_machines *m) {
    for (uint32_t i = 0; i < m->count; i++)
        if (state_machine_has_events(&m->list[i]))
            return true;
    return false;
}

const state_machine *state_machines_with_events(const state_machines *m, uint32_t method_row, uint32_t *hint) {
    uint32_t low = *hint, high = m->count;
    /* Of nearly all methods the next machine is a later one. */
    if (low <= high && (low == 0 || m->list[low - 1].method < method_row) &&
        (low == high || m->list[low].method > method_row))
        return NULL;
    if (low > high || (low > 0 && m->list[low - 1].method >= method_row))
        low = 0;
    if (low < high && m->list[low].method >= method_row)
        high = low;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->list[middle].method < method_row)
            low = middle + 1;
        else
            high = middle;
    }
    *hint = low;
    const state_machine *found = low < m->count && m->list[low].method == method_row ? &m->list[low] : NULL;
    return found && state_machine_has_events(found) ? found : NULL;
}
