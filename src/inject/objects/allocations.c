#include "inject/objects/allocations.h"

#include "il/decode.h"
#include "il/emit.h"
#include "metadata/flags.h"
#include "metadata/signature.h"
#include "metadata/type_kinds.h"
#include "metadata/types.h"

/* How a call counts an object. */
typedef enum probe {
    PROBE_NONE,  /* nothing is allocated, or nobody can tell */
    PROBE_PLAIN, /* one object each time */
    PROBE_OPEN,  /* a box of what may be no value type, or null: the value tells */
    PROBE_NEW,   /* of what may be a value type: likewise, when it has been made */
} probe;

/* Adds the tracker's methods, the field for the first site's number, which finishing sets, and what adds that number.
 */
static void reference(allocations *a) {
    references *refs = a->refs;
    references_add_group(refs, a->edit, a->tracker, TRACKER_GROUP_ALLOCATIONS);
    a->first_site = helper_add_read_only_field(a->edit, "Sites");
    buffer *b = &a->code;
    il_emit_token(b, IL_OP_ldsfld, a->first_site);
    il_emit_ldarg(b, 0);
    il_emit(b, IL_OP_add);
    il_emit_ldarg(b, 1);
    il_emit_call(b, refs->method[TRACKER_ALLOCATES]);
    il_emit(b, IL_OP_ret);
    refs->helper.code.failed |= b->failed;
    a->allocating = helper_add_method(&refs->helper, a->edit, "Allocating", tracker_method_signature(TRACKER_ALLOCATES),
                                      MD_IMPL_AGGRESSIVE_INLINING, buffer_bytes(b));
}

ecma_status allocations_begin(allocations *a, ilj_image *image, md_edit *edit, references *refs, const tracker *t) {
    *a = (allocations){.image = image, .edit = edit, .refs = refs, .tracker = t};
    if (!t->can[TRACKER_GROUP_ALLOCATIONS])
        return diag_report(&image->diag, DIAG_TRACKER_SHAPE,
                           "the tracker has no methods RegisterAllocations, WhenAllocating and WhenBoxing<T> beside an "
                           "int32 WhenEnteringMethod(int32), which counting objects needs");
    size_t count = (size_t)md_row_count(&image->metadata, MD_TABLE_TypeRef) + 1;
    a->kinds = arena_alloc_array(&image->arena, count, sizeof *a->kinds);
    if (!a->kinds)
        return diag_no_memory(&image->diag);
    memset(a->kinds, 0, count * sizeof *a->kinds);
    md_find_type_kinds(&image->metadata, a->kinds);
    reference(a);
    return ECMA_OK;
}

void allocations_clear(allocations *a) {
    type_table_clear(&a->open);
    buffer_clear(&a->sites);
    buffer_clear(&a->code);
    buffer_clear(&a->blob);
    *a = (allocations){0};
}

/* ---- Which instructions ------------------------------------------------------------------------------------------ */

/* A TypeDef or TypeRef. One that no signature names is a class: a value would have a local or a parameter. */
static bool is_value_type(const allocations *a, md_token type) {
    if (md_token_table(type) == MD_TABLE_TypeDef)
        return md_is_value_type(&a->image->metadata, md_token_row(type));
    return a->kinds[md_token_row(type)] & MD_KIND_VALUE_TYPE;
}

static bool is_definition(const allocations *a, md_token type) {
    md_table_id table = (md_table_id)md_token_table(type);
    return (table == MD_TABLE_TypeDef || table == MD_TABLE_TypeRef) &&
           md_row_exists(&a->image->metadata, table, md_token_row(type));
}

/* The signature of a TypeSpec; empty when there is none. */
static bytes specification(const allocations *a, md_token type) {
    const md_view *v = &a->image->metadata;
    bytes signature = {0};
    if (md_token_table(type) != MD_TABLE_TypeSpec || !md_row_exists(v, MD_TABLE_TypeSpec, md_token_row(type)) ||
        !md_try_blob(v, md_cell(v, MD_TypeSpec_Signature, md_token_row(type)), &signature))
        return (bytes){0};
    return signature;
}

