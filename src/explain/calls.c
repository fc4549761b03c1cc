#include "explain/calls.h"

#include "il/decode.h"
#include "inject/leaves/leaf_callee.h"
#include "metadata/names.h"
#include "metadata/types.h"

bool explain_is_added(const explained_body *e, md_token token) {
    unsigned table = md_token_table(token);
    return (table == MD_TABLE_MethodDef || table == MD_TABLE_MemberRef || table == MD_TABLE_MethodSpec) &&
           md_token_row(token) > md_row_count(&e->image->metadata, (md_table_id)table);
}

/* ---- The output's body beside the input's ------------------------------------------------------------------------ */

/* Steps over the output's instructions, from one that the input has to the next one. */
typedef struct beside {
    const explained_body *e;
    il_cursor cursor;
    bool enters_leaf; /* since the last call of the input a leaf was entered */
    uint32_t probes;  /* calls that count an object, since the last place that may allocate one */
} beside;

static beside beside_of(const explained_body *e) {
    return (beside){.e = e, .cursor = il_cursor_of(e->after.code)};
}

static bool is_call(il_opcode op) {
    return op == IL_call || op == IL_callvirt || op == IL_newobj || op == IL_calli;
}

/* The number that an instruction puts on the stack; -1: it puts none there that is an id. */
static int64_t number_of(const il_instruction *i) {
    if (i->opcode >= IL_ldc_i4_0 && i->opcode <= IL_ldc_i4_8)
        return i->opcode - IL_ldc_i4_0;
    return i->opcode == IL_ldc_i4 || i->opcode == IL_ldc_i4_s ? i->integer : -1;
}

/* True if an added method has one of these names: the tracker's, or the helper type's that calls that. */
static bool is_named(const explained_body *e, md_token token, const char *one, const char *other) {
    const md_view *v = &e->made->metadata;
    md_token member = md_member(v, token);
    const char *name = member ? md_member_name(v, member) : "";
    return strcmp(name, one) == 0 || strcmp(name, other) == 0;
}

/* Goes on after the instruction of the output that the input's is; false: there is none. */
static bool beside_find(beside *b, const il_instruction *wanted) {
    il_instruction i;
    int64_t number = -1;
    while (il_next(&b->cursor, &i)) {
        bool added = i.operand == IL_InlineMethod && explain_is_added(b->e, i.token);
        if (added && i.opcode == IL_call) {
            b->enters_leaf |=
                number >= (int64_t)b->e->first_leaf && is_named(b->e, i.token, "Enter", "WhenEnteringMethod");
            b->probes += is_named(b->e, i.token, "Allocating", "WhenBoxing");
        }
        if (!added && i.opcode == wanted->opcode && i.token == wanted->token)
            return true;
        number = number_of(&i);
    }
    return false;
}

/* ---- Leaves ------------------------------------------------------------------------------------------------------ */

/* A call of the input. */
typedef struct explained_call {
    il_instruction i;
    uint32_t start;   /* with its prefixes */
    il_opcode behind; /* the instruction before it */
    bool tail;
} explained_call;

/* Why a call that a pattern wants is no leaf all the same, as its code says; NULL: it does not. */
static const char *refusal_by_code(const explained_body *e, const explained_call *call) {
    if (call->tail)
        return "tail.: the method's frame is gone before it runs";
    if (call->behind == IL_ldftn || call->behind == IL_ldvirtftn)
        return "it takes what the instruction before it gives, a method's address";
    if (call->behind == IL_ldtoken)
        return "it takes the token that the instruction before it gives";
    if (il_body_ends_at(&e->before, call->i.offset + call->i.size))
        return "a protected region ends after it: it never returns";
    for (uint32_t i = 0; e->machine && i < e->machine->site_count; i++)
        if (e->machine->sites[i].offset == call->start)
            return "it reports the state machine";
    return NULL;
}

/* Appends the pattern that decides; LEAF_PATTERN_NONE: there is none. */
static uint32_t append_pattern(const explained_body *e, const leaf_callee *c, buffer *to, buffer *scratch) {
    buffer parameters = BUFFER_INIT;
    bool known = leaf_callee_parameters(&parameters, scratch, c, e->image);
    leaf_name name = leaf_callee_name(c, e->image, buffer_bytes(&parameters));
    uint32_t by = known ? leaf_patterns_find(&e->selection->leaves, &name, scratch) : LEAF_PATTERN_NONE;
    scratch->size = 0;
    if (by != LEAF_PATTERN_NONE) {
        leaf_patterns_describe(scratch, &e->selection->leaves, by);
        text_plain(to, buffer_bytes(scratch));
    }
    scratch->failed |= parameters.failed;
    buffer_clear(&parameters);
    return by;
}

/* For the call of a method that another assembly has, or of native code: writes which pattern makes it a leaf, or why
 * it is none. */
