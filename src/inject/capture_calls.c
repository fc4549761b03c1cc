#include "inject/capture_calls.h"

#include "async/machine_whole.h"
#include "il/emit.h"
#include "inject/guard.h"
#include "inject/parameters.h"
#include "inject/user_string.h"
#include "metadata/names.h"
#include "metadata/signature.h"
#include "select/rules.h"

/* The owner of a value: a parameter by its position from 0, or one of these. A parameter's last value stands at
 * BECOMES_FIRST less its position. */
enum { POSITION_THIS = -1, POSITION_RESULT = -2, BECOMES_FIRST = -3 };

/* ---- Which methods ---------------------------------------------------------------------------------------------- */

/* Is it a state machine's type: one that compilers made, with a MoveNext? */
static bool is_machine(const md_view *v, uint32_t type) {
    if (type == 0 || *md_name(v, MD_TypeDef_TypeName, type) != '<')
        return false;
    md_run methods = md_list(v, MD_TypeDef_MethodList, type);
    for (uint32_t at = methods.first; at < methods.end; at++)
        if (md_name_is(v, MD_MethodDef_Name, md_run_row(v, &methods, at), "MoveNext"))
            return true;
    return false;
}

/* Marks the types of state machines, by TypeDef row: not every compiler's name tells them. NULL: no memory. */
static bool *mark_machines(const ilj_image *image, const state_machines *m, arena *a) {
    size_t count = (size_t)md_row_count(&image->metadata, MD_TABLE_TypeDef) + 1;
    bool *marks = arena_alloc_array(a, count, sizeof *marks);
    if (!marks)
        return NULL;
    memset(marks, 0, count * sizeof *marks);
    for (uint32_t i = 0; i < m->count; i++)
        marks[md_method_type(&image->index, m->list[i].method)] = true;
    return marks;
}

static ecma_status ask_rules(capture *c, const bodies *b, const state_machines *m) {
    ilj_image *image = c->image;
    chooser chooser;
    bool any = false, machine = false;
    uint32_t type = 0;
    uint32_t *rules =
        arena_alloc_array(&image->arena, (size_t)md_row_count(&image->metadata, MD_TABLE_MethodDef) + 1, sizeof *rules);
    const bool *machines = mark_machines(image, m, &image->arena);
    if (!rules || !machines)
        return diag_no_memory(&image->diag);
    memset(rules, 0, ((size_t)md_row_count(&image->metadata, MD_TABLE_MethodDef) + 1) * sizeof *rules);
    ecma_status status = chooser_begin(&chooser, c->selection->captured, image);
    for (uint32_t i = 0; i < b->count && status == ECMA_OK; i++) {
        uint32_t rule, row = b->list[i].row;
        if (b->list[i].reason != ILJ_INSTRUMENT)
            continue;
        if (md_method_type(&image->index, row) != type) {
            type = md_method_type(&image->index, row);
            machine = machines[type] || is_machine(&image->metadata, type);
        }
        if (machine)
            continue;
        chooser_ask(&chooser, row, &rule);
        if (rule >= RULE_LISTED) {
            rules[row] = rule - RULE_LISTED + 1;
            any = true;
        }
    }
    chooser_end(&chooser);
    c->rules = any ? rules : NULL;
    return status;
}

/* Finds the async methods among the captured ones. */
static ecma_status find_awaited(capture *c, const tracker *t, const bodies *b, const state_machines *m,
                                const async_methods *a) {
    enum { SEVERAL = UINT8_MAX };
    uint32_t rows = md_row_count(&c->image->metadata, MD_TABLE_MethodDef);
    bool any = false;
    uint8_t *awaited = arena_alloc_array(&c->image->arena, (size_t)rows + 1, sizeof *awaited);
    if (!awaited)
        return diag_no_memory(&c->image->diag);
    memset(awaited, 0, (size_t)rows + 1);
    for (uint32_t i = 0; i < m->count; i++) {
        uint32_t starter = m->list[i].starter;
        if (!starter || !c->rules[starter])
            continue;
        if (awaited[starter] == 0 && machine_is_whole(c->image, b, &m->list[i]))
            awaited[starter] = CAPTURE_AWAITED_MACHINE;
        else
            awaited[starter] = SEVERAL;
    }
    for (uint32_t row = 1; row <= rows; row++) {
        if (awaited[row] == SEVERAL)
            awaited[row] = 0;
        if (c->rules[row] && async_methods_of(a, row))
            awaited[row] = CAPTURE_AWAITED_RUNTIME;
        any |= awaited[row] != 0;
    }
    c->awaited = any ? awaited : NULL;
    if (any)
        references_add_group(c->refs, c->edit, t, TRACKER_GROUP_AWAITED);
    return ECMA_OK;
}

