#include "output/call_list.h"

#include "il/body.h"
#include "il/decode.h"
#include "input/budget.h"
#include "metadata/types.h"

typedef struct lister {
    ilj_image *image;
    uint32_t *positions;             /* by MethodDef row: 1 + position; 0: it has no id */
    uint32_t *of_method, *of_member; /* by row: 1 + index of the name that calls use for it; 0: none yet */
    buffer names, calls;
    uint32_t name_count;
} lister;

/* The number of parameters, `this` not counted; a signature that cannot be read has none. */
static uint32_t parameters_of(const md_view *view, uint32_t signature) {
    enum { GENERIC = 0x10 };
    bytes blob;
    if (!md_try_blob(view, signature, &blob))
        return 0;
    reader r = reader_of(blob);
    if (reader_u8(&r) & GENERIC)
        reader_compressed(&r);
    uint32_t count = reader_compressed(&r);
    return r.failed ? 0 : count;
}

static uint32_t add_name(lister *l, const char *name, uint32_t parameters, const char *type) {
    buffer_append(&l->names, name, budget_name(name, strlen(name)));
    buffer_u8(&l->names, 0);
    buffer_varuint(&l->names, parameters);
    buffer_append(&l->names, type, budget_name(type, strlen(type)));
    buffer_u8(&l->names, 0);
    return ++l->name_count;
}

static const char *type_name(const md_view *v, md_token type) {
    return md_token_table(type) == MD_TABLE_TypeDef ? md_name(v, MD_TypeDef_TypeName, md_token_row(type))
                                                    : md_name(v, MD_TypeRef_TypeName, md_token_row(type));
}

/* True if the type belongs to the framework, which is never instrumented. */
static bool is_of_framework(const md_view *v, md_token type) {
    uint32_t row = md_token_row(type);
    for (int depth = 0;
         depth < 64 && md_token_table(type) == MD_TABLE_TypeRef && md_row_exists(v, MD_TABLE_TypeRef, row); depth++) {
        md_token scope = md_cell_token(v, MD_TypeRef_ResolutionScope, row);
        if (md_token_table(scope) == MD_TABLE_AssemblyRef) {
            static const char system[] = "System";
            const char *name = md_name(v, MD_AssemblyRef_Name, md_token_row(scope));
            return strcmp(name, "mscorlib") == 0 || strcmp(name, "netstandard") == 0 ||
                   (strncmp(name, system, sizeof system - 1) == 0 &&
                    (name[sizeof system - 1] == 0 || name[sizeof system - 1] == '.'));
        }
        type = scope;
        row = md_token_row(type);
    }
    return false;
}

/* True if the virtual method of the framework's type can be one of the program's. Programs implement the framework's
 * interfaces, which have names of this form, and call their lambdas by Invoke of the framework's delegates. */
static bool may_be_own(const char *type, const char *method) {
    return (type[0] == 'I' && type[1] >= 'A' && type[1] <= 'Z') || strcmp(method, "Invoke") == 0;
}

/* The callee of a MemberRef: of a type in another module, or of an instance of a generic one in any. */
static uint32_t name_member(lister *l, uint32_t row, bool is_virtual) {
    const md_view *v = &l->image->metadata;
    md_token type = md_type_definition(v, md_cell_token(v, MD_MemberRef_Class, row));
    const char *of = type ? type_name(v, type) : "", *name = md_name(v, MD_MemberRef_Name, row);
    if (type && is_of_framework(v, type) && !(is_virtual && may_be_own(of, name)))
        return 0;
    return add_name(l, name, parameters_of(v, md_cell(v, MD_MemberRef_Signature, row)), is_virtual ? "" : of);
}

static void add_call(lister *l, buffer *callees, uint32_t *count, const il_instruction *i) {
    enum { VIRTUAL = 0x40 };
    const md_view *v = &l->image->metadata;
    bool is_virtual = i->opcode == IL_callvirt || i->opcode == IL_ldvirtftn;
    md_token member = md_member(v, i->token);
    uint32_t row = md_token_row(member), name = 0;
    if (!member)
        return;
    if (md_token_table(member) == MD_TABLE_MemberRef) {
        enum { NO_NAME = UINT32_MAX };
        uint32_t *known = &l->of_member[2 * (row - 1) + (is_virtual ? 1 : 0)];
        if (*known == 0) {
            name = name_member(l, row, is_virtual);
            *known = name ? name : NO_NAME;
        }
        if ((name = *known) == NO_NAME)
            return;
    } else if (is_virtual && md_cell(v, MD_MethodDef_Flags, row) & VIRTUAL) {
        if (l->of_method[row] == 0)
            l->of_method[row] = add_name(l, md_name(v, MD_MethodDef_Name, row),
                                         parameters_of(v, md_cell(v, MD_MethodDef_Signature, row)), "");
        name = l->of_method[row];
    } else if (l->positions[row] == 0) {
        return;
    }
    buffer_varuint(callees, name ? 2ull * (name - 1) + 1 : 2ull * (l->positions[row] - 1));
    ++*count;
}

static void add_method(lister *l, buffer *callees, uint32_t row) {
    bytes from;
    il_body body;
    il_fault fault = {0};
    uint32_t count = 0;
    callees->size = 0;
    if (pe_try_bytes_from(&l->image->pe, md_cell(&l->image->metadata, MD_MethodDef_RVA, row), &from) &&
        il_body_try_read(&body, from, &fault)) {
        il_cursor cursor = il_cursor_of(body.code);
        il_instruction i;
        while (il_next(&cursor, &i))
            if (i.operand == IL_InlineMethod)
                add_call(l, callees, &count, &i);
    }
    buffer_varuint(&l->calls, count);
    buffer_append(&l->calls, callees->data, callees->size);
}

ecma_status call_list_append(buffer *data, ilj_image *image, const named_method *methods, uint32_t count,
                             uint32_t leaf_count) {
    const md_view *v = &image->metadata;
    uint32_t defs = md_row_count(v, MD_TABLE_MethodDef), refs = md_row_count(v, MD_TABLE_MemberRef);
    buffer callees = BUFFER_INIT;
    lister l = {.image = image,
                .names = {.most = data->most},
                .positions = arena_alloc_array(&image->arena, defs + 1u, sizeof *l.positions),
                .of_method = arena_alloc_array(&image->arena, defs + 1u, sizeof *l.of_method),
                .of_member = arena_alloc_array(&image->arena, 2u * refs + 1u, sizeof *l.of_member)};
    if (!l.positions || !l.of_method || !l.of_member)
        return diag_no_memory(&image->diag);
    for (uint32_t i = 0; i < count; i++)
        l.positions[methods[i].row] = i + 1;
    for (uint32_t i = 0; i < count; i++)
        add_method(&l, &callees, methods[i].row);
    for (uint32_t i = 0; i < leaf_count; i++)
        buffer_varuint(&l.calls, 0);
    buffer_varuint(data, l.name_count);
    buffer_append(data, l.names.data, l.names.size);
    buffer_append(data, l.calls.data, l.calls.size);
    data->failed |= callees.failed || l.names.failed || l.calls.failed;
    data->over |= l.names.over;
    buffer_clear(&callees);
    buffer_clear(&l.names);
    buffer_clear(&l.calls);
    return data->failed ? budget_failed(data, &image->diag) : ECMA_OK;
}
