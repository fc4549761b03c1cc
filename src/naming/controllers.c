#include "naming/controllers.h"

#include "metadata/signature.h"
#include "naming/route_text.h"

enum { MOST_BASES = 16 };

static const char *const verbs[][2] = {{"HttpGetAttribute", "GET"},        {"HttpPostAttribute", "POST"},
                                       {"HttpPutAttribute", "PUT"},        {"HttpDeleteAttribute", "DELETE"},
                                       {"HttpPatchAttribute", "PATCH"},    {"HttpHeadAttribute", "HEAD"},
                                       {"HttpOptionsAttribute", "OPTIONS"}};

static const char space[] = "Microsoft.AspNetCore.Mvc";

/* The verb of an attribute's type, "" of [Route]; NULL: it is another one. */
static const char *verb_of(const md_view *v, md_token type) {
    if (md_type_is(v, type, space, "RouteAttribute"))
        return "";
    for (size_t i = 0; i < sizeof verbs / sizeof verbs[0]; i++)
        if (md_type_is(v, type, space, verbs[i][0]))
            return verbs[i][1];
    return NULL;
}

bool controllers_may_be(const ilj_image *image) {
    const md_view *v = &image->metadata;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_TypeRef); row++)
        if (verb_of(v, md_token_of(MD_TABLE_TypeRef, row)))
            return true;
    return false;
}

typedef struct attribute {
    const char *verb;
    bytes pattern; /* data NULL: it has none */
} attribute;

/* The attribute of a row that says a route; false when it is another one. */
static bool try_read(attribute *a, const notes_search *s, uint32_t row) {
    enum { PROLOG = 1, NO_STRING = 0xFF };
    const md_view *v = &s->image->metadata;
    md_token constructor = md_cell_token(v, MD_CustomAttribute_Type, row);
    if (md_token_table(constructor) != MD_TABLE_MemberRef)
        return false;
    md_token type = md_type_definition(v, md_cell_token(v, MD_MemberRef_Class, md_token_row(constructor)));
    bytes signature, blob;
    md_method_sig sig;
    *a = (attribute){.verb = md_token_table(type) == MD_TABLE_TypeRef ? verb_of(v, type) : NULL};
    if (!a->verb || !md_try_blob(v, md_cell(v, MD_MemberRef_Signature, md_token_row(constructor)), &signature) ||
        !md_try_blob(v, md_cell(v, MD_CustomAttribute_Value, row), &blob))
        return false;
    reader r = reader_of(signature), values = reader_of(blob);
    if (!md_try_method_sig(&r, &sig) || reader_u16(&values) != PROLOG)
        return false;
    if (sig.parameter_count == 0 || (reader_left(&values) > 0 && blob.data[2] == NO_STRING))
        return true;
    uint32_t size = reader_compressed(&values);
    a->pattern = reader_bytes(&values, size);
    return !values.failed && size <= ROUTE_MOST && (size == 0 || !memchr(a->pattern.data, 0, size));
}

/* `ItemsController` is `Items`, `GetAsync` is `Get`. */
static bytes without_ending(const char *name, const char *ending) {
    size_t size = strlen(name), end = strlen(ending);
    return (bytes){(const uint8_t *)name, size > end && strcmp(name + size - end, ending) == 0 ? size - end : size};
}

/* The pattern with what stands for the names of the controller and of the action. */
static void append_filled(buffer *b, const notes_search *s, bytes pattern, uint32_t method, uint32_t type) {
    const md_view *v = &s->image->metadata;
    const struct {
        const char *token;
        bytes name;
    } rows[] = {{"[controller]", without_ending(md_name(v, MD_TypeDef_TypeName, type), "Controller")},
                {"[action]", without_ending(md_name(v, MD_MethodDef_Name, method), "Async")}};
    for (size_t at = 0; at < pattern.size;) {
        size_t i = 0, count = sizeof rows / sizeof rows[0];
        while (i < count && (pattern.size - at < strlen(rows[i].token) ||
                             memcmp(pattern.data + at, rows[i].token, strlen(rows[i].token)) != 0))
            i++;
        if (i < count)
            buffer_append(b, rows[i].name.data, rows[i].name.size);
        else
            buffer_u8(b, pattern.data[at]);
        at += i < count ? strlen(rows[i].token) : 1;
    }
    buffer_u8(b, 0);
}

