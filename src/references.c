#include "references.h"

#include "metadata/signature.h"

#include <stdio.h>

static bool is_type_ref(const md_view *v, uint32_t row, const char *namespace, const char *name) {
    return md_name_is(v, MD_TypeRef_TypeName, row, name) && md_name_is(v, MD_TypeRef_TypeNamespace, row, namespace);
}

static md_token find_type_def(const md_view *v, const char *namespace, const char *name) {
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_TypeDef); row++)
        if (md_name_is(v, MD_TypeDef_TypeName, row, name) && md_name_is(v, MD_TypeDef_TypeNamespace, row, namespace))
            return md_token_of(MD_TABLE_TypeDef, row);
    return 0;
}

bool references_is_core_library(const md_view *v) {
    md_token object = find_type_def(v, "System", "Object");
    return object != 0 && md_cell(v, MD_TypeDef_Extends, md_token_row(object)) == 0;
}

bool references_is_names(const md_view *v, uint32_t row) {
    /* A manifest also names the resources in its modules. */
    return md_cell(v, MD_ManifestResource_Implementation, row) == 0 &&
           strncmp(md_name(v, MD_ManifestResource_Name, row), NAMES_RESOURCE_NAME, strlen(NAMES_RESOURCE_NAME)) == 0;
}

uint32_t references_instrumented_times(const md_view *v) {
    uint32_t times = 0;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_ManifestResource); row++)
        times += references_is_names(v, row);
    return times;
}

void references_set_method_count(references *refs, uint32_t method_count) {
    enum { COUNT_OFFSET = 1 + 5 + 1 }; /* behind the header, ldtoken, and the opcode of ldc.i4 */
    if (refs->has_holder)
        store_u32(refs->holder[0].body + COUNT_OFFSET, method_count);
}

/* A name of ours in this module: with a number when earlier ones are there, and in a module without a manifest with the
 * module's name, since all modules' resources are named in one manifest. */
