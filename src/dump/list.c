#include "dump/method_kind.h"
#include "dump/text_out.h"
#include "il/edit.h"
#include "input/budget.h"
#include "input/image.h"
#include "input/ready_to_run.h"
#include "metadata/names.h"
#include "select/bodies.h"
#include "select/eligible.h"
#include "select/native_code.h"
#include "select/price.h"
#include "select/rules.h"

#include <stdlib.h>

/* Types and methods as lists that can be walked in order: by row, nested ones under their outer. 0 ends each. */
typedef struct walk {
    ilj_image *image;
    arena arena;
    text_out out;
    buffer scratch;
    uint32_t *first_method, *next_method; /* by TypeDef row (0: methods that no type owns), by MethodDef row */
    uint32_t *first_nested, *next_type;   /* by TypeDef row (0: types that are not nested) */
    const bool *async_types;
    ilj_selection *selection; /* may be NULL */
    bodies bodies;
    uint32_t *body_position; /* by MethodDef row: 1 + the position in bodies.list, 0 without an RVA */
    il_edit edit;            /* its first step is what decides whether a body can be understood */
    price_asker price;
    bool no_memory;
    bool refused; /* reported already */
    bool reference_assembly;
    uint32_t counts[ILJ_REASON_COUNT];
    ready_to_run ahead;
    native_code native; /* of code that was compiled ahead and stays */
} walk;

/* The listing itself shows what instrumenting would say of bodies. */
static bool find_bodies(walk *w) {
    diag_sink *sink = w->image->diag.sink;
    w->image->diag.sink = NULL;
    ecma_status status = bodies_find(&w->bodies, w->image, w->selection);
    w->image->diag.sink = sink;
    if (status == ECMA_OK)
        status = bodies_check_budget(&w->bodies, w->image);
    w->refused = status == ECMA_UNSUPPORTED;
    if (status == ECMA_OK)
        ready_to_run_keep(&w->ahead, w->image);
    if (w->ahead.kept)
        status = native_code_find(&w->native, &w->ahead.code, &w->bodies, w->image);
    if (w->ahead.kept && !native_code_is_worth_it(&w->native))
        ready_to_run_give_up(&w->ahead, w->image);
    for (uint32_t i = 0; status == ECMA_OK && i < w->bodies.count; i++)
        w->body_position[w->bodies.list[i].row] = i + 1;
    return status == ECMA_OK;
}

static bool walk_begin(walk *w) {
    il_edit_init(&w->edit);
    const md_index *index = &w->image->index;
    size_t types = (size_t)index->type_count + 1, methods = (size_t)index->method_count + 1;
    w->first_method = arena_alloc_array(&w->arena, types, sizeof(uint32_t));
    w->next_method = arena_alloc_array(&w->arena, methods, sizeof(uint32_t));
    w->first_nested = arena_alloc_array(&w->arena, types, sizeof(uint32_t));
    w->next_type = arena_alloc_array(&w->arena, types, sizeof(uint32_t));
    w->body_position = arena_alloc_array(&w->arena, methods, sizeof(uint32_t));
    w->async_types = method_kind_async_types(w->image, &w->arena);
    if (!w->first_method || !w->next_method || !w->first_nested || !w->next_type || !w->body_position ||
        !w->async_types || !find_bodies(w))
        return false;
    for (uint32_t row = index->method_count; row > 0; row--) {
        uint32_t type = md_method_type(index, row);
        w->next_method[row] = w->first_method[type];
        w->first_method[type] = row;
    }
    for (uint32_t row = index->type_count; row > 0; row--) {
        uint32_t outer = md_enclosing_type(index, row);
        w->next_type[row] = w->first_nested[outer];
        w->first_nested[outer] = row;
    }
    w->reference_assembly = select_reference_assembly(w->image);
    return true;
}

/* The type after `row` in the order of the listing; *depth is kept. 0 at the end. */
static uint32_t next_in_order(const walk *w, uint32_t row, unsigned *depth) {
    if (w->first_nested[row] != 0) {
        ++*depth;
        return w->first_nested[row];
    }
    while (row != 0 && w->next_type[row] == 0) {
        row = md_enclosing_type(&w->image->index, row);
        --*depth;
    }
    return row ? w->next_type[row] : 0;
}

/* One method, as the listing shows it. */
typedef struct method_facts {
    uint32_t row;
    const char *kind;
    uint32_t il_size; /* bytes; 0 without a body */
    ilj_reason reason;
    uint32_t rule; /* what decided */
} method_facts;

