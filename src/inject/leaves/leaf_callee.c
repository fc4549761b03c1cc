#include "inject/leaves/leaf_callee.h"

#include "metadata/flags.h"
#include "metadata/names.h"
#include "metadata/signature.h"
#include "metadata/types.h"

#include <stdio.h>

const char *leaf_type_name(const md_view *v, md_token type) {
    return md_token_table(type) == MD_TABLE_TypeDef ? md_name(v, MD_TypeDef_TypeName, md_token_row(type))
                                                    : md_name(v, MD_TypeRef_TypeName, md_token_row(type));
}

const char *leaf_type_space(const md_view *v, md_token type) {
    return md_token_table(type) == MD_TABLE_TypeDef ? md_name(v, MD_TypeDef_TypeNamespace, md_token_row(type))
                                                    : md_name(v, MD_TypeRef_TypeNamespace, md_token_row(type));
}

/* false: the type is not understood. */
static bool find_chain(leaf_callee *c, const ilj_image *image, md_token type) {
    const md_view *v = &image->metadata;
    while (c->depth < LEAF_MOST_NESTED) {
        md_token outer = 0;
        c->types[c->depth++] = type;
        if (md_token_table(type) == MD_TABLE_TypeDef) {
            uint32_t enclosing = md_enclosing_type(&image->index, md_token_row(type));
            if (!enclosing)
                return true;
            outer = md_token_of(MD_TABLE_TypeDef, enclosing);
        } else {
            outer = md_cell_token(v, MD_TypeRef_ResolutionScope, md_token_row(type));
            uint32_t row = md_token_row(outer);
            if (md_token_table(outer) == MD_TABLE_AssemblyRef && md_row_exists(v, MD_TABLE_AssemblyRef, row))
                c->assembly = md_name(v, MD_AssemblyRef_Name, row);
            if (md_token_table(outer) != MD_TABLE_TypeRef)
                return true;
            if (!md_row_exists(v, MD_TABLE_TypeRef, row))
                return false;
        }
        type = outer;
    }
    return false;
}

static const char *space_of(const leaf_callee *c, const md_view *v) {
    return leaf_type_space(v, c->types[c->depth - 1]);
}

/* Calls that a compiler puts in for itself and that tell the tracker of state machines, or that a runtime replaces by
 * something that has to see the code before them. */
static bool is_plumbing(const md_view *v, const leaf_callee *c) {
    const char *name = leaf_type_name(v, c->types[0]);
    return strcmp(space_of(c, v), "System.Runtime.CompilerServices") == 0 &&
           (strstr(name, "MethodBuilder") || strcmp(name, "AsyncHelpers") == 0 || strcmp(name, "RuntimeHelpers") == 0 ||
            strcmp(name, "Unsafe") == 0);
}

leaf_callee_kind leaf_callee_find(leaf_callee *c, const ilj_image *image, const char *tracker, md_token member) {
    const md_view *v = &image->metadata;
    reader r = reader_of(leaf_signature_of(v, member));
    md_method_sig head;
    md_token of = md_type_definition(v, md_member_type(v, &image->index, member));
    bool is_def = md_token_table(member) == MD_TABLE_MethodDef;
    *c = (leaf_callee){.member = member};
    c->native = is_def && md_cell(v, MD_MethodDef_Flags, md_token_row(member)) & MD_METHOD_PINVOKE_IMPL;
    if (!of || !find_chain(c, image, of) || !md_try_method_sig(&r, &head))
        return LEAF_CALLEE_UNKNOWN;
    if (c->native)
        return LEAF_CALLEE_OUTSIDE;
    if (is_def || !c->assembly)
        return LEAF_CALLEE_OWN;
    if (tracker && strcmp(c->assembly, tracker) == 0)
        return LEAF_CALLEE_TRACKER;
    return is_plumbing(v, c) ? LEAF_CALLEE_PLUMBING : LEAF_CALLEE_OUTSIDE;
}

bool leaf_callee_is_awaiter(const leaf_callee *c, const ilj_image *image, const state_machine *machine) {
    static const char services[] = "System.Runtime.CompilerServices";
    return machine && machine->is_async && strncmp(space_of(c, &image->metadata), services, sizeof services - 1) == 0;
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

void leaf_generic_name(char text[16], bool of_method, uint32_t position, uint32_t count) {
    if (count == 1)
        snprintf(text, 16, "%s", of_method ? "U" : "T");
    else
        snprintf(text, 16, "%s%u", of_method ? "U" : "T", (unsigned)(position % 1000000u) + 1);
}

bytes leaf_signature_of(const md_view *v, md_token member) {
    bytes signature = {0};
    md_column column = md_token_table(member) == MD_TABLE_MethodDef ? MD_MethodDef_Signature : MD_MemberRef_Signature;
    return md_try_blob(v, md_cell(v, column, md_token_row(member)), &signature) ? signature : (bytes){0};
}

/* The parameters of VAR count those of all types around. */
static uint32_t generics_of(const md_view *v, const leaf_callee *c) {
    uint32_t count = 0;
    for (unsigned i = 0; i < c->depth; i++) {
        size_t length;
        const char *name = leaf_type_name(v, c->types[i]);
        count += md_name_arity(bytes_of(name, strlen(name)), &length);
    }
    return count;
}

void leaf_append_with_names(buffer *to, bytes text, const leaf_callee *c, const ilj_image *image, uint32_t of_method) {
    uint32_t of_type = generics_of(&image->metadata, c);
    for (size_t i = 0; i < text.size; i++) {
        if (text.data[i] != '!') {
            buffer_u8(to, text.data[i]);
            continue;
        }
        bool second = i + 1 < text.size && text.data[i + 1] == '!';
        uint32_t position = 0;
        for (i += second; i + 1 < text.size && text.data[i + 1] >= '0' && text.data[i + 1] <= '9'; i++)
            position = position * 10 + (text.data[i + 1] - '0');
        char name[16];
        leaf_generic_name(name, second, position, second ? of_method : of_type);
        buffer_string(to, name);
    }
}

bool leaf_callee_parameters(buffer *to, buffer *scratch, const leaf_callee *c, const ilj_image *image) {
    const md_view *v = &image->metadata;
    bytes signature = leaf_signature_of(v, c->member);
    reader r = reader_of(signature);
    md_method_sig head = {0};
    to->size = scratch->size = 0;
    md_try_method_sig(&r, &head);
    md_append_signature_parameters(scratch, v, &image->index, signature);
    leaf_append_with_names(to, buffer_bytes(scratch), c, image, head.generic_count);
    return !scratch->failed && !to->failed;
}

leaf_name leaf_callee_name(const leaf_callee *c, const ilj_image *image, bytes parameters) {
    const md_view *v = &image->metadata;
    const char *assembly = c->assembly ? c->assembly : md_name(v, MD_Assembly_Name, 1);
    const char *texts[LEAF_NAMES];
    leaf_name name = {.assembly = bytes_of(assembly, strlen(assembly)), .parameters = parameters, .native = c->native};
    texts[name.count++] = space_of(c, v);
    for (unsigned i = c->depth; i-- > 0;)
        texts[name.count++] = leaf_type_name(v, c->types[i]);
    texts[name.count++] = md_member_name(v, c->member);
    for (unsigned i = 0; i < name.count; i++)
        name.names[i] = bytes_of(texts[i], strlen(texts[i]));
    return name;
}