static uint32_t own_name(md_edit *edit, const char *name, const char *separator) {
    enum { MODULE_NAME_MOST_BYTES = 255 };
    char whole[MODULE_NAME_MOST_BYTES + 64];
    const md_view *v = edit->view;
    uint32_t times = references_instrumented_times(v);
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
    if (references_is_core_library(v))
        return find_type_def(v, namespace, name);
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

/* The signature of one of the calls. */
static void call_signature(buffer *signature, bool exception, tracker_argument argument, uint8_t result,
                           uint8_t token_element, md_token method_handle) {
    buffer_u8(signature, MD_SIG_DEFAULT);
    buffer_compressed(signature, (argument == TRACKER_NOTHING ? 0u : 1u) + exception);
    buffer_u8(signature, result);
    if (exception)
        buffer_u8(signature, MD_ELEMENT_OBJECT);
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

static uint8_t *emit_token(uint8_t *p, uint8_t opcode, uint32_t token) {
    *p = opcode;
    store_u32(p + 1, token);
    return p + 5;
}

enum {
    LDC_I4 = 0x20,
    LDSTR = 0x72,
    LDARG_0 = 0x02,
    LDARG_1 = 0x03,
    CALL = 0x28,
    RET = 0x2A,
    ADD = 0x58,
    LDSFLD = 0x7E,
    STSFLD = 0x80,
    LDTOKEN = 0xD0,
    TINY = 0x2
};

/* Ends a body that was written behind the byte of its header up to `end`. */
static void finish_body(holder_method *m, const uint8_t *end) {
    m->size = (uint32_t)(end - m->body);
    m->body[0] = (uint8_t)((m->size - 1) << 2 | TINY);
}

/* The same of the holder's next method. */
static void finish_tiny(references *refs, const uint8_t *end) {
    finish_body(&refs->holder[refs->holder_method_count++], end);
}

static uint8_t *next_body(references *refs) {
    return refs->holder[refs->holder_method_count].body + 1;
}

enum { NO_INLINING = 0x8, AGGRESSIVE_INLINING = 0x100 }; /* MethodDef.ImplFlags (II.23.1.11) */

/* A static method of the holder that the rest of the module calls. */
static md_token method_row(md_edit *edit, const char *name, bytes signature, uint32_t impl_flags) {
    enum { FORWARDER_FLAGS = 0x93 }; /* Assembly, Static, HideBySig */
    uint32_t no_parameters = md_edit_list_end(edit, MD_TABLE_Param);
    return md_edit_row(edit, MD_TABLE_MethodDef,
                       (uint32_t[]){0, impl_flags, FORWARDER_FLAGS, md_edit_string(edit, name),
                                    md_edit_blob(edit, signature), no_parameters});
}

static md_token forwarder_row(md_edit *edit, const char *name, bytes signature) {
    return method_row(edit, name, signature, AGGRESSIVE_INLINING);
}

static ecma_status add_holder(references *refs, md_edit *edit, md_token tracker_type, diag *d) {
    md_token object = core_type(edit, "Object"), type_handle = core_type(edit, "RuntimeTypeHandle");
    if (!object || !type_handle)
        return diag_report(
            d, DIAG_NO_CORE_REFERENCE,
            "the module names no core library (mscorlib, System.Runtime, netstandard), whose types the calls need");

    buffer signature = BUFFER_INIT;
    buffer_append(&signature, (uint8_t[]){MD_SIG_DEFAULT, 2, MD_ELEMENT_I4}, 3);
    type_argument(&signature, type_handle);
    buffer_u8(&signature, MD_ELEMENT_I4);
    edit->blobs.failed |= signature.failed;
    md_token registering = references_member(edit, tracker_type, "Register", buffer_bytes(&signature));
    buffer_clear(&signature);

    enum {
        TYPE_FLAGS = 0x100180,      /* NotPublic, Abstract, Sealed, BeforeFieldInit */
        BASE_FLAGS = 0x33,          /* Assembly, Static, InitOnly */
        INITIALIZER_FLAGS = 0x1891, /* Private, Static, HideBySig, SpecialName, RTSpecialName */
    };
    md_token holder =
        md_edit_row(edit, MD_TABLE_TypeDef,
                    (uint32_t[]){TYPE_FLAGS, own_name(edit, HOLDER_TYPE_NAME, ""), 0,
                                 md_coded_encode(MD_CODED_TypeDefOrRef, object), md_edit_list_end(edit, MD_TABLE_Field),
                                 md_edit_list_end(edit, MD_TABLE_MethodDef)});
    refs->base = md_edit_row(
        edit, MD_TABLE_Field,
        (uint32_t[]){BASE_FLAGS, md_edit_string(edit, "Base"), md_edit_blob(edit, bytes_of("\x06\x08", 2))});
    uint32_t no_parameters = md_edit_list_end(edit, MD_TABLE_Param);
    md_token initializer = md_edit_row(edit, MD_TABLE_MethodDef,
                                       (uint32_t[]){0, 0, INITIALIZER_FLAGS, md_edit_string(edit, ".cctor"),
                                                    md_edit_blob(edit, bytes_of("\0\0\x01", 3)), no_parameters});
    md_token forwarder = forwarder_row(edit, "Enter", bytes_of("\0\x01\x08\x08", 4));

    uint8_t *p = emit_token(next_body(refs), LDTOKEN, holder);
    p = emit_token(p, LDC_I4, 0);
    p = emit_token(p, CALL, registering);
    p = emit_token(p, STSFLD, refs->base);
    *p++ = RET;
    finish_tiny(refs, p);
    p = emit_token(next_body(refs), LDSFLD, refs->base);
    *p++ = LDARG_0;
    *p++ = ADD;
    p = emit_token(p, CALL, refs->enter);
    *p++ = RET;
    finish_tiny(refs, p);
    refs->enter = forwarder;
    refs->has_holder = true;
    refs->type_handle = type_handle;
    refs->first_holder_method = md_token_row(initializer);
    return ECMA_OK;
}

void references_add_settings(references *refs, md_edit *edit, md_token text) {
    holder_method *initializer = &refs->holder[0];
    md_token configure =
        references_member(edit, refs->tracker_type, "Configure",
                          bytes_of((uint8_t[]){MD_SIG_DEFAULT, 1, MD_ELEMENT_VOID, MD_ELEMENT_STRING}, 4));
    uint8_t *p = emit_token(initializer->body + initializer->size - 1, LDSTR, text); /* in place of ret */
    p = emit_token(p, CALL, configure);
    *p++ = RET;
    finish_body(initializer, p);
}

void references_add_capture(references *refs, md_edit *edit) {
    for (unsigned i = 0; i < TRACKER_CAPTURE_METHODS; i++) {
        const tracker_method *method = &tracker_capture_methods[i];
        refs->capture[i] = references_member(edit, refs->tracker_type, method->name,
                                             bytes_of(method->signature, method->signature_size));
    }
    const tracker_method *begins = &tracker_capture_methods[TRACKER_CALL_BEGINS];
    md_token begin = refs->capture[TRACKER_CALL_BEGINS];
    refs->capture[TRACKER_CALL_BEGINS] =
        forwarder_row(edit, "BeginCall", bytes_of(begins->signature, begins->signature_size));
    uint8_t *p = emit_token(next_body(refs), LDSFLD, refs->base);
    *p++ = LDARG_0;
    *p++ = ADD;
    p = emit_token(p, CALL, begin);
    *p++ = RET;
    finish_tiny(refs, p);
}

/* The token for ldtoken of a value type as a signature has it. */
static md_token token_of_type(md_edit *edit, bytes type) {
    reader r = reader_of(type);
    if (reader_u8(&r) == MD_ELEMENT_VALUETYPE)
        return md_read_type_token(&r);
    return md_edit_row(edit, MD_TABLE_TypeSpec, (uint32_t[]){md_edit_blob(edit, type)});
}

md_token references_add_foreign_value(references *refs, md_edit *edit, bytes type, md_token call) {
    enum { LDARG_2 = 0x04, BRFALSE_S = 0x2C, CALL_BYTES = 3 + 5 };
    buffer signature = BUFFER_INIT;
    if (!refs->can_call_value) {
        buffer_append(&signature, (uint8_t[]){MD_SIG_DEFAULT, 1, MD_ELEMENT_BOOLEAN}, 3);
        type_argument(&signature, refs->type_handle);
        refs->can_call_value = references_member(edit, refs->tracker_type, "CanCallValue", buffer_bytes(&signature));
        signature.size = 0;
    }
    const uint8_t head[] = {MD_SIG_DEFAULT, 3, MD_ELEMENT_VOID, MD_ELEMENT_OBJECT, MD_ELEMENT_I4, MD_ELEMENT_BYREF};
    buffer_append(&signature, head, sizeof head);
    buffer_append(&signature, type.data, type.size);
    md_token asks = method_row(edit, "CallForeignValue", buffer_bytes(&signature), NO_INLINING);
    md_token calls = method_row(edit, "CallValue", buffer_bytes(&signature), NO_INLINING);
    edit->blobs.failed |= signature.failed;
    buffer_clear(&signature);
    uint8_t *p = emit_token(next_body(refs), LDTOKEN, token_of_type(edit, type));
    p = emit_token(p, CALL, refs->can_call_value);
    *p++ = BRFALSE_S;
    *p++ = CALL_BYTES;
    *p++ = LDARG_0;
    *p++ = LDARG_1;
    *p++ = LDARG_2;
    p = emit_token(p, CALL, calls);
    *p++ = RET;
    finish_tiny(refs, p);
    p = next_body(refs);
    *p++ = LDARG_0;
    *p++ = LDARG_1;
    *p++ = LDARG_2;
    p = emit_token(p, CALL, call);
    *p++ = RET;
    finish_tiny(refs, p);
    return asks;
}

void references_describe_calls(references *refs, md_token text) {
    holder_method *initializer = &refs->holder[0];
    uint8_t *p = emit_token(initializer->body + initializer->size - 1, LDSFLD, refs->base); /* in place of ret */
    p = emit_token(p, LDSTR, text);
    p = emit_token(p, CALL, refs->capture[TRACKER_DESCRIBES]);
    *p++ = RET;
    finish_body(initializer, p);
}

/* A method of the tracker that takes what leaving takes. */
static md_token leave_like(md_edit *edit, const tracker *t, md_token type, md_token method_handle, const char *name,
                           bool exception, uint8_t result) {
    buffer signature = BUFFER_INIT;
    call_signature(&signature, exception, t->leave, result, t->token_element, method_handle);
    edit->blobs.failed |= signature.failed;
    md_token token = references_member(edit, type, name, buffer_bytes(&signature));
    buffer_clear(&signature);
    return token;
}

ecma_status references_add(references *refs, md_edit *edit, const tracker *t, bool guarded, bool search_pass, diag *d) {
    *refs = (references){0};
    md_token assembly = tracker_assembly(edit, t);
    md_token type =
        md_edit_row(edit, MD_TABLE_TypeRef,
                    (uint32_t[]){md_coded_encode(MD_CODED_ResolutionScope, assembly),
                                 md_edit_string(edit, t->type_name), md_edit_string(edit, t->type_namespace)});
    refs->tracker_type = type;
    bool wants_handle = t->enter == TRACKER_HANDLE || t->leave == TRACKER_HANDLE;
    md_token method_handle = wants_handle ? core_type(edit, "RuntimeMethodHandle") : 0;
    if (wants_handle && !method_handle)
        return diag_report(
            d, DIAG_NO_CORE_REFERENCE,
            "the module names no core library (mscorlib, System.Runtime, netstandard), whose types the calls need");
    buffer signature = BUFFER_INIT;
    call_signature(&signature, false, t->enter, t->token_element, t->token_element, method_handle);
    edit->blobs.failed |= signature.failed;
    refs->enter = references_member(edit, type, "WhenEnteringMethod", buffer_bytes(&signature));
    buffer_clear(&signature);
    refs->leave = leave_like(edit, t, type, method_handle, "WhenLeavingMethod", false, MD_ELEMENT_VOID);
    if (guarded && t->leaves_by_exception)
        refs->leaving_by_exception =
            leave_like(edit, t, type, method_handle, "WhenLeavingByException", false, MD_ELEMENT_VOID);
    if (guarded && t->catches)
        refs->catching = leave_like(edit, t, type, method_handle, "WhenCatching", true, MD_ELEMENT_VOID);
    if (guarded && t->unwinds)
        refs->unwinding = leave_like(edit, t, type, method_handle, "WhenUnwinding", false, MD_ELEMENT_VOID);
    if (search_pass && t->sees_exceptions_pass)
        refs->exception_passes =
            leave_like(edit, t, type, method_handle, "WhenExceptionPasses", true, MD_ELEMENT_BOOLEAN);
    enum { PRIVATE_RESOURCE = 2 };
    refs->names_row =
        md_token_row(md_edit_row(edit, MD_TABLE_ManifestResource,
                                 (uint32_t[]){0, PRIVATE_RESOURCE, own_name(edit, NAMES_RESOURCE_NAME, "."), 0}));
    return t->registers ? add_holder(refs, edit, type, d) : ECMA_OK;
}

/* Adds the methods of a part of the enumeration, and gives back the tracker's one for entering, for which the caller
 * adds a forwarder; 0 when it needs none. */
static md_token add_async_methods(references *refs, md_edit *edit, const tracker *t, unsigned first, unsigned end) {
    for (unsigned i = first; i < end; i++) {
        const tracker_method *method = &tracker_machine_methods[i];
        if (t->has_machine_method[i])
            refs->machine[i] = references_member(edit, refs->tracker_type, method->name,
                                                 bytes_of(method->signature, method->signature_size));
    }
    md_token enter = refs->machine[first];
    if (!enter || !refs->has_holder)
        return 0;
    bool machine = first == TRACKER_ENTERS_MACHINE;
    const tracker_method *shape = &tracker_machine_methods[first];
    refs->machine[first] = forwarder_row(edit, machine ? "EnterStateMachine" : "EnterAsync",
                                         bytes_of(shape->signature, shape->signature_size));
    return enter;
}

void references_add_machines(references *refs, md_edit *edit, const tracker *t) {
    md_token enter = add_async_methods(refs, edit, t, TRACKER_ENTERS_MACHINE, TRACKER_FIRST_ASYNC);
    if (!enter)
        return;
    uint8_t *p = emit_token(next_body(refs), LDSFLD, refs->base);
    *p++ = LDARG_0;
    *p++ = ADD;
    p = emit_token(p, LDSFLD, refs->base);
    *p++ = LDARG_1;
    *p++ = ADD;
    p = emit_token(p, CALL, enter);
    *p++ = RET;
    finish_tiny(refs, p);
}

void references_add_async(references *refs, md_edit *edit, const tracker *t) {
    md_token enter = add_async_methods(refs, edit, t, TRACKER_FIRST_ASYNC, TRACKER_MACHINE_METHODS);
    if (!enter)
        return;
    uint8_t *p = emit_token(next_body(refs), LDSFLD, refs->base);
    *p++ = LDARG_0;
    *p++ = ADD;
    p = emit_token(p, CALL, enter);
    *p++ = RET;
    finish_tiny(refs, p);
}
