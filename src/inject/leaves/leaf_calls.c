#include "inject/leaves/leaf_calls.h"

#include "il/decode.h"
#include "il/emit.h"
#include "inject/leaves/leaf_callee.h"
#include "inject/module/ids.h"
#include "metadata/flags.h"
#include "metadata/names.h"
#include "metadata/types.h"

#include <stdlib.h>

enum { LEAF_NONE = UINT32_MAX, NO_TYPE = UINT32_MAX };

static bool has_patterns(const leaves *l) {
    return l->patterns && l->patterns->count && !l->tracker->only_counts;
}

/* Are outermost calls of any method leaves? */
static bool has_outermost(const leaves *l) {
    for (uint32_t i = 0; i < l->bodies->count; i++)
        if (l->bodies->list[i].outermost)
            return true;
    return false;
}

bool leaves_are_asked(const leaves *l) {
    return l->tracker->only_counts ? l->tracker->registers : has_patterns(l) || has_outermost(l);
}

ecma_status leaves_begin(leaves *l) {
    const md_view *v = &l->image->metadata;
    arena *a = &l->image->arena;
    if (!leaves_are_asked(l))
        return ECMA_OK;
    if ((l->tracker->only_counts || has_outermost(l)) && circles_find(&l->circles, l->image, l->bodies))
        return ECMA_NO_MEMORY;
    l->of_method = arena_alloc_array(a, md_row_count(v, MD_TABLE_MethodDef) + 1u, sizeof *l->of_method);
    l->of_member = arena_alloc_array(a, md_row_count(v, MD_TABLE_MemberRef) + 1u, sizeof *l->of_member);
    return l->of_method && l->of_member ? ECMA_OK : diag_no_memory(&l->image->diag);
}

void leaves_clear(leaves *l) {
    free(l->list);
    free(l->types);
    type_table_clear(&l->known);
    type_table_clear(&l->known_types);
    buffer_clear(&l->texts);
    buffer_clear(&l->calls);
    buffer_clear(&l->key);
    buffer_clear(&l->scratch);
    *l = (leaves){0};
}

/* ---- Names ------------------------------------------------------------------------------------------------------- */

static void *grow(void *list, uint32_t count, uint32_t *capacity, size_t size) {
    if (count < *capacity)
        return list;
    uint32_t more = *capacity ? *capacity * 2 : 64;
    void *grown = realloc(list, more * size);
    if (grown)
        *capacity = more;
    return grown;
}

/* The place of a name in a table, which tokens[0] keeps with 1 added; 0: it is new. NULL: memory ran out. */
static type_entry *entry_of(leaves *l, type_table *table) {
    type_entry *e = l->key.failed ? NULL : type_table_find(table, buffer_bytes(&l->key));
    l->failed |= !e;
    return e;
}

static bool starts_with(const char *text, const char *head) {
    return strncmp(text, head, strlen(head)) == 0;
}

/* The position of the type, which is made with those around it; NO_TYPE: memory ran out. */
static uint32_t place_type(leaves *l, const leaf_callee *c) {
    const md_view *v = &l->image->metadata;
    uint32_t enclosing = 0;
    for (unsigned i = c->depth; i-- > 0;) {
        const char *name = leaf_type_name(v, c->types[i]);
        const char *space = i + 1 == c->depth ? leaf_type_space(v, c->types[i]) : "";
        l->key.size = 0;
        buffer_varuint(&l->key, enclosing);
        buffer_append(&l->key, space, strlen(space) + 1);
        buffer_append(&l->key, name, strlen(name));
        type_entry *e = entry_of(l, &l->known_types);
        if (e && !e->tokens[0]) {
            leaf_type *grown = grow(l->types, l->type_count, &l->type_capacity, sizeof *grown);
            if (!grown) {
                l->failed = true;
                return NO_TYPE;
            }
            l->types = grown;
            size_t length;
            l->types[l->type_count++] =
                (leaf_type){enclosing, space, name, md_name_arity(bytes_of(name, strlen(name)), &length)};
            e->tokens[0] = l->type_count;
        }
        if (!e)
            return NO_TYPE;
        enclosing = e->tokens[0];
    }
    return enclosing - 1;
}

