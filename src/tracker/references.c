#include "tracker/references.h"

#include "il/emit.h"
#include "metadata/flags.h"
#include "metadata/signature.h"

#include <stdio.h>

static bool is_type_ref(const md_view *v, uint32_t row, const char *namespace, const char *name) {
    return md_name_is(v, MD_TypeRef_TypeName, row, name) && md_name_is(v, MD_TypeRef_TypeNamespace, row, namespace);
}

/* A name of ours in this module: with a number when earlier ones are there, and in a module without a manifest with the
 * module's name, since all modules' resources are named in one manifest. */
static uint32_t own_name(md_edit *edit, const char *name, const char *separator) {
    enum { MODULE_NAME_MOST_BYTES = 255 };
    char whole[MODULE_NAME_MOST_BYTES + 64];
    const md_view *v = edit->view;
    uint32_t times = marker_instrumented_times(v);
    bool in_manifest = md_row_count(v, MD_TABLE_Assembly) != 0;
    int size = snprintf(whole, sizeof whole, "%s", name);
    if (!in_manifest)
        size += snprintf(whole + size, sizeof whole - (size_t)size, "%s%.*s", separator, MODULE_NAME_MOST_BYTES,
                         md_name(v, MD_Module_Name, 1));
    if (times)
        snprintf(whole + size, sizeof whole - (size_t)size, "%s%u", in_manifest ? separator : ".", times + 1);
    return md_edit_string(edit, whole);
}

/* The core library by its assembly's name, as a ResolutionScope: for modules that use none of its usual types. */
static uint32_t core_assembly(const md_view *v) {
    static const char *const names[] = {"mscorlib", "System.Runtime", "netstandard", "System.Private.CoreLib"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_AssemblyRef); row++)
            if (md_name_is(v, MD_AssemblyRef_Name, row, names[i]))
                return md_coded_encode(MD_CODED_ResolutionScope, md_token_of(MD_TABLE_AssemblyRef, row));
    return 0;
}

md_token references_core_type(md_edit *edit, const char *namespace, const char *name) {
    static const char *const witnesses[] = {"Object",    "ValueType", "Enum", "MulticastDelegate",
                                            "Attribute", "String",    "Void"};
    const md_view *v = edit->view;
    if (!edit->core_library)
        edit->core_library = marker_is_core_library(v) ? MD_EDIT_YES : MD_EDIT_NO;
    if (edit->core_library == MD_EDIT_YES)
        return marker_find_type(v, namespace, name);
    uint32_t scope = 0;
    size_t best = sizeof witnesses / sizeof witnesses[0];
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_TypeRef); row++) {
        if (is_type_ref(v, row, namespace, name))
            return md_token_of(MD_TABLE_TypeRef, row);
        if (!md_name_is(v, MD_TypeRef_TypeNamespace, row, "System"))
            continue;
        for (size_t i = 0; i < best; i++)
            if (is_type_ref(v, row, "System", witnesses[i])) {
                best = i;
                scope = md_cell(v, MD_TypeRef_ResolutionScope, row);
            }
    }
    if (scope == 0)
        scope = core_assembly(v);
    if (scope == 0)
        return 0;
    return md_edit_row(edit, MD_TABLE_TypeRef,
                       (uint32_t[]){scope, md_edit_string(edit, name), md_edit_string(edit, namespace)});
}

static md_token core_type(md_edit *edit, const char *name) {
    return references_core_type(edit, "System", name);
}

static md_token tracker_assembly(md_edit *edit, const tracker *t) {
    const md_view *v = edit->view;
    /* A compiler may have named it already; two rows for one assembly would be a warning of every validator. */
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_AssemblyRef); row++)
        if (md_name_is(v, MD_AssemblyRef_Name, row, t->assembly_name))
            return md_token_of(MD_TABLE_AssemblyRef, row);
    uint32_t key =
        t->has_public_key ? md_edit_blob(edit, bytes_of(t->public_key_token, sizeof t->public_key_token)) : 0;
    return md_edit_row(edit, MD_TABLE_AssemblyRef,
                       (uint32_t[]){t->version[0], t->version[1], t->version[2], t->version[3], 0, key,
                                    md_edit_string(edit, t->assembly_name), md_edit_string(edit, t->culture), 0});
}