/* Takes the value something off the stack as what it is? Then the type is a value type, whatever signatures say. */
static bool is_taken_as_value(const il_instruction *next, md_token type) {
    return (next->opcode == IL_box || next->opcode == IL_stobj || next->opcode == IL_stelem) && next->token == type;
}

static probe probe_of_new(const allocations *a, md_token type, const il_instruction *next) {
    if (is_definition(a, type))
        return is_value_type(a, type) || (next && is_taken_as_value(next, type)) ? PROBE_NONE : PROBE_PLAIN;
    reader r = reader_of(specification(a, type));
    uint8_t element = reader_u8(&r), kind = reader_u8(&r);
    if (r.failed)
        return PROBE_NONE;
    return element == MD_ELEMENT_ARRAY || (element == MD_ELEMENT_GENERICINST && kind == MD_ELEMENT_CLASS) ? PROBE_PLAIN
                                                                                                          : PROBE_NONE;
}

/* May a type parameter of the method, or of its type, stand for a ref struct? Then it can be no type argument. */
static bool allows_ref_struct(const allocations *a, uint32_t method_row, bool of_method, uint32_t number) {
    const ilj_image *image = a->image;
    md_token owner = of_method ? md_token_of(MD_TABLE_MethodDef, method_row)
                               : md_token_of(MD_TABLE_TypeDef, md_method_type(&image->index, method_row));
    md_generics parameters = md_all_generic_params(&image->index, owner);
    return number >= parameters.count || parameters.rows[number] == 0 ||
           (md_cell(&image->metadata, MD_GenericParam_Flags, parameters.rows[number]) &
            MD_GENERIC_PARAM_ALLOW_BY_REF_LIKE);
}

static probe probe_of_box(const allocations *a, md_token type, uint32_t method_row) {
    const md_view *v = &a->image->metadata;
    if (is_definition(a, type)) { /* that of a class gives the class's object itself (III.4.1) */
        bool is_class = md_token_table(type) == MD_TABLE_TypeDef ? !is_value_type(a, type)
                                                                 : a->kinds[md_token_row(type)] == MD_KIND_CLASS;
        return is_class ? PROBE_NONE : PROBE_PLAIN;
    }
    reader r = reader_of(specification(a, type));
    uint8_t element = reader_u8(&r);
    if (r.failed)
        return PROBE_NONE;
    if (element == MD_ELEMENT_VAR || element == MD_ELEMENT_MVAR) {
        uint32_t number = reader_compressed(&r);
        return r.failed || allows_ref_struct(a, method_row, element == MD_ELEMENT_MVAR, number) ? PROBE_NONE
                                                                                                : PROBE_OPEN;
    }
    if (element == MD_ELEMENT_VALUETYPE)
        return PROBE_PLAIN;
    if (element == MD_ELEMENT_GENERICINST && reader_u8(&r) == MD_ELEMENT_VALUETYPE)
        return md_type_is(v, md_type_definition(v, type), "System", "Nullable`1") ? PROBE_OPEN : PROBE_PLAIN;
    return element >= MD_ELEMENT_BOOLEAN &&
                   (element <= MD_ELEMENT_R8 || element == MD_ELEMENT_I || element == MD_ELEMENT_U)
               ? PROBE_PLAIN
               : PROBE_NONE;
}

/* The type parameter that CreateInstance<T> gets: so compilers make `new T()`. Empty: the call is another one. */
static bytes created_parameter(const allocations *a, md_token method, uint32_t method_row) {
    const md_view *v = &a->image->metadata;
    bytes signature;
    md_token member = a->tracker->can[TRACKER_GROUP_CREATING] && md_token_table(method) == MD_TABLE_MethodSpec ? md_member(v, method) : 0;
    if (!member || strcmp(md_member_name(v, member), "CreateInstance") != 0 ||
        !md_type_is(v, md_member_type(v, &a->image->index, member), "System", "Activator") ||
        !md_try_blob(v, md_cell(v, MD_MethodSpec_Instantiation, md_token_row(method)), &signature))
        return (bytes){0};
    reader r = reader_of(signature);
    if (reader_u8(&r) != MD_SIG_METHODSPEC || reader_compressed(&r) != 1)
        return (bytes){0};
    const uint8_t *type = r.at;
    uint8_t element = reader_u8(&r);
    uint32_t number = reader_compressed(&r);
    if (r.failed || (element != MD_ELEMENT_VAR && element != MD_ELEMENT_MVAR) ||
        allows_ref_struct(a, method_row, element == MD_ELEMENT_MVAR, number))
        return (bytes){0};
    return bytes_of(type, (size_t)(r.at - type));
}