ecma_status capture_begin(capture *c, const tracker *t, const bodies *b, const state_machines *m,
                          const async_methods *a) {
    diag *d = &c->image->diag;
    if (!c->selection || !c->selection->captured)
        return ECMA_OK;
    ecma_status status = ask_rules(c, b, m);
    if (status || !c->rules)
        return status;
    if (t->only_counts)
        return diag_report(d, DIAG_TRACKER_SHAPE,
                           "calls that are only counted have no values: no --capture with --counts");
    if (!t->can[TRACKER_GROUP_CAPTURE])
        return diag_report(d, DIAG_TRACKER_SHAPE,
                           "the tracker lacks some of the methods that --capture needs (docs/capture.md)");
    references_add_group(c->refs, c->edit, t, TRACKER_GROUP_CAPTURE);
    if (t->can[TRACKER_GROUP_AWAITED] && (status = find_awaited(c, t, b, m, a)))
        return status;
    return capture_find_by_ref_like(&c->by_ref_like, c->image);
}

void capture_clear(capture *c) {
    type_table_clear(&c->calls);
    buffer_clear(&c->text);
    buffer_clear(&c->types);
    *c = (capture){0};
}

static uint32_t rule_number(const capture *c, uint32_t method_row) {
    return c && c->rules ? c->rules[method_row] : 0;
}

const capture_rule *capture_rule_of(const capture *c, uint32_t method_row) {
    uint32_t number = rule_number(c, method_row);
    return number ? &c->selection->capture[number - 1] : NULL;
}

unsigned capture_awaited_of(const capture *c, uint32_t method_row) {
    return c && c->awaited ? c->awaited[method_row] : 0;
}

/* ---- Calls for values of a type ------------------------------------------------------------------------------- */

static md_token call_for(capture *c, bytes type, bool foreign) {
    md_edit *edit = c->edit;
    buffer blob = BUFFER_INIT;
    buffer_append(&blob, (uint8_t[]){MD_SIG_METHODSPEC, 1}, 2);
    buffer_append(&blob, type.data, type.size);
    md_token call = md_edit_row(edit, MD_TABLE_MethodSpec,
                                (uint32_t[]){md_coded_encode(MD_CODED_MethodDefOrRef, c->refs->method[TRACKER_VALUE]),
                                             md_edit_blob(edit, buffer_bytes(&blob))});
    edit->blobs.failed |= blob.failed;
    buffer_clear(&blob);
    return foreign ? references_add_foreign_value(c->refs, edit, type, call) : call;
}

/* The method that hands over a value of the type, of which the address is given; 0: nothing can. */
static md_token value_call(capture *c, const capture_type *t) {
    type_entry *entry = type_table_find(&c->calls, t->type);
    if (!entry) {
        c->text.failed = true;
        return 0;
    }
    if (!entry->tokens[0])
        entry->tokens[0] = call_for(c, t->type, t->kind == CAPTURE_FOREIGN);
    return entry->tokens[0];
}

/* Where a value stands. */
typedef struct place {
    bool is_local;
    uint32_t index;
} place;

static void load_place(buffer *b, place p, bool address) {
    if (p.is_local && address)
        il_emit_ldloca(b, p.index);
    else if (p.is_local)
        il_emit_ldloc(b, p.index);
    else if (address)
        il_emit_ldarga(b, p.index);
    else
        il_emit_ldarg(b, p.index);
}

static void hand_over(capture *c, buffer *b, const capture_type *t, uint32_t local, int32_t position, place at) {
    const md_token *calls = c->refs->method;
    md_token call = calls[TRACKER_OBJECT];
    if (t->kind == CAPTURE_BY_TYPE)
        return;
    if (t->kind >= CAPTURE_VALUE && (call = value_call(c, t)) == 0)
        return;
    il_emit_ldloc(b, local);
    il_emit_ldc_i4(b, position);
    load_place(b, at, t->kind >= CAPTURE_VALUE && !t->by_ref);
    if (t->kind == CAPTURE_INTEGER || t->kind == CAPTURE_REAL) {
        bool is_signed = t->element == MD_ELEMENT_I1 || t->element == MD_ELEMENT_I2 || t->element == MD_ELEMENT_I4 ||
                         t->element == MD_ELEMENT_I;
        if (t->kind == CAPTURE_REAL)
            il_emit(b, IL_OP_conv_r8);
        else if (t->element != MD_ELEMENT_I8 && t->element != MD_ELEMENT_U8)
            il_emit(b, is_signed ? IL_OP_conv_i8 : IL_OP_conv_u8);
        il_emit_ldc_i4(b, t->element);
        call = calls[t->kind == CAPTURE_REAL ? TRACKER_REAL : TRACKER_INTEGER];
    }
    il_emit_call(b, call);
}

