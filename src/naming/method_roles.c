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

/* No chain of bases is looked through further, and no more pairs of names are compared than these: a large library has
 * a twentieth of them. */
enum { MOST_BASES = 16, MOST_COMPARED = 1 << 24 };

typedef struct role_search {
    const ilj_image *image;
    const md_view *v;
    uint16_t *roles;
    uint32_t compared;
} role_search;

static uint32_t base_of(const md_view *v, uint32_t type) {
    md_token base = md_type_definition(v, md_cell_token(v, MD_TypeDef_Extends, type));
    return md_token_table(base) == MD_TABLE_TypeDef ? md_token_row(base) : 0;
}

/* ---- By flags --------------------------------------------------------------------------------------------------- */

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
    }
}

/* ---- By MethodImpl ---------------------------------------------------------------------------------------------- */

static bool is_base(const md_view *v, uint32_t type, md_token of) {
    for (int depth = 0; type && depth < MOST_BASES; depth++, type = base_of(v, type))
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
        s->roles[method] |= is_base(v, type, of) ? NAME_OVERRIDES : NAME_IMPLEMENTS;
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

/* The virtual methods of a type that the methods of an interface name. */
static void match(role_search *s, uint32_t type, uint32_t interface, bool generic) {
    const md_view *v = s->v;
    md_run own = md_list(v, MD_TypeDef_MethodList, type), declared = md_list(v, MD_TypeDef_MethodList, interface);
    for (uint32_t at = own.first; at < own.end; at++) {
        uint32_t method = md_run_row(v, &own, at);
        if (!md_row_exists(v, MD_TABLE_MethodDef, method) || s->roles[method] & NAME_IMPLEMENTS ||
            !(md_cell(v, MD_MethodDef_Flags, method) & MD_METHOD_VIRTUAL))
            continue;
        const char *name = md_name(v, MD_MethodDef_Name, method);
        for (uint32_t i = declared.first; i < declared.end && s->compared < MOST_COMPARED; i++) {
            uint32_t of = md_run_row(v, &declared, i);
            s->compared++;
            if (md_row_exists(v, MD_TABLE_MethodDef, of) && md_name_is(v, MD_MethodDef_Name, of, name) &&
                has_shape(v, method, of, generic))
                s->roles[method] |= NAME_IMPLEMENTS;
        }
    }
}

static void by_names(role_search *s) {
    const md_view *v = s->v;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_InterfaceImpl); row++) {
        md_token interface = md_cell_token(v, MD_InterfaceImpl_Interface, row),
                 definition = md_type_definition(v, interface);
        uint32_t type = md_cell(v, MD_InterfaceImpl_Class, row), of = md_token_row(definition);
        if (md_token_table(definition) != MD_TABLE_TypeDef || !md_row_exists(v, MD_TABLE_TypeDef, of) ||
            !md_row_exists(v, MD_TABLE_TypeDef, type) || md_cell(v, MD_TypeDef_Flags, type) & MD_TYPE_INTERFACE)
            continue;
        for (int depth = 0; type && depth < MOST_BASES; depth++, type = base_of(v, type))
            match(s, type, of, md_token_table(interface) == MD_TABLE_TypeSpec);
    }
}

/* ---- By attributes ---------------------------------------------------------------------------------------------- */

static bool is_made_mark(const md_view *v, const md_index *index, uint32_t row) {
    md_token type = md_type_definition(
        v, md_member_type(v, index, md_member(v, md_cell_token(v, MD_CustomAttribute_Type, row))));
    return type && md_type_is(v, type, "System.Runtime.CompilerServices", "CompilerGeneratedAttribute");
}

static void by_attributes(role_search *s) {
    const md_view *v = s->v;
    md_cells types = md_cells_of(v, MD_CustomAttribute_Type);
    uint32_t known = 0; /* the constructor, as the cell has it: all use one */
    for (uint32_t row = 1; row <= types.row_count; row++) {
        uint32_t type = md_cells_take(&types);
        md_token parent = md_cell_token(v, MD_CustomAttribute_Parent, row);
        uint32_t method = md_token_row(parent);
        if (md_token_table(parent) != MD_TABLE_MethodDef || !md_row_exists(v, MD_TABLE_MethodDef, method) ||
            (type != known && !is_made_mark(v, &s->image->index, row)))
            continue;
        known = type;
        s->roles[method] |= NAME_COMPILER_MADE;
    }
}

uint16_t *method_roles_find(ilj_image *image) {
    role_search s = {.image = image, .v = &image->metadata};
    s.roles = arena_alloc_array(&image->arena, md_row_count(s.v, MD_TABLE_MethodDef) + 1u, sizeof *s.roles);
    if (!s.roles)
        return NULL;
    by_flags(&s);
    by_implementations(&s);
    by_names(&s);
    by_attributes(&s);
    return s.roles;
}
