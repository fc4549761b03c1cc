#include "select/resolvers.h"

#include "il/decode.h"
#include "metadata/names.h"
#include "metadata/types.h"
#include "select/eligible.h"

#include <strings.h>

/* Where handlers are added. */
static const struct {
    const char *space, *type, *method;
} hooks[] = {
    {"System", "AppDomain", "add_AssemblyResolve"},
    {"System.Runtime.Loader", "AssemblyLoadContext", "add_Resolving"},
};

/* Loaders that a program can attach by itself, too. */
static const struct {
    const char *space, *type;
} loaders[] = {
    {"Costura", "AssemblyLoader"},
};

static bool is_hook(const ilj_image *image, md_token member) {
    const md_view *v = &image->metadata;
    const char *name = md_member_name(v, member);
    for (size_t i = 0; name && i < sizeof hooks / sizeof hooks[0]; i++)
        if (*name == *hooks[i].method && strcmp(name, hooks[i].method) == 0)
            return md_type_is(v, md_type_definition(v, md_member_type(v, &image->index, member)), hooks[i].space,
                              hooks[i].type);
    return false;
}

static bool has_hook(const ilj_image *image) {
    for (uint32_t row = 1; row <= md_row_count(&image->metadata, MD_TABLE_MemberRef); row++)
        if (is_hook(image, md_token_of(MD_TABLE_MemberRef, row)))
            return true;
    return false;
}

/* The methods that can be reached from some: by calls, by delegates that are made, by type initializers. */
typedef struct reach {
    ilj_image *image;
    bool *is;              /* by MethodDef row */
    uint32_t *found;       /* rows, in the order of their finding */
    uint32_t *initializer; /* by TypeDef row: its .cctor, or 0 */
    uint32_t count;
    bool hooks; /* one of them adds a handler */
} reach;

static void reach_add(reach *r, uint32_t row) {
    if (!md_row_exists(&r->image->metadata, MD_TABLE_MethodDef, row) || r->is[row])
        return;
    r->is[row] = true;
    r->found[r->count++] = row;
}

static void reach_add_initializer(reach *r, uint32_t type) {
    if (md_row_exists(&r->image->metadata, MD_TABLE_TypeDef, type))
        reach_add(r, r->initializer[type]);
}

/* Adds what an instruction's token makes run; a field has its type initialized. */
static void reach_add_token(reach *r, md_token token) {
    const md_view *v = &r->image->metadata;
    if (md_token_table(token) == MD_TABLE_Field) {
        reach_add_initializer(r, md_field_type(v, md_token_row(token)));
        return;
    }
    md_token member = md_member(v, token);
    md_token type = md_type_definition(v, md_member_type(v, &r->image->index, member));
    if (md_token_table(member) == MD_TABLE_MethodDef)
        reach_add(r, md_token_row(member));
    else if (is_hook(r->image, member))
        r->hooks = true;
    if (md_token_table(type) == MD_TABLE_TypeDef)
        reach_add_initializer(r, md_token_row(type));
}

static void reach_all(reach *r, uint32_t from) {
    for (uint32_t i = from; i < r->count; i++) {
        il_body body;
        il_fault fault;
        il_instruction in;
        if (!select_try_body(r->image, r->found[i], &body, &fault))
            continue;
        for (il_cursor c = il_cursor_of(body.code); il_next(&c, &in);)
            if (in.operand == IL_InlineMethod || in.operand == IL_InlineField || in.operand == IL_InlineTok)
                reach_add_token(r, in.token);
    }
}

static bool is_loader(const md_view *v, uint32_t type) {
    for (size_t i = 0; i < sizeof loaders / sizeof loaders[0]; i++)
        if (md_type_is(v, md_token_of(MD_TABLE_TypeDef, type), loaders[i].space, loaders[i].type))
            return true;
    return false;
}

/* Fills in `initializer`. */
static void find_initializers(reach *r, uint32_t methods) {
    for (uint32_t row = methods; row > 0; row--) {
        uint32_t type = md_method_type(&r->image->index, row);
        if (md_name_is(&r->image->metadata, MD_MethodDef_Name, row, ".cctor"))
            r->initializer[type] = row;
    }
}

ecma_status resolvers_find(resolvers *resolvers, ilj_image *image) {
    enum { MODULE = 1 };
    const md_view *v = &image->metadata;
    uint32_t methods = md_row_count(v, MD_TABLE_MethodDef), types = md_row_count(v, MD_TABLE_TypeDef);
    *resolvers = (struct resolvers){0};
    if (!has_hook(image))
        return ECMA_OK;
    reach r = {.image = image,
               .is = arena_alloc_array(&image->arena, methods + 1u, sizeof *r.is),
               .found = arena_alloc_array(&image->arena, methods + 1u, sizeof *r.found),
               .initializer = arena_alloc_array(&image->arena, types + 1u, sizeof *r.initializer)};
    if (!r.is || !r.found || !r.initializer)
        return diag_no_memory(&image->diag);
    memset(r.is, 0, (methods + 1u) * sizeof *r.is);
    memset(r.initializer, 0, (types + 1u) * sizeof *r.initializer);
    find_initializers(&r, methods);
    reach_add_initializer(&r, MODULE);
    reach_all(&r, 0);
    if (!r.hooks) {
        memset(r.is, 0, (methods + 1u) * sizeof *r.is);
        r.count = 0;
    }
    uint32_t known = r.count;
    for (uint32_t row = 1; row <= methods; row++)
        if (is_loader(v, md_method_type(&image->index, row)))
            reach_add(&r, row);
    reach_all(&r, known);
    if (r.count > 0)
        *resolvers = (struct resolvers){r.is, r.count};
    return ECMA_OK;
}

bool resolvers_are_set(const resolvers *r, const ilj_image *image, const il_body *body) {
    il_instruction in;
    for (il_cursor c = il_cursor_of(body->code); il_next(&c, &in);) {
        if (in.operand != IL_InlineMethod)
            continue;
        md_token member = md_member(&image->metadata, in.token);
        if (md_token_table(member) == MD_TABLE_MethodDef ? resolvers_have(r, md_token_row(member))
                                                         : is_hook(image, member))
            return true;
    }
    return false;
}
