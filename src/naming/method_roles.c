#include "naming/method_roles.h"

#include "metadata/signature.h"
#include "metadata/types.h"

enum {
#define NAMES_FILE_FLAG(ID, value, meaning)
#define NAME_FLAG(ID, value, KEPT, meaning) NAME_##ID = value,
#include "facts/name_flags.def"
#undef NAME_FLAG
#undef NAMES_FILE_FLAG
};

/* No chain of bases is looked through further, and no more methods are compared by name than these: a large library has
 * a twentieth of them. */
enum { MOST_BASES = 16, MOST_COMPARED = 1 << 22 };

typedef struct role_search {
    const ilj_image *image;
    const md_view *v;
    uint16_t *roles;
    uint32_t *base; /* by TypeDef row: the type that it extends, if it is of this module; else 0 */
    bool *open;     /* by TypeDef row: it has methods that may implement an interface by their names */
    uint8_t *types; /* by TypeDef row: TYPE_EXCLUDED…; of row 0: of the assembly */
    bool *without;  /* by Property row: it is excluded */
    uint32_t compared;
    bool any_excluded;
} role_search;

static void find_bases(role_search *s) {
    const md_view *v = s->v;
    for (uint32_t type = 1; type <= md_row_count(v, MD_TABLE_TypeDef); type++) {
        const md_token base = md_type_definition(v, md_cell_token(v, MD_TypeDef_Extends, type));
        if (md_token_table(base) == MD_TABLE_TypeDef && md_row_exists(v, MD_TABLE_TypeDef, md_token_row(base)))
            s->base[type] = md_token_row(base);
    }
}

/* ---- By flags --------------------------------------------------------------------------------------------------- */

/* It is virtual, and flags do not say for whom. */
static bool is_open(uint32_t flags) {
    return (flags & (MD_METHOD_VIRTUAL | MD_METHOD_FINAL | MD_METHOD_NEW_SLOT | MD_METHOD_ABSTRACT)) ==
           (MD_METHOD_VIRTUAL | MD_METHOD_NEW_SLOT);
}

/* Compilers mark so what implements an interface and is virtual for this alone. */
static void by_flags(role_search *s) {
    enum { ITS_OWN = MD_METHOD_VIRTUAL | MD_METHOD_NEW_SLOT | MD_METHOD_FINAL };
    md_cells flags = md_cells_of(s->v, MD_MethodDef_Flags);
    for (uint32_t row = 1; row <= flags.row_count; row++) {
        uint32_t of = md_cells_take(&flags);
        if ((of & ITS_OWN) == ITS_OWN)
            s->roles[row] = NAME_IMPLEMENTS;
        else if ((of & (MD_METHOD_VIRTUAL | MD_METHOD_NEW_SLOT | MD_METHOD_STATIC)) == MD_METHOD_VIRTUAL)
            s->roles[row] = NAME_OVERRIDES;
        else if (is_open(of))
            s->open[md_method_type(&s->image->index, row)] = true;
    }
}

/* ---- By MethodImpl ---------------------------------------------------------------------------------------------- */

static bool is_base(const role_search *s, uint32_t type, md_token of) {
    const md_view *v = s->v;
    for (int depth = 0; type && depth < MOST_BASES; depth++, type = s->base[type])
        if (md_type_definition(v, md_cell_token(v, MD_TypeDef_Extends, type)) == of)
            return true;
    return false;
}

static void by_implementations(role_search *s) {
    const md_view *v = s->v;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MethodImpl); row++) {
        md_token body = md_cell_token(v, MD_MethodImpl_MethodBody, row),
                 declared = md_member(v, md_cell_token(v, MD_MethodImpl_MethodDeclaration, row));
        uint32_t type = md_cell(v, MD_MethodImpl_Class, row), method = md_token_row(body);
        if (md_token_table(body) != MD_TABLE_MethodDef || !md_row_exists(v, MD_TABLE_MethodDef, method) ||
            !md_row_exists(v, MD_TABLE_TypeDef, type))
            continue;
        md_token of = md_type_definition(v, md_member_type(v, &s->image->index, declared));
        s->roles[method] |= is_base(s, type, of) ? NAME_OVERRIDES : NAME_IMPLEMENTS;
    }
}

/* ---- By name and signature -------------------------------------------------------------------------------------- */

