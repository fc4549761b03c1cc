#include "inject/values/values.h"

#include "il/emit.h"
#include "inject/values/parameters.h"
#include "metadata/flags.h"
#include "metadata/signature.h"

#include <stdio.h>

/* The facts that a type_entry keeps. */
enum { TOKEN_OF_TYPE, TOKEN_LEAVE, TOKEN_CAN_BOX, TOKEN_BOX };

ecma_status values_begin(values *v, ilj_image *image, md_edit *edit, references *refs, const tracker *t) {
    bool takes_any = t->takes_arguments || t->result != TRACKER_NO_RESULT;
    *v = (values){.image = image, .edit = edit, .refs = refs, .tracker = takes_any ? t : NULL};
    return takes_any ? capture_find_by_ref_like(&v->by_ref_like, image) : ECMA_OK;
}

void values_clear(values *v) {
    type_table_clear(&v->types);
    buffer_clear(&v->signature);
    buffer_clear(&v->code);
    *v = (values){0};
}

/* ---- Types ------------------------------------------------------------------------------------------------------- */

static bool is_reference(bytes type) {
    switch (type.data[0]) {
    case MD_ELEMENT_STRING:
    case MD_ELEMENT_OBJECT:
    case MD_ELEMENT_CLASS:
    case MD_ELEMENT_SZARRAY:
    case MD_ELEMENT_ARRAY:
        return true;
    case MD_ELEMENT_GENERICINST:
        return type.size > 1 && type.data[1] == MD_ELEMENT_CLASS;
    default:
        return false;
    }
}

static const char *core_name(uint8_t element) {
    static const char *const names[] = {
        [MD_ELEMENT_BOOLEAN] = "Boolean", [MD_ELEMENT_CHAR] = "Char", [MD_ELEMENT_I1] = "SByte",
        [MD_ELEMENT_U1] = "Byte",         [MD_ELEMENT_I2] = "Int16",  [MD_ELEMENT_U2] = "UInt16",
        [MD_ELEMENT_I4] = "Int32",        [MD_ELEMENT_U4] = "UInt32", [MD_ELEMENT_I8] = "Int64",
        [MD_ELEMENT_U8] = "UInt64",       [MD_ELEMENT_R4] = "Single", [MD_ELEMENT_R8] = "Double",
        [MD_ELEMENT_STRING] = "String",   [MD_ELEMENT_I] = "IntPtr",  [MD_ELEMENT_U] = "UIntPtr",
        [MD_ELEMENT_OBJECT] = "Object",
    };
    return element < sizeof names / sizeof names[0] ? names[element] : NULL;
}

static void remember_failure(values *v) {
    v->failed |= v->signature.failed || v->code.failed;
}

static md_token make_type_token(values *v, bytes type) {
    reader r = reader_of(type);
    uint8_t element = reader_u8(&r);
    const char *name = core_name(element);
    if (name)
        return element == MD_ELEMENT_OBJECT ? v->refs->object : references_core_type(v->edit, "System", name);
    if (element == MD_ELEMENT_CLASS || element == MD_ELEMENT_VALUETYPE)
        return md_read_type_token(&r);
    return md_edit_row(v->edit, MD_TABLE_TypeSpec, (uint32_t[]){md_edit_blob(v->edit, type)});
}

/* One token of the type's entry, for which 0 stands until it is made; NULL when memory ran out. */
static md_token *token_place(values *v, bytes type, unsigned which) {
    type_entry *entry = type_table_find(&v->types, type);
    if (entry)
        return &entry->tokens[which];
    v->failed = true;
    return NULL;
}

static md_token type_token(values *v, bytes type) {
    md_token *place = token_place(v, type, TOKEN_OF_TYPE);
    if (place && !*place)
        *place = make_type_token(v, type);
    return place ? *place : 0;
}

/* ---- Value types of other assemblies -------------------------------------------------------------------------------
 */

/* static object BoxValue(T value) */
static md_token add_box(values *v, bytes type, md_token token) {
    buffer *s = &v->signature, *b = &v->code;
    s->size = b->size = 0;
    buffer_append(s, (uint8_t[]){MD_SIG_DEFAULT, 1, MD_ELEMENT_OBJECT}, 3);
    buffer_append(s, type.data, type.size);
    il_emit_ldarg(b, 0);
    il_emit_token(b, IL_OP_box, token);
    il_emit(b, IL_OP_ret);
    return helper_add_method(&v->refs->helper, v->edit, "BoxValue", buffer_bytes(s), MD_IMPL_NO_INLINING,
                             buffer_bytes(b));
}

/* static bool CanBoxValue(): tries once whether BoxValue compiles.
 *
 *     if (State == 0) try { BoxValue(default(T)); State = 1; } catch (Exception) { State = 2; }
 *     return State == 1; */