static method_facts facts_of(walk *w, uint32_t row) {
    uint32_t type = md_method_type(&w->image->index, row);
    method_facts facts = {.row = row, .kind = method_kind_of(w->image, row, w->async_types[type])};
    uint32_t position = w->body_position[row];
    const method_body *found = position ? &w->bodies.list[position - 1] : NULL;
    facts.reason = found ? found->reason : select_method(w->image, row);
    facts.rule = found ? found->rule : RULE_NONE;
    if (found && (facts.reason == ILJ_INSTRUMENT || facts.reason == ILJ_HELPER || facts.reason >= ILJ_BAD_BODY))
        facts.il_size = found->code_size;
    if (facts.reason == ILJ_INSTRUMENT) {
        il_body body;
        il_fault fault;
        ecma_status status =
            select_try_body(w->image, row, &body, &fault) ? il_edit_begin(&w->edit, &body, &fault) : ECMA_BAD_FILE;
        if (status == ECMA_NO_MEMORY)
            w->no_memory = true;
        else if (status)
            facts.reason = ILJ_BAD_BODY;
    }
    if (facts.reason == ILJ_INSTRUMENT && w->reference_assembly)
        facts.reason = ILJ_REFERENCE_ASSEMBLY;
    w->counts[facts.reason]++;
    return facts;
}

static bytes method_name(walk *w, uint32_t row) {
    w->scratch.size = 0;
    md_append_method_name(&w->scratch, &w->image->metadata, &w->image->index, row);
    return buffer_bytes(&w->scratch);
}

static bytes rule_text(walk *w, uint32_t rule) {
    w->scratch.size = 0;
    rule_describe(&w->scratch, w->selection, rule);
    return buffer_bytes(&w->scratch);
}

/* The rule or the price that decided, if one did. */
static bytes decision_text(walk *w, const method_facts *facts) {
    if (facts->rule != RULE_NONE)
        return rule_text(w, facts->rule);
    il_body body;
    il_fault fault;
    w->scratch.size = 0;
    if ((facts->reason == ILJ_CALLED_OFTEN || facts->reason == ILJ_LIKELY_INLINED) &&
        select_try_body(w->image, facts->row, &body, &fault))
        price_describe(&w->scratch, &w->price, facts->row, &body);
    return buffer_bytes(&w->scratch);
}

static bytes type_name(walk *w, uint32_t row, unsigned flags) {
    w->scratch.size = 0;
    md_append_type_name(&w->scratch, &w->image->metadata, &w->image->index, row, flags);
    return buffer_bytes(&w->scratch);
}

/* ---- Text ------------------------------------------------------------------------------------------------------ */

static void indent(buffer *b, unsigned depth) {
    enum { DEEPEST = 16 };
    for (unsigned i = 0; i < depth && i < DEEPEST; i++)
        buffer_string(b, "  ");
}

static void text_methods(walk *w, uint32_t row, unsigned depth) {
    buffer *b = &w->out.b;
    for (; row != 0 && text_out_flush(&w->out); row = w->next_method[row]) {
        method_facts facts = facts_of(w, row);
        indent(b, depth);
        buffer_printf(b, "0x%08x %7u  %-18s  %-23s  ", md_token_of(MD_TABLE_MethodDef, row), facts.il_size,
                      ilj_reason_text(facts.reason), facts.kind);
        text_plain(b, method_name(w, row));
        bytes decision = decision_text(w, &facts);
        if (decision.size) {
            buffer_string(b, "  <- ");
            text_plain(b, decision);
        }
        buffer_u8(b, '\n');
    }
}

static void text_summary(walk *w) {
    buffer *b = &w->out.b;
    buffer_printf(b, "%u types, %u methods: %u to instrument", w->image->index.type_count, w->image->index.method_count,
                  w->counts[ILJ_INSTRUMENT]);
    for (int reason = ILJ_INSTRUMENT + 1; reason < ILJ_REASON_COUNT; reason++)
        if (w->counts[reason])
            buffer_printf(b, ", %u %s", w->counts[reason], ilj_reason_text((ilj_reason)reason));
    buffer_u8(b, '\n');
    if (w->ahead.kept)
        buffer_printf(b, "native code: %u of %u methods keep theirs\n", w->native.kept, w->native.methods);
    else if (w->ahead.why_not)
        buffer_printf(b, "native code: dropped, as %s\n", w->ahead.why_not);
}

static void list_text(walk *w) {
    buffer *b = &w->out.b;
    unsigned depth = 0;
    for (uint32_t type = w->first_nested[0]; type != 0 && text_out_flush(&w->out);
         type = next_in_order(w, type, &depth)) {
        indent(b, depth);
        buffer_printf(b, "%s ", method_kind_of_type(w->image, type));
        text_plain(b, type_name(w, type, depth ? 0 : MD_NAME_FULL));
        buffer_printf(b, "  0x%08x\n", md_token_of(MD_TABLE_TypeDef, type));
        text_methods(w, w->first_method[type], depth + 1);
    }
    if (w->first_method[0] != 0) {
        buffer_string(b, "methods of no type\n");
        text_methods(w, w->first_method[0], 1);
    }
    text_summary(w);
}

/* ---- JSON ------------------------------------------------------------------------------------------------------ */

