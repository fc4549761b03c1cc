#include "dump/method_kind.h"

#include "metadata/flags.h"
#include "metadata/signature.h"

static bool is_system_type(const md_view *view, md_token type, const char *name) {
    bool defined = md_token_table(type) == MD_TABLE_TypeDef;
    if (!defined && md_token_table(type) != MD_TABLE_TypeRef)
        return false;
    uint32_t row = md_token_row(type);
    return md_name_is(view, defined ? MD_TypeDef_TypeName : MD_TypeRef_TypeName, row, name) &&
           md_name_is(view, defined ? MD_TypeDef_TypeNamespace : MD_TypeRef_TypeNamespace, row, "System");
}

const char *method_kind_of_type(const struct ilj_image *image, uint32_t typedef_row) {
    const md_view *view = &image->metadata;
    if (typedef_row == 1)
        return "module";
    if (md_cell(view, MD_TypeDef_Flags, typedef_row) & MD_TYPE_INTERFACE)
        return "interface";
    md_token base = md_cell_token(view, MD_TypeDef_Extends, typedef_row);
    if (is_system_type(view, base, "Enum"))
        return "enum";
    if (is_system_type(view, base, "ValueType"))
        return is_system_type(view, md_token_of(MD_TABLE_TypeDef, typedef_row), "Enum") ? "class" : "struct";
    if (is_system_type(view, base, "MulticastDelegate"))
        return "delegate";
    return "class";
}

bool *method_kind_async_types(const struct ilj_image *image, arena *a) {
    const md_view *view = &image->metadata;
    bool *async = arena_alloc_array(a, (size_t)image->index.type_count + 1, sizeof *async);
    if (!async)
        return NULL;
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_InterfaceImpl); row++) {
        uint32_t type = md_cell(view, MD_InterfaceImpl_Class, row);
        md_token interface = md_cell_token(view, MD_InterfaceImpl_Interface, row);
        md_column name = md_token_table(interface) == MD_TABLE_TypeRef ? MD_TypeRef_TypeName : MD_TypeDef_TypeName;
        if (md_row_exists(view, MD_TABLE_TypeDef, type) && md_token_table(interface) != MD_TABLE_TypeSpec &&
            md_name_is(view, name, md_token_row(interface), "IAsyncStateMachine"))
            async[type] = true;
    }
    return async;
}

/* `<Outer>b__0` holds `>` and then the letter that says what the compiler made it for: csc's b lambda, g local
 * function, d state machine; mcs's m lambda, c closure or state machine. */
static const char *after_bracket(const char *name) {
    if (name[0] != '<')
        return NULL;
    const char *end = strrchr(name, '>');
    return end ? end + 1 : NULL;
}

static bool starts_with(const char *text, const char *prefix) {
    return text && strncmp(text, prefix, strlen(prefix)) == 0;
}

static bool is_state_machine(const char *type_name) {
    const char *rest = after_bracket(type_name);
    return starts_with(rest, "d__") || starts_with(rest, "c__Iterator") || starts_with(rest, "c__async");
}

static bool is_finalizer(const struct ilj_image *image, uint32_t method_row) {
    const md_view *view = &image->metadata;
    uint32_t flags = md_cell(view, MD_MethodDef_Flags, method_row);
    bytes signature;
    if (!md_name_is(view, MD_MethodDef_Name, method_row, "Finalize") || !(flags & MD_METHOD_VIRTUAL) ||
        (flags & MD_METHOD_NEW_SLOT) ||
        !md_try_blob(view, md_cell(view, MD_MethodDef_Signature, method_row), &signature))
        return false;
    static const uint8_t nothing[] = {MD_SIG_HASTHIS, 0, MD_ELEMENT_VOID};
    return bytes_equal(signature, bytes_of(nothing, sizeof nothing));
}

static const char *accessor_kind(const md_view *view, uint32_t semantics_row) {
    uint32_t semantics = md_cell(view, MD_MethodSemantics_Semantics, semantics_row);
    return semantics & MD_SEMANTICS_GETTER    ? "getter"
           : semantics & MD_SEMANTICS_SETTER  ? "setter"
           : semantics & MD_SEMANTICS_ADDER   ? "adder"
           : semantics & MD_SEMANTICS_REMOVER ? "remover"
           : semantics & MD_SEMANTICS_RAISER  ? "raiser"
                                              : NULL;
}

const char *method_kind_of(const struct ilj_image *image, uint32_t method_row, bool async_type) {
    const md_view *view = &image->metadata;
    const char *name = md_name(view, MD_MethodDef_Name, method_row);
    if (strcmp(name, ".ctor") == 0)
        return "constructor";
    if (strcmp(name, ".cctor") == 0)
        return "static constructor";
    uint32_t semantics = md_method_semantics(&image->index, method_row);
    const char *accessor = semantics ? accessor_kind(view, semantics) : NULL;
    if (accessor)
        return accessor;
    if ((md_cell(view, MD_MethodDef_Flags, method_row) & MD_METHOD_SPECIAL_NAME) && starts_with(name, "op_"))
        return "operator";
    if (is_finalizer(image, method_row))
        return "finalizer";
    if (strcmp(name, "MoveNext") == 0) {
        uint32_t type = md_method_type(&image->index, method_row);
        if (async_type)
            return "async";
        if (is_state_machine(md_name(view, MD_TypeDef_TypeName, type)))
            return "iterator";
    }
    const char *rest = after_bracket(name);
    if (starts_with(rest, "b__") || starts_with(rest, "m__"))
        return "lambda";
    /* A local function is `<Outer>g__Name|0_0`: the bracket that counts is the one before the g. */
    if (name[0] == '<' && strstr(name, ">g__"))
        return "local function";
    if (md_method_impl(&image->index, method_row))
        return "explicit implementation";
    return "method";
}