md_token references_member(md_edit *edit, md_token type, const char *name, bytes signature) {
    return md_edit_row(edit, MD_TABLE_MemberRef,
                       (uint32_t[]){md_coded_encode(MD_CODED_MemberRefParent, type), md_edit_string(edit, name),
                                    md_edit_blob(edit, signature)});
}

static void type_argument(buffer *signature, md_token type) {
    buffer_u8(signature, MD_ELEMENT_VALUETYPE);
    buffer_compressed(signature, md_coded_encode(MD_CODED_TypeDefOrRef, type));
}

/* The type of what a call takes to say what it is about. */
static void append_argument(buffer *signature, tracker_argument argument, uint8_t token_element,
                            md_token method_handle) {
    switch (argument) {
    case TRACKER_NOTHING:
        break;
    case TRACKER_ID:
        buffer_u8(signature, MD_ELEMENT_I4);
        break;
    case TRACKER_NAME:
        buffer_u8(signature, MD_ELEMENT_STRING);
        break;
    case TRACKER_TOKEN:
        buffer_u8(signature, token_element);
        break;
    case TRACKER_HANDLE:
        type_argument(signature, method_handle);
        break;
    }
}

void references_append_leave_argument(buffer *signature, const references *refs, const tracker *t) {
    append_argument(signature, t->leave, t->token_element, refs->method_handle);
}

/* WhenEnteringMethod */
static void enter_signature(buffer *signature, const references *refs, const tracker *t) {
    buffer_u8(signature, MD_SIG_DEFAULT);
    buffer_compressed(signature, (t->enter == TRACKER_NOTHING ? 0u : 1u) + t->takes_arguments);
    buffer_u8(signature, t->token_element);
    append_argument(signature, t->enter, t->token_element, refs->method_handle);
    if (t->takes_arguments)
        buffer_append(signature, (uint8_t[]){MD_ELEMENT_SZARRAY, MD_ELEMENT_OBJECT}, 2);
}

/* WhenLeavingMethod */
static void leave_signature(buffer *signature, const references *refs, const tracker *t) {
    if (t->result == TRACKER_TYPED)
        buffer_append(signature, (uint8_t[]){MD_SIG_GENERIC, 1}, 2);
    else
        buffer_u8(signature, MD_SIG_DEFAULT);
    buffer_compressed(signature, (t->leave == TRACKER_NOTHING ? 0u : 1u) + (t->result != TRACKER_NO_RESULT));
    buffer_u8(signature, MD_ELEMENT_VOID);
    references_append_leave_argument(signature, refs, t);
    if (t->result == TRACKER_TYPED)
        buffer_append(signature, (uint8_t[]){MD_ELEMENT_MVAR, 0}, 2);
    else if (t->result == TRACKER_OBJECT_RESULT)
        buffer_u8(signature, MD_ELEMENT_OBJECT);
}

/* A method of the helper type that adds the base to the first of its arguments and calls another
 * method with all of them. */
typedef struct forwarder {
    const char *name;
    bytes signature;
    unsigned arguments;
    unsigned ids; /* arguments that get the base */
} forwarder;

static md_token add_forwarder(references *refs, md_edit *edit, const forwarder *f, md_token callee) {
    buffer b = BUFFER_INIT;
    for (unsigned i = 0; i < f->arguments; i++) {
        if (i < f->ids)
            il_emit_token(&b, IL_OP_ldsfld, refs->helper.base);
        il_emit_ldarg(&b, i);
        if (i < f->ids)
            il_emit(&b, IL_OP_add);
    }
    il_emit_call(&b, callee);
    il_emit(&b, IL_OP_ret);
    refs->helper.code.failed |= b.failed;
    md_token method =
        helper_add_method(&refs->helper, edit, f->name, f->signature, MD_IMPL_AGGRESSIVE_INLINING, buffer_bytes(&b));
    buffer_clear(&b);
    return method;
}