/* The [Route] of the type, or of the nearest base that has one in this module; `routes`: by TypeDef row. */
static bytes prefix_of(const notes_search *s, const bytes *routes, uint32_t type) {
    for (int depth = 0; type && depth < MOST_BASES; depth++) {
        if (routes[type].data)
            return routes[type];
        md_token base =
            md_type_definition(&s->image->metadata, md_cell_token(&s->image->metadata, MD_TypeDef_Extends, type));
        type = md_token_table(base) == MD_TABLE_TypeDef ? md_token_row(base) : 0;
    }
    return (bytes){0};
}

static bool is_absolute(bytes pattern) {
    return pattern.size > 0 && (pattern.data[0] == '/' || pattern.data[0] == '~');
}

static bool add_route(notes_search *s, uint32_t method, const char *verb, bytes prefix, bytes pattern) {
    uint32_t type = md_method_type(&s->image->index, method);
    buffer first = BUFFER_INIT, second = BUFFER_INIT, route = BUFFER_INIT;
    append_filled(&first, s, is_absolute(pattern) ? (bytes){0} : prefix, method, type);
    append_filled(&second, s, pattern, method, type);
    buffer_string(&route, *verb ? verb : "ANY");
    buffer_u8(&route, ' ');
    bool ok = !first.failed && !second.failed;
    if (ok)
        route_join(&route, (const char *)first.data, (const char *)second.data);
    ok = ok && route_give(s, method, &route);
    buffer_clear(&first);
    buffer_clear(&second);
    buffer_clear(&route);
    return ok;
}

/* A [Route] beside an [HttpGet] without a pattern says that one's pattern. */
typedef struct action {
    bytes route;      /* of [Route] */
    const char *verb; /* of an [HttpGet] without a pattern */
    bool listed;      /* has a route with a verb */
} action;

static bool add_actions(notes_search *s, const bytes *types, const action *actions, uint32_t methods) {
    for (uint32_t row = 1; row <= methods; row++) {
        const action *a = &actions[row];
        bytes prefix = prefix_of(s, types, md_method_type(&s->image->index, row));
        bool bare = a->verb != NULL, routed = a->route.data != NULL;
        if ((bare && (routed || prefix.data)) || (routed && !a->listed))
            if (!add_route(s, row, bare ? a->verb : "", prefix, a->route))
                return false;
    }
    return true;
}

bool controllers_find(notes_search *s) {
    const md_view *v = &s->image->metadata;
    uint32_t methods = md_row_count(v, MD_TABLE_MethodDef), rows = md_row_count(v, MD_TABLE_CustomAttribute);
    bytes *types = arena_alloc_array(&s->memory, md_row_count(v, MD_TABLE_TypeDef) + 1u, sizeof *types);
    action *actions = arena_alloc_array(&s->memory, methods + 1u, sizeof *actions);
    attribute a;
    if (!types || !actions)
        return false;
    for (uint32_t row = 1; row <= rows; row++) {
        md_token parent = md_cell_token(v, MD_CustomAttribute_Parent, row);
        if (md_token_table(parent) == MD_TABLE_TypeDef && try_read(&a, s, row) && *a.verb == 0 && a.pattern.data &&
            md_row_exists(v, MD_TABLE_TypeDef, md_token_row(parent)))
            types[md_token_row(parent)] = a.pattern;
    }
    for (uint32_t row = 1; row <= rows; row++) {
        md_token parent = md_cell_token(v, MD_CustomAttribute_Parent, row);
        uint32_t method = md_token_row(parent);
        if (md_token_table(parent) != MD_TABLE_MethodDef || !md_row_exists(v, MD_TABLE_MethodDef, method) ||
            !try_read(&a, s, row))
            continue;
        if (*a.verb == 0)
            actions[method].route = a.pattern;
        else if (!a.pattern.data)
            actions[method].verb = a.verb;
        else if (!add_route(s, method, a.verb, prefix_of(s, types, md_method_type(&s->image->index, method)),
                            a.pattern))
            return false;
        actions[method].listed |= *a.verb != 0;
    }
    return add_actions(s, types, actions, methods);
}