static void json_methods(walk *w, uint32_t row) {
    buffer *b = &w->out.b;
    buffer_string(b, "\"methods\":[");
    for (bool first = true; row != 0 && text_out_flush(&w->out); row = w->next_method[row], first = false) {
        method_facts facts = facts_of(w, row);
        buffer_string(b, first ? "\n  {\"name\":" : ",\n  {\"name\":");
        text_json(b, method_name(w, row));
        buffer_printf(b, ",\"kind\":\"%s\",\"token\":\"0x%08x\",\"il_size\":%u,\"action\":\"%s\"", facts.kind,
                      md_token_of(MD_TABLE_MethodDef, row), facts.il_size,
                      facts.reason == ILJ_INSTRUMENT ? "instrument" : "leave out");
        if (facts.reason != ILJ_INSTRUMENT)
            buffer_printf(b, ",\"reason\":\"%s\"", ilj_reason_text(facts.reason));
        bytes decision = decision_text(w, &facts);
        if (decision.size) {
            buffer_string(b, ",\"rule\":");
            text_json(b, decision);
        }
        buffer_u8(b, '}');
    }
    buffer_u8(b, ']');
}

/* A GUID in its usual form: the first three fields are numbers, little-endian in the heap. */
static void json_mvid(buffer *b, const md_view *view) {
    bytes guid;
    if (!md_try_guid(view, md_cell(view, MD_Module_Mvid, 1), &guid)) {
        buffer_string(b, "null");
        return;
    }
    const uint8_t *g = guid.data;
    buffer_printf(b, "\"%08x-%04x-%04x-%02x%02x-%02x%02x%02x%02x%02x%02x\"", load_u32(g), load_u16(g + 4),
                  load_u16(g + 6), g[8], g[9], g[10], g[11], g[12], g[13], g[14], g[15]);
}

static void list_json(walk *w) {
    const md_view *view = &w->image->metadata;
    buffer *b = &w->out.b;
    buffer_string(b, "{\"module\":");
    text_json(b, text_of(md_name(view, MD_Module_Name, 1)));
    buffer_string(b, ",\"assembly\":");
    if (md_row_exists(view, MD_TABLE_Assembly, 1))
        text_json(b, text_of(md_name(view, MD_Assembly_Name, 1)));
    else
        buffer_string(b, "null");
    buffer_string(b, ",\"mvid\":");
    json_mvid(b, view);
    buffer_string(b, ",\"types\":[");
    unsigned depth = 0;
    bool first = true;
    for (uint32_t type = w->first_nested[0]; type != 0 && text_out_flush(&w->out);
         type = next_in_order(w, type, &depth)) {
        buffer_string(b, first ? "\n{\"name\":" : ",\n{\"name\":");
        first = false;
        text_json(b, type_name(w, type, MD_NAME_FULL));
        buffer_printf(b, ",\"kind\":\"%s\",\"token\":\"0x%08x\",", method_kind_of_type(w->image, type),
                      md_token_of(MD_TABLE_TypeDef, type));
        uint32_t enclosing = md_enclosing_type(&w->image->index, type);
        if (enclosing)
            buffer_printf(b, "\"enclosing\":\"0x%08x\",", md_token_of(MD_TABLE_TypeDef, enclosing));
        json_methods(w, w->first_method[type]);
        buffer_u8(b, '}');
    }
    if (w->first_method[0] != 0) {
        buffer_string(b, first ? "\n{\"name\":null," : ",\n{\"name\":null,");
        json_methods(w, w->first_method[0]);
        buffer_u8(b, '}');
    }
    buffer_u8(b, ']');
    if (w->ahead.kept)
        buffer_printf(b, ",\"native_methods\":%u,\"native_kept\":%u", w->native.methods, w->native.kept);
    buffer_string(b, "}\n");
}

ilj_status ilj_image_list(ilj_image *image, ilj_list_format format, ilj_selection *selection, ilj_write_fn *write,
                          void *user) {
    if (image_check_assembly(image))
        return ILJ_BAD_FILE;
    walk w = {.image = image,
              .selection = selection,
              .out = TEXT_OUT_INIT(write, user, budget_shown(image->pe.file.size)),
              .price = price_begin(selection, image)};
    bool begun = walk_begin(&w);
    if (begun && format == ILJ_LIST_JSON)
        list_json(&w);
    else if (begun)
        list_text(&w);
    ilj_status status = text_out_finish(&w.out, &image->diag);
    if (w.refused)
        status = ILJ_UNSUPPORTED;
    else if (!begun || w.scratch.failed || w.price.key.failed || w.no_memory)
        status = ILJ_NO_MEMORY;
    if (status == ILJ_NO_MEMORY)
        diag_no_memory(&image->diag);
    buffer_clear(&w.scratch);
    price_end(&w.price);
    il_edit_clear(&w.edit);
    arena_clear(&w.arena);
    return status;
}