static bool is_test(const il_instruction *i) {
    return i->opcode == IL_brtrue || i->opcode == IL_brtrue_s || i->opcode == IL_brfalse || i->opcode == IL_brfalse_s ||
           i->opcode == IL_unbox_any;
}

/* Do compilers of runtimes leave the box out? CoreCLR's looks at the IL after it (impBoxPatternMatch in
 * src/coreclr/jit/importer.cpp), and so does Mono's (MONO_CEE_BOX in mono/mini/method-to-ir.c). */
static bool is_left_out(il_cursor behind) {
    il_instruction next;
    if (!il_next(&behind, &next))
        return false;
    return is_test(&next) || (next.opcode == IL_isinst && il_next(&behind, &next) && is_test(&next));
}

/* How the object is counted that the instruction allocates, if it does; `cursor` stands after it. */
static probe probe_of(const allocations *a, const il_instruction *i, const allocations_method *m, il_cursor cursor,
                      allocation_site *site) {
    const md_view *v = &a->image->metadata;
    il_instruction next;
    if (i->opcode == IL_newarr) {
        site->kind = ALLOCATION_ARRAY;
        site->type = i->token;
        return PROBE_PLAIN;
    }
    if (i->opcode == IL_box) {
        site->kind = ALLOCATION_BOX;
        site->type = i->token;
        return is_left_out(cursor) ? PROBE_NONE : probe_of_box(a, i->token, m->row);
    }
    md_token member = md_member(v, i->token);
    site->kind = ALLOCATION_NEW;
    site->type = member ? md_member_type(v, &a->image->index, member) : 0;
    return site->type ? probe_of_new(a, site->type, il_next(&cursor, &next) ? &next : NULL) : PROBE_NONE;
}

/* ---- The calls ----------------------------------------------------------------------------------------------------
 */

/* The tracker's generic methods for values of a type. */
typedef enum generic { GENERIC_BOXES, GENERIC_CREATES } generic;

static md_token generic_method(allocations *a, generic which) {
    if (which == GENERIC_BOXES)
        return a->refs->method[TRACKER_BOXES];
    references_add_group(a->refs, a->edit, a->tracker, TRACKER_GROUP_CREATING);
    return a->refs->method[TRACKER_CREATES];
}

/* One of them for values of this type: a MethodSpec. 0 when memory ran out. */
static md_token generic_of(allocations *a, generic which, bytes type) {
    type_entry *entry = type_table_find(&a->open, type);
    if (!entry)
        return 0;
    if (!entry->tokens[which]) {
        a->blob.size = 0;
        buffer_append(&a->blob, (uint8_t[]){MD_SIG_METHODSPEC, 1}, 2);
        buffer_append(&a->blob, type.data, type.size);
        md_token method = generic_method(a, which);
        entry->tokens[which] = md_edit_row(a->edit, MD_TABLE_MethodSpec,
                                           (uint32_t[]){md_coded_encode(MD_CODED_MethodDefOrRef, method),
                                                        md_edit_blob(a->edit, buffer_bytes(&a->blob))});
    }
    return entry->tokens[which];
}

/* Without a local of the call's token the frame on top has the object. */
static void add_token(buffer *b, const allocations_method *m) {
    if (m->token >= 0)
        il_emit_ldloc(b, (uint32_t)m->token);
    else
        il_emit_ldc_i4(b, -1);
}

static uint32_t write_probe(allocations *a, const allocations_method *m, probe how, bytes type) {
    enum { PLAIN_DEPTH = 2, OPEN_DEPTH = 3 };
    buffer *b = &a->code;
    int32_t site = (int32_t)allocations_count(a);
    b->size = 0;
    if (how == PROBE_PLAIN) {
        il_emit_ldc_i4(b, site);
        add_token(b, m);
        il_emit_call(b, a->allocating);
        return PLAIN_DEPTH;
    }
    md_token method = generic_of(a, how == PROBE_NEW ? GENERIC_CREATES : GENERIC_BOXES, type);
    a->failed |= !method;
    il_emit(b, IL_OP_dup);
    il_emit_token(b, IL_OP_ldsfld, a->first_site);
    il_emit_ldc_i4(b, site);
    il_emit(b, IL_OP_add);
    add_token(b, m);
    il_emit_call(b, method);
    return OPEN_DEPTH;
}