static ecma_status no_core_library(diag *d) {
    return diag_report(
        d, DIAG_NO_CORE_REFERENCE,
        "the module names no core library (mscorlib, System.Runtime, netstandard), whose types the calls need");
}

static md_token add_method(references *refs, md_edit *edit, tracker_method_id id) {
    return refs->method[id] =
               references_member(edit, refs->tracker_type, tracker_methods[id].name, tracker_method_signature(id));
}

void references_add_group(references *refs, md_edit *edit, const tracker *t, tracker_group group) {
    for (unsigned i = 0; i < TRACKER_METHODS; i++)
        if (tracker_methods[i].group == group && t->has[i] && !refs->method[i])
            add_method(refs, edit, (tracker_method_id)i);
    for (unsigned i = 0; i < TRACKER_METHODS; i++) {
        const tracker_method *row = &tracker_methods[i];
        if (row->group != group || !row->forwarder || !refs->method[i] || !refs->helper.base)
            continue;
        const forwarder f = {row->forwarder, tracker_method_signature((tracker_method_id)i), row->parameter_count,
                             row->ids};
        refs->method[i] = add_forwarder(refs, edit, &f, refs->method[i]);
    }
}

void references_initialize(references *refs, const buffer *code) {
    refs->helper.code.failed |= code->failed;
    helper_initialize(&refs->helper, buffer_bytes(code));
}

/* A method of the helper type that looks itself whether the method is switched off:
 * Off[id] != 0 ? 0 : callee(Base + id). The place in that array is a constant where the call of it is put in line. */
static md_token add_switched(references *refs, md_edit *edit, const char *name, tracker_method_id callee) {
    buffer b = BUFFER_INIT;
    il_emit_token(&b, IL_OP_ldsfld, refs->helper.off);
    il_emit_ldarg(&b, 0);
    il_emit(&b, IL_OP_ldelem_u1);
    size_t on = il_emit_branch(&b, IL_OP_brfalse_s);
    if (callee == TRACKER_ENTERS_SWITCHED_ON)
        il_emit_ldc_i4(&b, 0);
    il_emit(&b, IL_OP_ret);
    il_emit_land(&b, on);
    il_emit_token(&b, IL_OP_ldsfld, refs->helper.base);
    il_emit_ldarg(&b, 0);
    il_emit(&b, IL_OP_add);
    il_emit_call(&b, add_method(refs, edit, callee));
    il_emit(&b, IL_OP_ret);
    refs->helper.code.failed |= b.failed;
    md_token method = helper_add_method(&refs->helper, edit, name, tracker_method_signature(callee),
                                        MD_IMPL_AGGRESSIVE_INLINING, buffer_bytes(&b));
    buffer_clear(&b);
    return method;
}

static void add_switches(references *refs, md_edit *edit, const tracker *t) {
    buffer b = BUFFER_INIT;
    il_emit_token(&b, IL_OP_ldsfld, refs->helper.base);
    il_emit_token(&b, IL_OP_ldsfld, refs->helper.off);
    il_emit_call(&b, add_method(refs, edit, TRACKER_REGISTERS_SWITCHES));
    references_initialize(refs, &b);
    buffer_clear(&b);
    refs->enter = add_switched(refs, edit, "Enter", TRACKER_ENTERS_SWITCHED_ON);
    if (t->can[TRACKER_GROUP_VISITING])
        refs->visit = add_switched(refs, edit, "Visit", TRACKER_VISITS);
}

/* The constructor of CompilerGeneratedAttribute; 0 when the module's core library cannot be named, or its attributes
 * are not in their order: then readers would not find what is added. */