/* Of an interface that is generic the parameters are but counted. */
static bool has_shape(const md_view *v, uint32_t method, uint32_t declared, bool generic) {
    bytes one, other;
    md_method_sig of_one, of_other;
    if (!md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &one) ||
        !md_try_blob(v, md_cell(v, MD_MethodDef_Signature, declared), &other))
        return false;
    if (!generic)
        return bytes_equal(one, other);
    reader r = reader_of(one), s = reader_of(other);
    return md_try_method_sig(&r, &of_one) && md_try_method_sig(&s, &of_other) &&
           of_one.generic_count == of_other.generic_count && of_one.parameter_count == of_other.parameter_count;
}

/* Virtual methods of a type that flags say nothing of, against the methods of an interface. A heap has each name once:
 * compilers see to it. */
static void match(role_search *s, uint32_t type, uint32_t interface, bool generic) {
    const md_view *v = s->v;
    const md_cells names = md_cells_of(v, MD_MethodDef_Name), flags = md_cells_of(v, MD_MethodDef_Flags);
    md_run own = md_list(v, MD_TypeDef_MethodList, type), declared = md_list(v, MD_TypeDef_MethodList, interface);
    const uint32_t last = md_row_count(v, MD_TABLE_MethodDef);
    for (uint32_t at = own.first; at < own.end && s->compared < MOST_COMPARED; at++) {
        s->compared++;
        uint32_t method = own.pointer == MD_NONE ? at : md_run_row(v, &own, at);
        if (method - 1 >= last || s->roles[method] || !is_open(md_cells_at(&flags, method)))
            continue;
        const uint32_t name = md_cells_at(&names, method);
        for (uint32_t i = declared.first; i < declared.end && s->compared < MOST_COMPARED; i++) {
            uint32_t of = declared.pointer == MD_NONE ? i : md_run_row(v, &declared, i);
            s->compared++;
            if (of - 1 < last && md_cells_at(&names, of) == name && has_shape(v, method, of, generic))
                s->roles[method] |= NAME_IMPLEMENTS;
        }
    }
}

/* The type, or the nearest base, that is open; 0: none is. */
static uint32_t next_open(const role_search *s, uint32_t type) {
    for (int depth = 0; type && depth < MOST_BASES && md_row_exists(s->v, MD_TABLE_TypeDef, type); depth++) {
        if (s->open[type])
            return type;
        type = s->base[type];
    }
    return 0;
}

static void by_names(role_search *s) {
    const md_view *v = s->v;
    md_cells classes = md_cells_of(v, MD_InterfaceImpl_Class);
    for (uint32_t row = 1; row <= classes.row_count; row++) {
        uint32_t class = md_cells_take(&classes), type = next_open(s, class);
        if (!type || md_cell(v, MD_TypeDef_Flags, class) & MD_TYPE_INTERFACE)
            continue;
        md_token interface = md_cell_token(v, MD_InterfaceImpl_Interface, row),
                 definition = md_type_definition(v, interface);
        uint32_t of = md_token_row(definition);
        if (md_token_table(definition) != MD_TABLE_TypeDef || !md_row_exists(v, MD_TABLE_TypeDef, of))
            continue;
        for (int depth = 0; type && depth < MOST_BASES; depth++, type = next_open(s, s->base[type]))
            match(s, type, of, md_token_table(interface) == MD_TABLE_TypeSpec);
    }
}

/* ---- By attributes ---------------------------------------------------------------------------------------------- */

typedef struct type_name {
    const char *space, *name;
} type_name;

static uint32_t find_named(const md_view *v, md_table_id table, md_column name, md_column space, type_name of) {
    for (uint32_t row = 1; row <= md_row_count(v, table); row++)
        if (md_name_is(v, name, row, of.name) && md_name_is(v, space, row, of.space))
            return row;
    return 0;
}

/* The one constructor of an attribute, as cells of CustomAttribute.Type have it (II.24.2.6); 0: the module does not use
 * it. The core library defines its attributes. */
static uint32_t find_constructor(const md_view *v, type_name of) {
    enum { TAG_BITS = 3, TYPE_REF = 1, METHOD_DEF = 2, MEMBER_REF = 3 };
    uint32_t type = find_named(v, MD_TABLE_TypeRef, MD_TypeRef_TypeName, MD_TypeRef_TypeNamespace, of);
    md_cells classes = md_cells_of(v, MD_MemberRef_Class);
    for (uint32_t row = 1; type && row <= classes.row_count; row++)
        if (md_cells_take(&classes) == (type << TAG_BITS | TYPE_REF))
            return row << TAG_BITS | MEMBER_REF;
    if (!type)
        type = find_named(v, MD_TABLE_TypeDef, MD_TypeDef_TypeName, MD_TypeDef_TypeNamespace, of);
    if (!type)
        return 0;
    md_run methods = md_list(v, MD_TypeDef_MethodList, type);
    return methods.first < methods.end ? md_run_row(v, &methods, methods.first) << TAG_BITS | METHOD_DEF : 0;
}