void capture_hand_over_result(capture *c, buffer *code, const capture_type *t, uint32_t call, uint32_t from) {
    hand_over(c, code, t, call, POSITION_RESULT, (place){true, from});
}

/* ---- A method's values ------------------------------------------------------------------------------------------ */

/* The type of `this`: a reference, or a pointer to a value of the method's own type. */
static capture_type type_of_this(capture *c, uint32_t method_row) {
    const md_view *v = &c->image->metadata;
    uint32_t type = md_method_type(&c->image->index, method_row);
    capture_type t = {.kind = CAPTURE_OBJECT};
    if (!md_is_value_type(v, type))
        return t;
    t = (capture_type){.kind = CAPTURE_BY_TYPE, .by_ref = true};
    if (c->by_ref_like.any && c->by_ref_like.types[type])
        return t;
    md_generics generics = md_all_generic_params(&c->image->index, md_token_of(MD_TABLE_TypeDef, type));
    buffer *b = &c->types;
    size_t at = b->size;
    if (generics.count)
        buffer_u8(b, MD_ELEMENT_GENERICINST);
    buffer_u8(b, MD_ELEMENT_VALUETYPE);
    buffer_compressed(b, md_coded_encode(MD_CODED_TypeDefOrRef, md_token_of(MD_TABLE_TypeDef, type)));
    if (generics.count)
        buffer_compressed(b, generics.count);
    for (uint32_t i = 0; i < generics.count; i++) {
        buffer_u8(b, MD_ELEMENT_VAR);
        buffer_compressed(b, i);
    }
    if (b->failed)
        return t;
    /* The image's own memory: the scratch may move. */
    size_t size = b->size - at;
    uint8_t *copy = arena_alloc(&c->image->arena, size);
    if (!copy)
        return t;
    memcpy(copy, b->data + at, size);
    b->size = at;
    reader r = reader_of(bytes_of(copy, size));
    t = capture_type_read(c->image, &c->by_ref_like, method_row, &r);
    t.by_ref = true;
    return t;
}

static void hand_over_this(capture *c, buffer *code, uint32_t method_row, uint32_t local) {
    capture_type t = type_of_this(c, method_row);
    hand_over(c, code, &t, local, POSITION_THIS, (place){false, 0});
}

void capture_enter(capture *c, buffer *code, uint32_t method_row, uint32_t id, uint32_t local) {
    const capture_rule *rule = capture_rule_of(c, method_row);
    parameters p;
    parameter at;
    il_emit_ldc_i4(code, (int32_t)id);
    il_emit_call(code, c->refs->method[TRACKER_CALL_BEGINS]);
    il_emit_stloc(code, local);
    if (!parameters_begin(&p, c->image, &c->by_ref_like, method_row))
        return;
    size_t start = code->size;
    il_emit_ldloc(code, local);
    size_t from = il_emit_long_branch(code, IL_OP_brfalse);
    if (rule->self && p.is_instance && !p.is_constructor)
        hand_over_this(c, code, method_row, local);
    while (rule->arguments && parameters_next(&p, &at))
        if (at.before)
            hand_over(c, code, &at.type, local, (int32_t)at.position, (place){false, at.argument});
    if (code->size == from)
        code->size = start;
    else
        il_emit_long_land(code, from);
}

void capture_exit(capture *c, buffer *code, uint32_t method_row, uint32_t local, const capture_result *result) {
    const capture_rule *rule = capture_rule_of(c, method_row);
    parameters p;
    parameter at;
    il_emit_ldloc(code, local);
    size_t from = il_emit_long_branch(code, IL_OP_brfalse);
    bool by_machine = capture_awaited_of(c, method_row) == CAPTURE_AWAITED_MACHINE; /* which has the values */
    if (result->values && rule->result && result->type.size && !by_machine) {
        reader r = reader_of(result->type);
        capture_type t = capture_type_read(c->image, &c->by_ref_like, method_row, &r);
        hand_over(c, code, &t, local, POSITION_RESULT, (place){true, result->local});
    }
    if (result->values && !by_machine && parameters_begin(&p, c->image, &c->by_ref_like, method_row)) {
        if (rule->self && p.is_instance && p.is_constructor)
            hand_over_this(c, code, method_row, local);
        while (rule->arguments && parameters_next(&p, &at))
            if (at.after)
                hand_over(c, code, &at.type, local, BECOMES_FIRST - (int32_t)at.position, (place){false, at.argument});
    }
    il_emit_ldloc(code, local);
    il_emit_call(code, c->refs->method[TRACKER_CALL_RETURNS]);
    il_emit_long_land(code, from);
}