static md_token compiler_generated(md_edit *edit) {
    static const uint8_t shape[] = {MD_SIG_HASTHIS, 0, MD_ELEMENT_VOID};
    const md_view *v = edit->view;
    const bytes signature = bytes_of(shape, sizeof shape);
    if (!md_edit_in_order(edit, MD_TABLE_CustomAttribute))
        return 0;
    md_token type = references_core_type(edit, "System.Runtime.CompilerServices", "CompilerGeneratedAttribute");
    if (!type)
        return 0;
    bytes other;
    if (md_token_table(type) == MD_TABLE_TypeDef) {
        md_run methods = md_list(v, MD_TypeDef_MethodList, md_token_row(type));
        for (uint32_t at = methods.first; at < methods.end; at++) {
            uint32_t method = md_run_row(v, &methods, at);
            if (md_row_exists(v, MD_TABLE_MethodDef, method) && md_name_is(v, MD_MethodDef_Name, method, ".ctor") &&
                md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &other) && bytes_equal(other, signature))
                return md_token_of(MD_TABLE_MethodDef, method);
        }
        return 0;
    }
    const uint32_t parent = md_coded_encode(MD_CODED_MemberRefParent, type);
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_MemberRef); row++)
        if (md_cell(v, MD_MemberRef_Class, row) == parent && md_name_is(v, MD_MemberRef_Name, row, ".ctor") &&
            md_try_blob(v, md_cell(v, MD_MemberRef_Signature, row), &other) && bytes_equal(other, signature))
            return md_token_of(MD_TABLE_MemberRef, row);
    return references_member(edit, type, ".ctor", signature);
}

/* Reflection finds the types of ours by these. */
static void name_helper(references *refs, md_edit *edit) {
    if (!refs->helper.namespace)
        refs->helper.namespace = md_edit_string(edit, HELPER_NAMESPACE);
    refs->helper.generated = compiler_generated(edit);
}

static ecma_status add_helper(references *refs, md_edit *edit, const tracker *t, uint32_t method_count, diag *d) {
    md_token object = refs->object ? refs->object : core_type(edit, "Object"),
             type_handle = core_type(edit, "RuntimeTypeHandle");
    if (!object || !type_handle)
        return no_core_library(d);
    buffer signature = BUFFER_INIT;
    buffer_append(&signature, (uint8_t[]){MD_SIG_DEFAULT, 2, MD_ELEMENT_I4}, 3);
    type_argument(&signature, type_handle);
    buffer_u8(&signature, MD_ELEMENT_I4);
    edit->blobs.failed |= signature.failed;
    md_token registering = references_member(edit, refs->tracker_type, "Register", buffer_bytes(&signature));
    name_helper(refs, edit);
    if (refs->byte)
        helper_switches(&refs->helper, edit, own_name(edit, HELPER_TYPE_NAME "Off", ""), object, refs->byte,
                        method_count);
    helper_begin(&refs->helper, edit, own_name(edit, HELPER_TYPE_NAME, ""), object, registering, method_count);
    signature.size = 0;
    enter_signature(&signature, refs, t);
    edit->blobs.failed |= signature.failed;
    const forwarder enter = {t->only_counts ? "Count" : "Enter", buffer_bytes(&signature), t->takes_arguments ? 2 : 1,
                             1};
    if (refs->byte)
        add_switches(refs, edit, t);
    else
        refs->enter = add_forwarder(refs, edit, &enter, refs->enter);
    buffer_clear(&signature);
    refs->type_handle = type_handle;
    return ECMA_OK;
}

void references_add_settings(references *refs, md_edit *edit, md_token text) {
    buffer b = BUFFER_INIT;
    il_emit_token(&b, IL_OP_ldstr, text);
    il_emit_call(&b,
                 references_member(edit, refs->tracker_type, "Configure",
                                   bytes_of((uint8_t[]){MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_STRING}, 4)));
    references_initialize(refs, &b);
    buffer_clear(&b);
}

void references_add_helpers(references *refs, md_edit *edit) {
    name_helper(refs, edit);
    helper_begin(&refs->helper, edit, own_name(edit, HELPER_TYPE_NAME, ""), refs->object, 0, 0);
}

