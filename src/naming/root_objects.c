#include "naming/root_objects.h"

#include <stdlib.h>

#include "metadata/flags.h"
#include "metadata/signature.h"
#include "util/list.h"

/* A type that an interface of another one names as its fixture. */
typedef struct fixture {
    uint32_t of, type; /* TypeDef rows */
} fixture;

typedef struct objects {
    root_search *s;
    const md_view *v;
    uint32_t types, methods; /* counts of rows */
    bool *has;               /* by TypeDef row: it declares tests */
    uint8_t *kinds;          /* the same: of what sets up its objects; 0: it has no tests, and is no fixture */
    bytes *joins, *defines;  /* the same: the name of its collection, or of the one that it defines */
    fixture *fixtures;
    uint32_t fixture_count, fixture_capacity;
    uint32_t use_capacity;
} objects;

static uint32_t base_of(const md_view *v, uint32_t type) {
    md_token base = md_type_definition(v, md_cell_token(v, MD_TypeDef_Extends, type));
    return md_token_table(base) == MD_TABLE_TypeDef ? md_token_row(base) : 0;
}

/* The types from one on to its bases, in this module. */
typedef struct chain {
    uint32_t types[ROOT_MOST_BASES];
    int count;
} chain;

static chain chain_of(const md_view *v, uint32_t type) {
    chain c = {.count = 0};
    for (; type && c.count < ROOT_MOST_BASES; type = base_of(v, type))
        c.types[c.count++] = type;
    return c;
}

static bool any_has(const objects *o, const chain *c) {
    for (int i = 0; i < c->count; i++)
        if (o->has[c->types[i]])
            return true;
    return false;
}

/* Types with tests of their own, or of a base, and the bases of both: their objects run tests. */
static void mark_types(objects *o) {
    for (uint32_t row = 1; row <= o->methods; row++)
        if (o->s->kinds[row] == ROOT_TEST)
            o->has[md_method_type(&o->s->image->index, row)] = true;
    for (uint32_t type = 1; type <= o->types; type++) {
        chain c = chain_of(o->v, type);
        for (int i = 0; i < c.count && any_has(o, &c); i++)
            o->kinds[c.types[i]] = ROOT_SET_UP;
    }
}

/* ---- Fixtures ---------------------------------------------------------------------------------------------------- */

static bool is_fixture_interface(const md_view *v, md_token interface) {
#define ROOT_FIXTURE(space, name) || md_type_is(v, interface, space, name)
    return false
#include "facts/roots.def"
        ;
}

/* The one argument of a generic interface, as a TypeDef row; 0: it is another type. */
static uint32_t argument_of(const md_view *v, md_token interface) {
    bytes signature;
    if (!md_try_blob(v, md_cell(v, MD_TypeSpec_Signature, md_token_row(interface)), &signature))
        return 0;
    reader r = reader_of(signature);
    reader_skip(&r, 2); /* GENERICINST, CLASS */
    md_read_type_token(&r);
    if (reader_compressed(&r) != 1 || reader_u8(&r) != MD_ELEMENT_CLASS)
        return 0;
    md_token type = md_read_type_token(&r);
    uint32_t row = md_token_row(type);
    return !r.failed && md_token_table(type) == MD_TABLE_TypeDef && md_row_exists(v, MD_TABLE_TypeDef, row) ? row : 0;
}

/* The types that interfaces of tests' types, or of collections, name as fixtures. False: memory ran out. */
static bool find_fixtures(objects *o) {
    for (uint32_t row = 1; row <= md_row_count(o->v, MD_TABLE_InterfaceImpl); row++) {
        md_token interface = md_cell_token(o->v, MD_InterfaceImpl_Interface, row);
        uint32_t of = md_cell(o->v, MD_InterfaceImpl_Class, row);
        if (md_token_table(interface) != MD_TABLE_TypeSpec || !md_row_exists(o->v, MD_TABLE_TypeDef, of) ||
            !is_fixture_interface(o->v, md_type_definition(o->v, interface)))
            continue;
        uint32_t type = argument_of(o->v, interface);
        if (!type)
            continue;
        if (!list_grow((void **)&o->fixtures, o->fixture_count, &o->fixture_capacity, sizeof *o->fixtures))
            return false;
        o->fixtures[o->fixture_count++] = (fixture){of, type};
        chain c = chain_of(o->v, type);
        for (int i = 0; i < c.count; i++)
            if (!o->kinds[c.types[i]])
                o->kinds[c.types[i]] = ROOT_FIXTURE;
    }
    return true;
}