/* ---- For the tracker -------------------------------------------------------------------------------------------- */

/* A field of a line: what parts fields and lines becomes a question mark. */
static void add_field(buffer *b, const char *text) {
    buffer_u8(b, '\t');
    for (; *text; text++)
        buffer_u8(b, (uint8_t)((unsigned char)*text < ' ' ? '?' : *text));
}

void capture_describe(capture *c, uint32_t method_row, uint32_t id, bool runtime_async) {
    enum {
#define METHOD(ID, value) ID = value,
#define PARAMETER         METHOD
#define CALL(ID, value)
#define CALL_FLAG(OF, ID, Member, value, meaning) OF(ID, value)
#include "facts/captured_calls.def"
#undef METHOD
#undef PARAMETER
#undef CALL
#undef CALL_FLAG
    };
    unsigned awaited = capture_awaited_of(c, method_row);
    uint32_t number = rule_number(c, method_row);
    if (!number)
        return;
    const md_view *v = &c->image->metadata;
    const capture_rule *rule = &c->selection->capture[number - 1];
    parameters p;
    parameter at;
    bytes signature = {0}, type = {0};
    if (!parameters_begin(&p, c->image, &c->by_ref_like, method_row))
        return;
    md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method_row), &signature);
    unsigned flags = (rule->arguments ? ARGUMENTS : 0u) | (rule->self && p.is_instance ? THIS : 0u);
    if (awaited)
        flags |= (awaited == CAPTURE_AWAITED_MACHINE ? BY_MACHINE : BY_RUNTIME) | (rule->exception ? EXCEPTION : 0u);
    if (awaited == CAPTURE_AWAITED_MACHINE) {
        /* The type that the machine gives is one that can be a type argument. */
        flags |= rule->result ? RESULT : 0u;
    } else if (rule->result && !md_result_type(signature, runtime_async, &type)) {
        flags |= RESULT | RESULT_BY_TYPE;
    } else if (rule->result && type.size) {
        reader r = reader_of(type);
        capture_type t = capture_type_read(c->image, &c->by_ref_like, method_row, &r);
        /* A type that may turn out to be a ref struct is reported, too, for then no value comes. */
        flags |= RESULT | (t.kind == CAPTURE_BY_TYPE || t.kind == CAPTURE_FOREIGN ? RESULT_BY_TYPE : 0u);
    }
    buffer_printf(&c->text, "M\t%u\t%u\t%u", id, number - 1, flags);
    add_field(&c->text, md_name(v, MD_MethodDef_Name, method_row));
    while (parameters_next(&p, &at)) {
        buffer_printf(&c->text, "\t%u",
                      (at.type.kind == CAPTURE_BY_TYPE ? BY_TYPE : 0u) | (at.after ? BECOMES : 0u) |
                          (at.before ? 0u : NOT_BEFORE));
        add_field(&c->text, at.row ? md_name(v, MD_Param_Name, at.row) : "");
    }
    buffer_u8(&c->text, '\n');
}

ecma_status capture_finish(capture *c, diag *d) {
    if (!c->rules)
        return ECMA_OK;
    buffer text = BUFFER_INIT;
    for (uint32_t i = 0; i < c->selection->captured->rule_count; i++) {
        const capture_rule *r = &c->selection->capture[i];
        buffer_printf(&text, "R\t%u\t%u\t%u\t%llu\t%u\t%u\t%u\t%llu", r->throws, r->first, r->every,
                      (unsigned long long)r->slower_ns, r->depth, r->string, r->items, (unsigned long long)r->bytes);
        add_field(&text, c->selection->captured->rules[i].pattern.text);
        add_field(&text, r->text);
        if (r->fields)
            add_field(&text, r->fields);
        buffer_u8(&text, '\n');
    }
    for (uint32_t i = 0; i < c->selection->mask_count; i++) {
        buffer_u8(&text, 'K');
        add_field(&text, c->selection->masks[i]);
        buffer_u8(&text, '\n');
    }
    buffer_append(&text, c->text.data, c->text.size);
    text.failed |= c->text.failed | c->types.failed;
    md_token token = text.failed ? 0 : user_string_add(c->edit, &text);
    buffer_clear(&text);
    if (!token) /* a text that is too long is told when the heap is written */
        return c->edit->over_limit ? ECMA_OK : diag_no_memory(d);
    references_describe_calls(c->refs, token);
    return ECMA_OK;
}