static void write_call(const explained_body *e, const explained_call *call, bool is_leaf, buffer *b, buffer *scratch) {
    leaf_callee c;
    const char *refusal = NULL;
    leaf_callee_kind kind = leaf_callee_find(&c, e->image, NULL, md_member(&e->image->metadata, call->i.token));
    if (is_leaf && kind == LEAF_CALLEE_OWN) {
        buffer_string(b, "recorded here, as an outermost call of a method that is left out for a price");
        return;
    }
    if (is_leaf) {
        buffer_string(b, "a leaf by ");
        if (append_pattern(e, &c, b, scratch) == LEAF_PATTERN_NONE)
            buffer_string(b, "no pattern");
        return;
    }
    buffer_string(b, "no leaf: ");
    if (kind == LEAF_CALLEE_UNKNOWN)
        refusal = "an array's method, or one that is not understood";
    else if (kind == LEAF_CALLEE_PLUMBING)
        refusal = "compilers put such calls in for themselves";
    else if (leaf_callee_is_awaiter(&c, e->image, e->machine))
        refusal = "await asks it for what is there";
    if (refusal) {
        buffer_string(b, refusal);
        return;
    }
    uint32_t by = append_pattern(e, &c, b, scratch);
    if (by == LEAF_PATTERN_NONE) {
        buffer_string(b, "no pattern names it");
    } else if (!e->selection->leaves.list[by].wanted) {
        buffer_string(b, " takes it out");
    } else {
        refusal = refusal_by_code(e, call);
        buffer_printf(b, " names it, but %s", refusal ? refusal : "nothing can stand around it");
    }
}

/* The next call; false at the end. */
static bool next_call(explained_call *call, il_cursor *cursor, il_opcode *before) {
    bool prefixed = false;
    call->tail = false;
    while (il_next(cursor, &call->i)) {
        if (!prefixed)
            call->start = call->i.offset;
        prefixed = il_is_prefix(call->i.opcode);
        call->tail |= call->i.opcode == IL_tail;
        if (prefixed)
            continue;
        call->behind = *before;
        *before = call->i.opcode;
        if (is_call(call->i.opcode))
            return true;
        call->tail = false;
    }
    return false;
}

static void write_head(buffer *b, bool *first, const char *text) {
    buffer_printf(b, "  %-14s", *first ? text : "");
    *first = false;
}

void explain_leaves(const explained_body *e, text_out *out, buffer *scratch) {
    static const char title[] = "leaves";
    const md_view *v = &e->image->metadata;
    il_cursor cursor = il_cursor_of(e->before.code);
    beside after = beside_of(e);
    explained_call call;
    il_opcode before = IL_none;
    uint32_t own = 0;
    bool first = true;
    const bool patterns = e->selection && e->selection->leaves.count;
    while (text_out_flush(out) && next_call(&call, &cursor, &before)) {
        leaf_callee c;
        after.enters_leaf = false;
        bool is_leaf = beside_find(&after, &call.i) && after.enters_leaf, pointer = call.i.opcode == IL_calli;
        md_token member = pointer ? 0 : md_member(v, call.i.token);
        if (!is_leaf && !patterns)
            continue;
        if (!is_leaf && member && leaf_callee_find(&c, e->image, NULL, member) == LEAF_CALLEE_OWN) {
            own++;
            continue;
        }
        write_head(&out->b, &first, title);
        buffer_printf(&out->b, "IL_%04x ", call.i.offset);
        scratch->size = 0;
        if (!pointer)
            md_append_member(scratch, v, &e->image->index, call.i.token, md_method_type(&e->image->index, e->row),
                             e->row);
        text_plain(&out->b, pointer ? text_of("calli") : buffer_bytes(scratch));
        buffer_string(&out->b, ": ");
        if (member)
            write_call(e, &call, is_leaf, &out->b, scratch);
        else
            buffer_string(&out->b, pointer ? "no leaf: it names no method" : "no leaf: it is not understood");
        buffer_u8(&out->b, '\n');
    }
    if (patterns && (own || first)) {
        write_head(&out->b, &first, title);
        if (own)
            buffer_printf(&out->b,
                          own == 1 ? "%u call of a method of this module: no leaf\n"
                                   : "%u calls of methods of this module: no leaves\n",
                          own);
        else
            buffer_string(&out->b, "none: it calls nothing\n");
    }
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

void explain_objects(const explained_body *e, text_out *out) {
    static const char *const kinds[] = {"newobj", "newarr", "box"};
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    uint32_t all[KINDS] = {0}, counted[KINDS] = {0};
    il_cursor cursor = il_cursor_of(e->before.code);
    beside after = beside_of(e);
    il_instruction i;
    while (il_next(&cursor, &i)) {
        unsigned kind = i.opcode == IL_newobj ? 0 : i.opcode == IL_newarr ? 1 : i.opcode == IL_box ? 2 : KINDS;
        if (kind == KINDS)
            continue;
        after.probes = 0;
        all[kind]++;
        counted[kind] += beside_find(&after, &i) && after.probes;
    }
    buffer_printf(&out->b, "  %-14scounted at", "objects");
    for (unsigned k = 0; k < KINDS; k++)
        buffer_printf(&out->b, "%s %u of %u %s", k ? "," : "", counted[k], all[k], kinds[k]);
    buffer_u8(&out->b, '\n');
}