static md_token add_can_box(values *v, bytes type, md_token token, md_token box) {
    enum { MAX_STACK = 1 + 1 };
    enum { FITS = 1, FITS_NOT = 2 }; /* State */
    char name[32];
    snprintf(name, sizeof name, "State%u", v->foreign_count++);
    md_token state = helper_add_field(v->edit, name);
    buffer *s = &v->signature, *b = &v->code;
    s->size = b->size = 0;
    buffer_append(s, (uint8_t[]){MD_SIG_LOCALS, 1}, 2);
    buffer_append(s, type.data, type.size);
    md_token locals =
        md_edit_row(v->edit, MD_TABLE_StandAloneSig, (uint32_t[]){md_edit_blob(v->edit, buffer_bytes(s))});

    il_emit_head(b, MAX_STACK, locals);
    il_emit_token(b, IL_OP_ldsfld, state);
    size_t known = il_emit_branch(b, IL_OP_brtrue_s);
    size_t try_at = b->size;
    il_emit_ldloca(b, 0);
    il_emit_token(b, IL_OP_initobj, token);
    il_emit_ldloc(b, 0);
    il_emit_call(b, box);
    il_emit(b, IL_OP_pop);
    il_emit_ldc_i4(b, FITS);
    il_emit_token(b, IL_OP_stsfld, state);
    size_t tried = il_emit_branch(b, IL_OP_leave_s);
    size_t catch_at = b->size;
    il_emit(b, IL_OP_pop);
    il_emit_ldc_i4(b, FITS_NOT);
    il_emit_token(b, IL_OP_stsfld, state);
    size_t caught = il_emit_branch(b, IL_OP_leave_s);
    size_t end = b->size;
    il_emit_land(b, known);
    il_emit_land(b, tried);
    il_emit_land(b, caught);
    il_emit_token(b, IL_OP_ldsfld, state);
    il_emit_ldc_i4(b, FITS);
    il_emit(b, IL_OP_ceq);
    il_emit(b, IL_OP_ret);
    il_emit_catch(b, try_at, catch_at, end, v->refs->exception);
    static const uint8_t signature[] = {MD_SIG_DEFAULT, 0, MD_ELEMENT_BOOLEAN};
    return helper_add_fat_method(&v->refs->helper, v->edit, "CanBoxValue", bytes_of(signature, sizeof signature),
                                 MD_IMPL_NO_INLINING, buffer_bytes(b));
}

/* The tracker's generic leave with this type argument. */
static md_token add_leave_spec(values *v, bytes type) {
    buffer *b = &v->signature;
    b->size = 0;
    buffer_append(b, (uint8_t[]){MD_SIG_METHODSPEC, 1}, 2);
    buffer_append(b, type.data, type.size);
    return md_edit_row(
        v->edit, MD_TABLE_MethodSpec,
        (uint32_t[]){md_coded_encode(MD_CODED_MethodDefOrRef, v->refs->leave), md_edit_blob(v->edit, buffer_bytes(b))});
}

/* static void LeaveValue(what leave takes, T result) */
static md_token add_leave_value(values *v, bytes type, md_token leave) {
    buffer *s = &v->signature, *b = &v->code;
    s->size = b->size = 0;
    bool takes = v->tracker->leave != TRACKER_NOTHING;
    buffer_append(s, (uint8_t[]){MD_SIG_DEFAULT, takes ? 2 : 1, MD_ELEMENT_VOID}, 3);
    references_append_leave_argument(s, v->refs, v->tracker);
    buffer_append(s, type.data, type.size);
    il_emit_ldarg(b, 0);
    if (takes)
        il_emit_ldarg(b, 1);
    il_emit_call(b, leave);
    il_emit(b, IL_OP_ret);
    return helper_add_method(&v->refs->helper, v->edit, "LeaveValue", buffer_bytes(s), MD_IMPL_NO_INLINING,
                             buffer_bytes(b));
}

/* The method that is called with a result of this type. */
static md_token leave_of(values *v, bytes type, bool foreign) {
    md_token *place = token_place(v, type, TOKEN_LEAVE);
    if (!place)
        return 0;
    if (!*place) {
        md_token leave = add_leave_spec(v, type);
        *place = foreign ? add_leave_value(v, type, leave) : leave;
        remember_failure(v);
    }
    return *place;
}

/* The methods for a type that may be a ref struct; false when memory ran out. */
static bool foreign_methods(values *v, bytes type, md_token *can_box, md_token *box) {
    md_token token = type_token(v, type);
    type_entry *entry = type_table_find(&v->types, type);
    if (!entry) {
        v->failed = true;
        return false;
    }
    if (!entry->tokens[TOKEN_CAN_BOX]) {
        if (!v->refs->helper.type)
            references_add_helpers(v->refs, v->edit);
        entry->tokens[TOKEN_BOX] = add_box(v, type, token);
        entry->tokens[TOKEN_CAN_BOX] = add_can_box(v, type, token, entry->tokens[TOKEN_BOX]);
    }
    remember_failure(v);
    *can_box = entry->tokens[TOKEN_CAN_BOX];
    *box = entry->tokens[TOKEN_BOX];
    return true;
}