/* Appends what a conversion gives, by which it differs from others of its type; of other methods nothing. */
static void append_result(leaves *l, buffer *to, const leaf_callee *c) {
    const md_view *v = &l->image->metadata;
    reader r = reader_of(leaf_signature_of(v, c->member));
    md_method_sig head;
    buffer raw = BUFFER_INIT;
    if (!starts_with(md_member_name(v, c->member), "op_") || !md_try_method_sig(&r, &head))
        return;
    md_append_type(&raw, v, &l->image->index, &r, 0, 0, MD_NAME_ENCLOSING);
    leaf_append_with_names(to, buffer_bytes(&raw), c, l->image, head.generic_count);
    l->failed |= raw.failed;
    buffer_clear(&raw);
}

/* The leaf that a member is, which is made when there is none of its name yet: 1 + its position. `caller`: of
 * leaf.caller. `more`: further flags. */
static uint32_t place_leaf(leaves *l, const leaf_callee *c, bytes parameters, uint32_t caller, unsigned more) {
    const md_view *v = &l->image->metadata;
    const char *name = md_member_name(v, c->member);
    uint32_t type = place_type(l, c);
    if (type == NO_TYPE)
        return LEAF_NONE;
    l->key.size = 0;
    buffer_varuint(&l->key, type);
    buffer_varuint(&l->key, caller);
    buffer_append(&l->key, name, strlen(name) + 1);
    buffer_append(&l->key, parameters.data, parameters.size);
    buffer_u8(&l->key, 0);
    append_result(l, &l->key, c);
    type_entry *e = entry_of(l, &l->known);
    if (!e)
        return LEAF_NONE;
    if (e->tokens[0])
        return e->tokens[0];
    leaf *grown = grow(l->list, l->count, &l->capacity, sizeof *grown);
    if (!grown) {
        l->failed = true;
        return LEAF_NONE;
    }
    l->list = grown;
    reader r = reader_of(leaf_signature_of(v, c->member));
    md_method_sig head = {0};
    bool known = md_try_method_sig(&r, &head);
    unsigned flags = known && !(head.convention & MD_SIG_HASTHIS) ? NAME_STATIC : 0;
    if (strcmp(name, ".ctor") == 0)
        flags |= NAME_CONSTRUCTOR;
    if (starts_with(name, "get_") || starts_with(name, "set_"))
        flags |= NAME_ACCESSOR;
    leaf made = {type, name, known ? head.generic_count : 0, l->texts.size, 0, flags | more, 0, caller};
    if (more & NAME_OUTERMOST)
        made.callee = md_token_row(c->member);
    buffer_append(&l->texts, parameters.data, parameters.size);
    buffer_u8(&l->texts, 0);
    made.result = l->texts.size;
    append_result(l, &l->texts, c);
    buffer_u8(&l->texts, 0);
    l->list[l->count++] = made;
    return e->tokens[0] = l->count;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------ */

/* 1 + the leaf's position, or LEAF_NONE. */
static uint32_t ask(leaves *l, md_token member) {
    leaf_callee c;
    if (leaf_callee_find(&c, l->image, l->tracker->assembly_name, member) != LEAF_CALLEE_OUTSIDE)
        return LEAF_NONE;
    l->failed |= !leaf_callee_parameters(&l->scratch, &l->key, &c, l->image);
    leaf_name name = leaf_callee_name(&c, l->image, buffer_bytes(&l->scratch));
    if (l->failed || !leaf_patterns_match(l->patterns, &name, &l->key))
        return LEAF_NONE;
    return place_leaf(l, &c, buffer_bytes(&l->scratch), 0, NAME_LEAF);
}

/* Is it sure that the call runs the method that it names? */
static bool names_callee(const md_view *v, const il_instruction *call, uint32_t row) {
    return call->opcode == IL_call ||
           (call->opcode == IL_callvirt && !(md_cell(v, MD_MethodDef_Flags, row) & MD_METHOD_VIRTUAL));
}

/* The leaf of an outermost call, 1 + its position, or LEAF_NONE. */
static uint32_t outermost_of(leaves *l, const il_instruction *call, uint32_t row, uint32_t caller) {
    leaf_callee c;
    const method_body *callee = circles_enters(&l->circles, caller, row) ? bodies_of(l->bodies, row) : NULL;
    const bool counts = l->tracker->only_counts;
    if (!callee || !(counts ? callee->reason == ILJ_INSTRUMENT : callee->outermost) ||
        !names_callee(&l->image->metadata, call, row) ||
        leaf_callee_find(&c, l->image, l->tracker->assembly_name, md_token_of(MD_TABLE_MethodDef, row)) !=
            LEAF_CALLEE_OWN)
        return LEAF_NONE;
    l->failed |= !leaf_callee_parameters(&l->scratch, &l->key, &c, l->image);
    return l->failed ? LEAF_NONE
                     : place_leaf(l, &c, buffer_bytes(&l->scratch), counts ? caller : 0,
                                  counts ? NAME_OUTERMOST : NAME_LEAF | NAME_OUTERMOST);
}

static uint32_t leaf_of(leaves *l, const il_instruction *call, const leaf_caller *caller) {
    const md_view *v = &l->image->metadata;
    const state_machine *machine = caller->machine;
    md_token member = md_member(v, call->token);
    uint32_t row = md_token_row(member);
    if (!member)
        return LEAF_NONE;
    if (md_token_table(member) == MD_TABLE_MethodDef) {
        uint32_t outermost = outermost_of(l, call, row, caller->row);
        if (outermost != LEAF_NONE)
            return outermost;
    }
    if (!has_patterns(l))
        return LEAF_NONE;
    uint32_t *known = md_token_table(member) == MD_TABLE_MethodDef ? &l->of_method[row] : &l->of_member[row];
    if (!*known)
        *known = ask(l, member);
    leaf_callee c;
    if (*known == LEAF_NONE || !machine)
        return *known;
    return leaf_callee_find(&c, l->image, l->tracker->assembly_name, member) == LEAF_CALLEE_OUTSIDE &&
                   !leaf_callee_is_awaiter(&c, l->image, machine)
               ? *known
               : LEAF_NONE;
}

/* ---- Call sites -------------------------------------------------------------------------------------------------- */

/* Steps from one call of a leaf to the next one. */
typedef struct leaf_walk {
    leaves *leaves;
    const leaf_caller *caller;
    il_cursor cursor;
    il_opcode before; /* the instruction before this one */
    uint32_t site;    /* of the machine's */
    /* The call: with its prefixes, the leaf, and the member; 0 when that is not called on an object. */
    uint32_t offset, behind, leaf;
    md_token member;
} leaf_walk;

static leaf_walk walk_of(leaves *l, const leaf_caller *caller) {
    return (leaf_walk){.leaves = l, .caller = caller, .cursor = il_cursor_of(caller->body->code)};
}

/* One of the calls that tell of the machine. */
static bool tells_of_machine(leaf_walk *w, uint32_t offset) {
    const state_machine *m = w->caller->machine;
    while (m && w->site < m->site_count && m->sites[w->site].offset < offset)
        w->site++;
    return m && w->site < m->site_count && m->sites[w->site].offset == offset;
}

/* A delegate is made from what ldftn gives (III.4.21), and a runtime that replaces a call which takes a token wants the
 * token right before it: nothing may part the two. */
static bool belongs_to(il_opcode before) {
    return before == IL_ldftn || before == IL_ldvirtftn || before == IL_ldtoken;
}

static bool next_call(leaf_walk *w) {
    il_instruction i;
    bool prefixed = false, tail = false, constrained = false;
    uint32_t start = 0;
    while (il_next(&w->cursor, &i)) {
        if (!prefixed)
            start = i.offset;
        prefixed = il_is_prefix(i.opcode);
        tail |= i.opcode == IL_tail;
        constrained |= i.opcode == IL_constrained;
        if (prefixed)
            continue;
        il_opcode before = w->before;
        bool call = i.opcode == IL_call || i.opcode == IL_callvirt || i.opcode == IL_newobj, leaves_frame = tail,
             by_address = constrained;
        w->before = i.opcode;
        tail = constrained = false;
        /* The frame of a method that ends in a tail call is gone before the callee runs. */
        if (!call || leaves_frame || belongs_to(before))
            continue;
        w->leaf = leaf_of(w->leaves, &i, w->caller);
        w->offset = start;
        w->behind = i.offset + i.size;
        w->member = by_address ? 0 : md_member(&w->leaves->image->metadata, i.token);
        /* A callee after which code ends never returns. */
        if (w->leaf != LEAF_NONE && !tells_of_machine(w, start) && !il_body_ends_at(w->caller->body, w->behind)) {
            w->leaf--;
            return true;
        }
    }
    return false;
}

/* ---- Awaits ------------------------------------------------------------------------------------------------------ */

/* A walk over the code of an async method, from one suspension that awaits a leaf to the next one. */
typedef struct await_walk {
    leaf_walk calls;
    il_cursor cursor;
    bool has_call; /* calls.offset is of one that is ahead */
    enum { NO_TASK, TASK, AWAITER } state;
    uint32_t leaf, site; /* of the task; of the machine's */
} await_walk;

static await_walk awaits_of(leaves *l, const leaf_caller *caller) {
    await_walk w = {.calls = walk_of(l, caller), .cursor = il_cursor_of(caller->body->code)};
    w.has_call = next_call(&w.calls);
    return w;
}

/* A call on the way from a task to its awaiter. */
static void follow_call(await_walk *w, const il_instruction *i) {
    const md_view *v = &w->calls.leaves->image->metadata;
    md_token member = md_member(v, i->token);
    const char *name = member ? md_member_name(v, member) : "";
    bool leads_on = strcmp(name, "ConfigureAwait") == 0;
    if (strcmp(name, "GetAwaiter") == 0) {
        w->state = w->state == TASK ? AWAITER : NO_TASK;
    } else if (w->has_call && i->offset + i->size == w->calls.behind && !(leads_on && w->state == TASK)) {
        w->state = TASK;
        w->leaf = w->calls.leaf;
    } else if (w->state == TASK && !leads_on) {
        w->state = NO_TASK;
    }
}

/* Instructions may stand between the call that gives a task and the one that asks it for its awaiter: a value task goes
 * through a local, ConfigureAwait has an argument. */
static bool passes_on(il_opcode op) {
    switch (op) {
    case IL_nop:
    case IL_ldc_i4_0:
    case IL_ldc_i4_1:
    case IL_stloc_0:
    case IL_stloc_1:
    case IL_stloc_2:
    case IL_stloc_3:
    case IL_stloc_s:
    case IL_stloc:
    case IL_ldloca_s:
    case IL_ldloca:
        return true;
    default:
        return false;
    }
}

/* The next suspension that awaits a leaf: w->site is its position, w->leaf the leaf. */
static bool next_await(await_walk *w) {
    const state_machine *m = w->calls.caller->machine;
    il_instruction i;
    uint32_t site = w->state == AWAITER ? w->site + 1 : w->site;
    if (w->state == AWAITER)
        w->state = NO_TASK;
    while (m && il_next(&w->cursor, &i)) {
        while (site < m->site_count && (m->sites[site].event != MACHINE_SUSPENDS || m->sites[site].offset < i.offset))
            site++;
        if (w->state == AWAITER && site < m->site_count && m->sites[site].offset == i.offset) {
            w->site = site;
            return true;
        }
        if (i.operand == IL_InlineMethod && (i.opcode == IL_call || i.opcode == IL_callvirt || i.opcode == IL_newobj))
            follow_call(w, &i);
        else if (w->state == TASK && !passes_on(i.opcode))
            w->state = NO_TASK;
        while (w->has_call && w->calls.behind <= i.offset + i.size)
            w->has_call = next_call(&w->calls);
    }
    return false;
}

uint32_t leaves_insert_awaits(leaves *l, il_edit *to, const leaf_caller *caller, const references *refs,
                              uint32_t token) {
    enum { ARGUMENTS = 2 };
    await_walk w = awaits_of(l, caller);
    buffer code = BUFFER_INIT;
    uint32_t needed = 0;
    while (refs->method[TRACKER_AWAITING_LEAF] && next_await(&w)) {
        const machine_site *site = &caller->machine->sites[w.site];
        code.size = 0;
        il_emit_token(&code, IL_OP_ldsfld, refs->helper.base);
        il_emit_ldc_i4(&code, (int32_t)(l->first_id + w.leaf));
        il_emit(&code, IL_OP_add);
        il_emit_ldloc(&code, token);
        il_emit_call(&code, refs->method[TRACKER_AWAITING_LEAF]);
        il_insert_buffer(to, site->offset, IL_BEFORE, &code);
        if (site->depth + ARGUMENTS > needed)
            needed = site->depth + ARGUMENTS;
    }
    buffer_clear(&code);
    return needed;
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------ */

void leaves_look(leaves *l, const leaf_caller *caller) {
    leaf_walk w = walk_of(l, caller);
    while (l->of_member && !l->failed && next_call(&w))
        command_types_note(l->commands, w.member);
    l->failed |= l->commands->failed;
    if (!l->awaited && caller->machine && l->count && !l->failed) {
        await_walk awaits = awaits_of(l, caller);
        l->awaited = next_await(&awaits);
    }
}

ecma_status leaves_number(leaves *l, uint32_t first_id) {
    l->first_id = first_id;
    return l->failed || l->texts.failed ? diag_no_memory(&l->image->diag) : ECMA_OK;
}

bool leaves_in(leaves *l, const leaf_caller *caller, command_spills *spills) {
    leaf_walk w = walk_of(l, caller);
    spills->count = 0;
    if (!l->count || !next_call(&w))
        return false;
    if (l->commands->count)
        do
            command_spills_take(spills, l->commands, w.member);
        while (next_call(&w));
    return true;
}

uint32_t leaves_insert(leaves *l, il_edit *to, const leaf_caller *caller, const references *refs,
                       const leaf_locals *locals) {
    const il_body *body = &to->body;
    const bool counts = l->tracker->only_counts;
    leaf_walk w = walk_of(l, caller);
    buffer enter = BUFFER_INIT, leave = BUFFER_INIT, leave_command = BUFFER_INIT;
    il_emit_ldloc(&leave, locals->token);
    il_emit_call(&leave, refs->leave);
    il_emit_ldloc(&leave_command, locals->token);
    il_emit_call(&leave_command, refs->method[TRACKER_LEAVES_COMMAND]);
    bool any = false, any_command = false;
    while (next_call(&w)) {
        any = true;
        enter.size = 0;
        il_emit_ldc_i4(&enter, (int32_t)(l->first_id + w.leaf));
        il_emit_call(&enter, refs->enter);
        if (counts) {
            il_insert_buffer(to, w.offset, IL_BEFORE, &enter);
            continue;
        }
        const leaf_call call = {caller->row, w.offset, w.leaf};
        if (has_patterns(l))
            buffer_append(&l->calls, &call, sizeof call);
        il_emit_stloc(&enter, locals->token);
        bool command = command_emit_name(l->commands, &enter, w.member, locals->spills, locals->token, locals->spilled);
        any_command |= command;
        il_insert_buffer(to, w.offset, IL_BEFORE, &enter);
        il_insert_buffer(to, w.behind, IL_HEAD, command ? &leave_command : &leave);
    }
    buffer_clear(&enter);
    buffer_clear(&leave);
    buffer_clear(&leave_command);
    /* One more than ever stands there by the method's own code, or two: the command and the token. */
    uint32_t most = body->max_stack;
    if (body->clause_count == 0 && to->flow.pushed < most)
        most = to->flow.pushed;
    return any_command ? most + 2 : any ? most + 1 : 0;
}