/* Instructions that stand before the one at hand. */
typedef struct before {
    uint32_t offset; /* of the first prefix */
    il_opcode opcode;
} before;

/* Where the call stands: nothing may part a delegate's constructor from the ldftn, or the dup and ldvirtftn, before it
 * (III.4.21; compilers and verifiers look for the pair). */
static uint32_t place_of(const il_instruction *i, const before last[2]) {
    if (i->opcode == IL_newobj && last[0].opcode == IL_ldftn)
        return last[0].offset;
    if (i->opcode == IL_newobj && last[0].opcode == IL_ldvirtftn)
        return last[1].opcode == IL_dup ? last[1].offset : last[0].offset;
    return i->offset;
}

/* Puts a call after `new T()`, whose object says what it is. Returns the stack that it needs; 0: there is none. */
static uint32_t insert_creating(allocations *a, il_edit *to, const allocations_method *m, const il_instruction *call) {
    const uint32_t behind = call->offset + call->size;
    bytes type = behind < m->body->code.size ? created_parameter(a, call->token, m->row) : (bytes){0};
    if (!type.size)
        return 0;
    allocation_site site = {.id = m->id, .row = m->row, .offset = call->offset, .type = call->token};
    uint32_t depth = write_probe(a, m, PROBE_NEW, type);
    il_insert_buffer(to, behind, IL_HEAD, &a->code);
    buffer_append(&a->sites, &site, sizeof site);
    return depth;
}

uint32_t allocations_insert(allocations *a, il_edit *to, const allocations_method *m) {
    if (!a->image)
        return 0;
    uint32_t needed = 0, prefix = UINT32_MAX;
    before last[2] = {{0, IL_none}, {0, IL_none}};
    il_instruction i;
    for (il_cursor cursor = il_cursor_of(m->body->code); il_next(&cursor, &i);) {
        if (il_opcodes[i.opcode].flow == IL_FLOW_meta) {
            prefix = prefix < i.offset ? prefix : i.offset;
            continue;
        }
        allocation_site site = {.id = m->id, .row = m->row, .offset = i.offset};
        probe how = i.opcode == IL_newobj || i.opcode == IL_newarr || i.opcode == IL_box
                        ? probe_of(a, &i, m, cursor, &site)
                        : PROBE_NONE;
        if (i.opcode == IL_call && prefix == UINT32_MAX) { /* nothing may part a tail call from its ret */
            uint32_t depth = insert_creating(a, to, m, &i);
            needed = depth > needed ? depth : needed;
        }
        if (how != PROBE_NONE) {
            uint32_t depth = write_probe(a, m, how, specification(a, site.type)),
                     at = prefix < i.offset ? prefix : place_of(&i, last);
            il_insert_buffer(to, at, IL_BEFORE, &a->code);
            buffer_append(&a->sites, &site, sizeof site);
            needed = depth > needed ? depth : needed;
        }
        last[1] = last[0];
        last[0] = (before){prefix < i.offset ? prefix : i.offset, i.opcode};
        prefix = UINT32_MAX;
    }
    return needed;
}

ecma_status allocations_finish(allocations *a) {
    if (!a->image)
        return ECMA_OK;
    if (a->failed || a->sites.failed || a->code.failed || a->blob.failed)
        return diag_no_memory(&a->image->diag);
    buffer *b = &a->code;
    b->size = 0;
    il_emit_token(b, IL_OP_ldsfld, a->refs->helper.base);
    il_emit_token(b, IL_OP_ldc_i4, allocations_count(a));
    il_emit_call(b, a->refs->method[TRACKER_REGISTERS_ALLOCATIONS]);
    il_emit_token(b, IL_OP_stsfld, a->first_site);
    references_initialize(a->refs, b);
    return ECMA_OK;
}