static void find_collections(objects *o) {
    for (uint32_t row = 1; row <= md_row_count(o->v, MD_TABLE_CustomAttribute) && o->fixture_count > 0; row++) {
        md_token parent = md_cell_token(o->v, MD_CustomAttribute_Parent, row),
                 constructor = root_constructor(o->v, row);
        uint32_t type = md_token_row(parent);
        if (md_token_table(parent) != MD_TABLE_TypeDef || !md_row_exists(o->v, MD_TABLE_TypeDef, type) || !constructor)
            continue;
        md_token of = root_attribute_type(o->s, constructor);
#define ROOT_COLLECTION(space, name, list)                                                                             \
    if (md_type_is(o->v, of, space, name))                                                                             \
        o->list[type] = root_only_text(o->s, row);
#include "facts/roots.def"
    }
}

/* ---- Members ----------------------------------------------------------------------------------------------------- */

static bool is_member(const char *name) {
    const char *dot = strrchr(name, '.'), *last = dot ? dot + 1 : name; /* an explicit one has its interface's name */
#define ROOT_MEMBER(of) || strcmp(last, of) == 0
    return strcmp(name, ".ctor") == 0
#include "facts/roots.def"
        ;
}

static void mark_members(objects *o) {
    for (uint32_t row = 1; row <= o->methods; row++) {
        uint8_t kind = o->kinds[md_method_type(&o->s->image->index, row)];
        if (kind && !o->s->kinds[row] && !(md_cell(o->v, MD_MethodDef_Flags, row) & MD_METHOD_STATIC) &&
            is_member(md_name(o->v, MD_MethodDef_Name, row)))
            o->s->kinds[row] = kind;
    }
}

/* ---- Which of them a test uses ----------------------------------------------------------------------------------- */

static bool add_use(objects *o, method_roots *r, uint32_t type, uint32_t method) {
    if (!list_grow((void **)&r->uses, r->use_count, &o->use_capacity, sizeof *r->uses))
        return false;
    r->uses[r->use_count++] = (root_use){type, method};
    return true;
}

/* Those of the types of `from`, for tests that the types of `to` declare. */
static bool add_uses(objects *o, method_roots *r, const chain *to, const chain *from) {
    for (int i = 0; i < from->count; i++) {
        md_run methods = md_list(o->v, MD_TypeDef_MethodList, from->types[i]);
        for (uint32_t at = methods.first; at < methods.end; at++) {
            uint32_t method = md_run_row(o->v, &methods, at);
            uint8_t kind = md_row_exists(o->v, MD_TABLE_MethodDef, method) ? o->s->kinds[method] : 0;
            for (int k = 0; k < to->count && (kind == ROOT_SET_UP || kind == ROOT_FIXTURE); k++)
                if (o->has[to->types[k]] && !add_use(o, r, to->types[k], method))
                    return false;
        }
    }
    return true;
}

static bool uses_fixture(const objects *o, const chain *c, const fixture *f) {
    for (int i = 0; i < c->count; i++) {
        bytes joins = o->joins[c->types[i]];
        if (f->of == c->types[i] || (joins.size > 0 && bytes_equal(joins, o->defines[f->of])))
            return true;
    }
    return false;
}

static int by_type(const void *left, const void *right) {
    const root_use *a = left, *b = right;
    return a->type != b->type ? list_compare(a->type, b->type) : list_compare(a->method, b->method);
}

static bool find_uses(objects *o, method_roots *r) {
    for (uint32_t type = 1; type <= o->types; type++) {
        chain c = chain_of(o->v, type);
        if (!any_has(o, &c))
            continue;
        if (!add_uses(o, r, &c, &c))
            return false;
        for (uint32_t i = 0; i < o->fixture_count; i++) {
            chain of = chain_of(o->v, o->fixtures[i].type);
            if (uses_fixture(o, &c, &o->fixtures[i]) && !add_uses(o, r, &c, &of))
                return false;
        }
    }
    if (r->use_count > 1)
        qsort(r->uses, r->use_count, sizeof *r->uses, by_type);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < r->use_count; i++)
        if (i == 0 || by_type(&r->uses[kept - 1], &r->uses[i]) != 0)
            r->uses[kept++] = r->uses[i];
    r->use_count = kept;
    return true;
}

bool root_objects_find(method_roots *r, root_search *s) {
    const md_view *v = &s->image->metadata;
    objects o = {
        .s = s, .v = v, .types = md_row_count(v, MD_TABLE_TypeDef), .methods = md_row_count(v, MD_TABLE_MethodDef)};
    o.has = arena_alloc_array(&s->memory, o.types + 1u, sizeof *o.has);
    o.kinds = arena_alloc_array(&s->memory, o.types + 1u, sizeof *o.kinds);
    o.joins = arena_alloc_array(&s->memory, o.types + 1u, sizeof *o.joins);
    o.defines = arena_alloc_array(&s->memory, o.types + 1u, sizeof *o.defines);
    bool ok = o.has && o.kinds && o.joins && o.defines;
    if (ok)
        mark_types(&o);
    ok = ok && find_fixtures(&o);
    if (ok) {
        find_collections(&o);
        mark_members(&o);
        ok = find_uses(&o, r);
    }
    free(o.fixtures);
    return ok;
}