static void add_role(role_search *s, uint32_t method, uint16_t role) {
    if (md_row_exists(s->v, MD_TABLE_MethodDef, method))
        s->roles[method] |= role;
}

enum { TYPE_UNKNOWN, TYPE_EXCLUDED, TYPE_INCLUDED };

static void exclude(role_search *s, md_token parent) {
    const md_table_id table = (md_table_id)md_token_table(parent);
    const uint32_t of = md_token_row(parent);
    s->any_excluded = true;
    if (table == MD_TABLE_MethodDef)
        add_role(s, of, NAME_EXCLUDED);
    else if (table == MD_TABLE_Assembly)
        s->types[0] = TYPE_EXCLUDED;
    else if (table == MD_TABLE_TypeDef && md_row_exists(s->v, table, of))
        s->types[of] = TYPE_EXCLUDED;
    else if (table == MD_TABLE_Property && md_row_exists(s->v, table, of))
        s->without[of] = true;
}

/* Is the type, or one around it? What is found holds for all on the way. */
static bool is_excluded(role_search *s, uint32_t type) {
    const md_index *index = &s->image->index;
    uint32_t known = type;
    while (known && s->types[known] == TYPE_UNKNOWN)
        known = md_enclosing_type(index, known);
    const uint8_t found = s->types[known] == TYPE_EXCLUDED ? TYPE_EXCLUDED : TYPE_INCLUDED;
    for (uint32_t at = type; at != known; at = md_enclosing_type(index, at))
        s->types[at] = found;
    return found == TYPE_EXCLUDED;
}

/* Of a type its methods, and those of the types in it; of a property its accessors; of an assembly all. */
static void exclude_within(role_search *s) {
    const md_view *v = s->v;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MethodSemantics); row++) {
        const md_token of = md_cell_token(v, MD_MethodSemantics_Association, row);
        if (md_token_table(of) == MD_TABLE_Property && md_row_exists(v, MD_TABLE_Property, md_token_row(of)) &&
            s->without[md_token_row(of)])
            add_role(s, md_cell(v, MD_MethodSemantics_Method, row), NAME_EXCLUDED);
    }
    for (uint32_t row = 1; row <= s->image->index.method_count; row++)
        if (is_excluded(s, md_method_type(&s->image->index, row)))
            add_role(s, row, NAME_EXCLUDED);
}

static void by_attributes(role_search *s) {
    static const type_name made = {"System.Runtime.CompilerServices", "CompilerGeneratedAttribute"},
                           excluded = {"System.Diagnostics.CodeAnalysis", "ExcludeFromCodeCoverageAttribute"};
    const md_view *v = s->v;
    const uint32_t makes = find_constructor(v, made), excludes = find_constructor(v, excluded);
    md_cells types = md_cells_of(v, MD_CustomAttribute_Type);
    for (uint32_t row = 1; (makes || excludes) && row <= types.row_count; row++) {
        const uint32_t type = md_cells_take(&types);
        if (!type || (type != makes && type != excludes))
            continue;
        md_token parent = md_cell_token(v, MD_CustomAttribute_Parent, row);
        if (type == excludes)
            exclude(s, parent);
        else if (md_token_table(parent) == MD_TABLE_MethodDef)
            add_role(s, md_token_row(parent), NAME_COMPILER_MADE);
    }
    if (s->any_excluded)
        exclude_within(s);
}

uint16_t *method_roles_find(ilj_image *image) {
    role_search s = {.image = image, .v = &image->metadata};
    s.roles = arena_alloc_array(&image->arena, md_row_count(s.v, MD_TABLE_MethodDef) + 1u, sizeof *s.roles);
    s.base = arena_alloc_array(&image->arena, md_row_count(s.v, MD_TABLE_TypeDef) + 1u, sizeof *s.base);
    s.open = arena_alloc_array(&image->arena, md_row_count(s.v, MD_TABLE_TypeDef) + 1u, sizeof *s.open);
    s.types = arena_alloc_array(&image->arena, md_row_count(s.v, MD_TABLE_TypeDef) + 1u, sizeof *s.types);
    s.without = arena_alloc_array(&image->arena, md_row_count(s.v, MD_TABLE_Property) + 1u, sizeof *s.without);
    if (!s.roles || !s.base || !s.open || !s.types || !s.without)
        return NULL;
    find_bases(&s);
    by_flags(&s);
    by_implementations(&s);
    by_names(&s);
    by_attributes(&s);
    return s.roles;
}