/* ---- Values ------------------------------------------------------------------------------------------------------ */

/* Where a value stands. */
typedef struct place {
    bool is_local;
    uint32_t index;
} place;

static void load(buffer *b, place at) {
    if (at.is_local)
        il_emit_ldloc(b, at.index);
    else
        il_emit_ldarg(b, at.index);
}

/* Branches to what is done when a value cannot be had: at most one because it cannot be boxed, one because a reference
 * leads nowhere. */
typedef struct misses {
    size_t from[2];
    unsigned count;
} misses;

/* Appends what leaves the value itself on the stack, and before that the branches. */
static void add_value(values *v, buffer *b, const capture_type *t, place at, md_token can_box, misses *m) {
    m->count = 0;
    if (t->by_ref) {
        load(b, at);
        m->from[m->count++] = il_emit_branch(b, IL_OP_brfalse_s);
    }
    if (can_box) {
        il_emit_call(b, can_box);
        m->from[m->count++] = il_emit_branch(b, IL_OP_brfalse_s);
    }
    load(b, at);
    if (t->by_ref)
        il_emit_token(b, IL_OP_ldobj, type_token(v, t->type));
}

/* Appends what leaves the value as an object on the stack. */
static void add_object(values *v, buffer *b, const capture_type *t, place at) {
    md_token can_box = 0, box = 0;
    misses m;
    if (t->kind == CAPTURE_FOREIGN && !foreign_methods(v, t->type, &can_box, &box))
        return;
    add_value(v, b, t, at, can_box, &m);
    if (box)
        il_emit_call(b, box);
    else if (!is_reference(t->type))
        il_emit_token(b, IL_OP_box, type_token(v, t->type));
    if (m.count == 0)
        return;
    size_t over = il_emit_branch(b, IL_OP_br_s);
    for (unsigned i = 0; i < m.count; i++)
        il_emit_land(b, m.from[i]);
    il_emit(b, IL_OP_ldnull);
    il_emit_land(b, over);
}

void values_add_arguments(values *v, buffer *code, uint32_t method_row) {
    parameters p;
    bool known = parameters_begin(&p, v->image, &v->by_ref_like, method_row);
    il_emit_ldc_i4(code, known ? (int32_t)p.count : 0);
    il_emit_token(code, IL_OP_newarr, v->refs->object);
    for (parameter at; known && parameters_next(&p, &at);) {
        if (!at.before || at.type.kind == CAPTURE_BY_TYPE)
            continue;
        il_emit(code, IL_OP_dup);
        il_emit_ldc_i4(code, (int32_t)at.position);
        add_object(v, code, &at.type, (place){false, at.argument});
        il_emit(code, IL_OP_stelem_ref);
    }
}

static void add_no_result(values *v, buffer *b) {
    static const uint8_t object[] = {MD_ELEMENT_OBJECT};
    il_emit(b, IL_OP_ldnull);
    il_emit_call(b, v->tracker->result == TRACKER_TYPED ? leave_of(v, bytes_of(object, sizeof object), false)
                                                        : v->refs->leave);
}

static void add_typed_leave(values *v, buffer *b, const capture_type *t, place at) {
    md_token can_box = 0, box = 0;
    misses m;
    bool foreign = t->kind == CAPTURE_FOREIGN;
    if (foreign && !foreign_methods(v, t->type, &can_box, &box))
        return;
    add_value(v, b, t, at, can_box, &m);
    il_emit_call(b, leave_of(v, t->type, foreign));
    if (m.count == 0)
        return;
    size_t over = il_emit_branch(b, IL_OP_br_s);
    for (unsigned i = 0; i < m.count; i++)
        il_emit_land(b, m.from[i]);
    add_no_result(v, b);
    il_emit_land(b, over);
}

void values_add_leave(values *v, buffer *code, uint32_t method_row, uint32_t result, bytes type) {
    reader r = reader_of(type);
    capture_type t = {.kind = CAPTURE_BY_TYPE};
    if (type.size)
        t = capture_type_read(v->image, &v->by_ref_like, method_row, &r);
    place at = {true, result};
    if (t.kind == CAPTURE_BY_TYPE) {
        add_no_result(v, code);
    } else if (v->tracker->result == TRACKER_TYPED) {
        add_typed_leave(v, code, &t, at);
    } else {
        add_object(v, code, &t, at);
        il_emit_call(code, v->refs->leave);
    }
}