/* A method of the tracker that takes what leaving takes, but the result. */
static md_token leave_like(const references *refs, md_edit *edit, const tracker *t, tracker_guard_method which) {
    const tracker_guard_row *row = &tracker_guard_methods[which];
    buffer signature = BUFFER_INIT;
    buffer_u8(&signature, MD_SIG_DEFAULT);
    buffer_compressed(&signature, (t->leave == TRACKER_NOTHING ? 0u : 1u) + row->takes_exception);
    buffer_u8(&signature, row->result);
    if (row->takes_exception)
        buffer_u8(&signature, MD_ELEMENT_OBJECT);
    references_append_leave_argument(&signature, refs, t);
    edit->blobs.failed |= signature.failed;
    md_token token = references_member(edit, refs->tracker_type, row->name, buffer_bytes(&signature));
    buffer_clear(&signature);
    return token;
}

void references_add_filtering(references *refs, md_edit *edit, const tracker *t) {
    refs->filtering = leave_like(refs, edit, t, TRACKER_GUARD_FILTERING);
}

ecma_status references_add(references *refs, md_edit *edit, const tracker *t, const references_wanted *wanted,
                           diag *d) {
    *refs = (references){0};
    md_token assembly = tracker_assembly(edit, t);
    const uint32_t name = md_edit_string(edit, t->type_name), namespace = md_edit_string(edit, t->type_namespace);
    md_token type = md_edit_row(edit, MD_TABLE_TypeRef,
                                (uint32_t[]){md_coded_encode(MD_CODED_ResolutionScope, assembly), name, namespace});
    refs->helper.namespace = strcmp(t->type_namespace, HELPER_NAMESPACE) == 0 ? namespace : 0;
    refs->tracker_type = type;
    bool wants_handle = t->enter == TRACKER_HANDLE || t->leave == TRACKER_HANDLE;
    bool takes_values = t->takes_arguments || t->result != TRACKER_NO_RESULT;
    refs->method_handle = wants_handle ? core_type(edit, "RuntimeMethodHandle") : 0;
    refs->object = takes_values ? core_type(edit, "Object") : 0;
    refs->exception = takes_values ? core_type(edit, "Exception") : 0;
    refs->byte = t->can[TRACKER_GROUP_SWITCHES] ? core_type(edit, "Byte") : 0;
    if ((wants_handle && !refs->method_handle) || (takes_values && (!refs->object || !refs->exception)))
        return no_core_library(d);
    buffer signature = BUFFER_INIT;
    enter_signature(&signature, refs, t);
    const char *enter = t->only_counts ? "WhenCounting" : "WhenEnteringMethod";
    if (!refs->byte)
        refs->enter = references_member(edit, type, enter, buffer_bytes(&signature));
    signature.size = 0;
    leave_signature(&signature, refs, t);
    if (!t->only_counts)
        refs->leave = references_member(edit, type, "WhenLeavingMethod", buffer_bytes(&signature));
    edit->blobs.failed |= signature.failed;
    buffer_clear(&signature);
    if (wanted->guarded && t->guards[TRACKER_GUARD_BY_EXCEPTION])
        refs->leaving_by_exception = leave_like(refs, edit, t, TRACKER_GUARD_BY_EXCEPTION);
    if (wanted->guarded && t->guards[TRACKER_GUARD_CATCHING])
        refs->catching = leave_like(refs, edit, t, TRACKER_GUARD_CATCHING);
    if (wanted->guarded && t->guards[TRACKER_GUARD_UNWINDING])
        refs->unwinding = leave_like(refs, edit, t, TRACKER_GUARD_UNWINDING);
    if (wanted->search_pass && t->guards[TRACKER_GUARD_PASSES])
        refs->exception_passes = leave_like(refs, edit, t, TRACKER_GUARD_PASSES);
    enum { PRIVATE_RESOURCE = 2 };
    refs->names_row =
        md_token_row(md_edit_row(edit, MD_TABLE_ManifestResource,
                                 (uint32_t[]){0, PRIVATE_RESOURCE, own_name(edit, NAMES_RESOURCE_NAME, "."), 0}));
    return t->registers ? add_helper(refs, edit, t, wanted->method_count, d) : ECMA_OK;
}

void references_clear(references *refs) {
    helper_clear(&refs->helper);
    *refs = (references){0};
}
