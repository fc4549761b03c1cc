#include "async/machine_sites.h"

#include "il/decode.h"
#include "input/call_effects.h"
#include "metadata/signature.h"

/* ---- A body, instruction by instruction ---------------------------------------------------------------------------
 */

/* An item on the stack: where in the code it was pushed, when that was by ldarg.0 and any ldflda and ldfld; else end
 * is 0. */
typedef struct item {
    uint32_t start, end;
    bool by_value; /* the last one was ldfld */
} item;

enum { MAX_ITEMS = 64 };

typedef struct walk {
    state_machine *m;
    const ilj_image *image;
    bytes code;
    md_token started_on;
    machine_scratch *scratch;
    effects *effects;
    item items[MAX_ITEMS];
    uint32_t depth;
    bool tail; /* the instruction has the prefix tail. */
} walk;

/* A call's part in the machine, if it has one: the item that `this` is, and the type of the member. */
typedef struct candidate {
    machine_site site;
    item this;
    md_token type;
} candidate;

static bool event_of(const char *name, machine_event *event) {
    if (strcmp(name, "AwaitUnsafeOnCompleted") == 0 || strcmp(name, "AwaitOnCompleted") == 0)
        *event = MACHINE_SUSPENDS;
    else if (strcmp(name, "SetResult") == 0)
        *event = MACHINE_COMPLETES;
    else if (strcmp(name, "SetException") == 0)
        *event = MACHINE_FAILS;
    else
        return false;
    return true;
}

static bool same_item(const walk *w, item a, item b) {
    return a.end - a.start == b.end - b.start &&
           memcmp(w->code.data + a.start, w->code.data + b.start, a.end - a.start) == 0;
}

static void look_at_call(walk *w, const il_instruction *call, uint32_t unit, uint32_t pops) {
    const md_view *v = &w->image->metadata;
    md_token member = md_member(v, call->token);
    candidate found = {.site = {.offset = unit, .behind = call->offset + call->size, .member = member}};
    /* Nothing may stand between a tail call and its ret. */
    if (w->tail || found.site.behind >= w->code.size)
        found.site.behind = 0;
    if (!member || !event_of(md_member_name(v, member), &found.site.event))
        return;
    if (pops > w->depth || pops < 1 || pops != (found.site.event == MACHINE_SUSPENDS ? 3u : pops) || pops > 3)
        return;
    found.this = w->items[w->depth - pops];
    found.type = md_member_type(&w->image->metadata, &w->image->index, member);
    if (found.this.end <= found.this.start + 1) /* `this` itself, or something else */
        return;
    buffer_append(&w->scratch->sites, &found, sizeof found);
}

static void push(walk *w, item pushed) {
    if (w->depth == MAX_ITEMS) { /* deeper than any compiler's */
        memmove(w->items, w->items + 1, (MAX_ITEMS - 1) * sizeof *w->items);
        w->depth--;
    }
    w->items[w->depth++] = pushed;
}

static void take_and_give(walk *w, uint32_t pops, uint32_t pushes, item pushed) {
    w->depth -= pops < w->depth ? pops : w->depth;
    for (; pushes > 0; pushes--)
        push(w, pushed);
}

/* Follows an instruction; its prefixes start at `unit`. */
static void step(walk *w, const il_instruction *i, uint32_t unit) {
    const il_opcode_facts *facts = &il_opcodes[i->opcode];
    uint32_t pops = facts->pops, pushes = facts->pushes;
    const uint32_t end = i->offset + i->size;
    item pushed = {0};
    if ((i->opcode == IL_ldarg_s || i->opcode == IL_ldarg) && i->integer == 0)
        pushed = (item){i->offset, end, false};
    if (facts->flow == IL_FLOW_call && i->opcode != IL_jmp) {
        if (!effects_of_call(w->effects, i, &pops, &pushes)) {
            w->depth = 0;
            return;
        }
        if (i->opcode == IL_calli)
            pops++;
        else if (i->opcode == IL_newobj)
            pushes = 1;
        else
            look_at_call(w, i, unit, pops);
    }
    if (facts->flow == IL_FLOW_branch || facts->flow == IL_FLOW_return || facts->flow == IL_FLOW_throw ||
        pops == IL_VARIABLE) {
        w->depth = 0; /* what comes next is not reached from here */
        return;
    }
    take_and_give(w, pops, pushes, pushed);
}

/* How step_quickly treats an instruction. */
typedef enum quick_kind {
    QUICK_NOT, /* it has to be decoded */
    QUICK_PLAIN,
    QUICK_THIS,  /* ldarg.0 */
    QUICK_FIELD, /* ldfld, ldflda */
} quick_kind;

enum {
#define X(kind, size) operand_size_##kind = size,
    IL_OPERANDS(X)
#undef X
#define X(behaviour, items) items_##behaviour = items,
        IL_POPS(X) IL_PUSHES(X)
#undef X
};

#define QUICK_KIND(identifier, encoding, flow)                                                                         \
    ((encoding) > 0xFF || (int)IL_FLOW_##flow != (int)IL_FLOW_next || (int)IL_##identifier == (int)IL_ldarg_s          \
         ? QUICK_NOT                                                                                                   \
     : (int)IL_##identifier == (int)IL_ldarg_0                                         ? QUICK_THIS                    \
     : (int)IL_##identifier == (int)IL_ldfld || (int)IL_##identifier == (int)IL_ldflda ? QUICK_FIELD                   \
                                                                                       : QUICK_PLAIN)

/* By the index of il_opcode_of_encoding. */
static const struct quick {
    uint8_t kind, size, pops, pushes;
} quick[512] = {
#define OPCODE(identifier, name, encoding, pop, push, operand, flow, long_form)                                        \
    [IL_INDEX_OF(encoding)] = {QUICK_KIND(identifier, encoding, flow), 1 + operand_size_##operand, items_##pop,        \
                               items_##push},
#include "il/opcodes.def"
#undef OPCODE
};

/* Follows the instruction at *at, which is moved after it, without decoding it. false: it has to be decoded. */
static inline bool step_quickly(walk *w, uint32_t *at) {
    const uint32_t start = *at;
    const struct quick q = quick[w->code.data[start]];
    if (q.kind == QUICK_NOT || q.size > w->code.size - start)
        return false;
    item pushed = {0};
    if (q.kind == QUICK_THIS) {
        pushed = (item){start, start + q.size, false};
    } else if (q.kind == QUICK_FIELD && w->depth > 0) {
        const item *from = &w->items[w->depth - 1];
        if (from->end == start && start != 0)
            pushed = (item){from->start, start + q.size, il_opcode_of_encoding[w->code.data[start]] == IL_ldfld};
    }
    w->depth -= q.pops < w->depth ? q.pops : w->depth;
    for (uint32_t n = 0; n < q.pushes; n++)
        push(w, pushed);
    *at = start + q.size;
    return true;
}

static bool is_promise(const md_view *v, md_token type) {
    return md_type_is(v, type, "System.Threading.Tasks.Sources", "ManualResetValueTaskSourceCore`1");
}

/* True if the call is one of the machine's own: on the address that suspensions use, or on the type that it was
 * started with; an async iterator gives its results through a source of its own. */
static bool belongs(const walk *w, const candidate *c, const candidate *first_suspension) {
    const md_view *v = &w->image->metadata;
    md_token type = md_type_definition(v, c->type);
    if (c->site.event == MACHINE_SUSPENDS)
        return same_item(w, c->this, first_suspension->this);
    if (md_type_is(v, w->started_on, "System.Runtime.CompilerServices", "AsyncIteratorMethodBuilder"))
        return is_promise(v, type);
    return first_suspension ? same_item(w, c->this, first_suspension->this) : type != 0 && type == w->started_on;
}

static machine_builder builder_of(const md_view *v, md_token type) {
    static const char namespace[] = "System.Runtime.CompilerServices";
    if (md_type_is(v, type, namespace, "AsyncTaskMethodBuilder") ||
        md_type_is(v, type, namespace, "AsyncTaskMethodBuilder`1"))
        return MACHINE_BUILDER_TASK;
    if (md_type_is(v, type, namespace, "AsyncValueTaskMethodBuilder") ||
        md_type_is(v, type, namespace, "AsyncValueTaskMethodBuilder`1"))
        return MACHINE_BUILDER_VALUE_TASK;
    return MACHINE_BUILDER_OTHER;
}

static ecma_status keep_sites(walk *w, const il_body *body) {
    state_machine *m = w->m;
    const md_view *v = &w->image->metadata;
    size_t count = w->scratch->sites.size / sizeof(candidate);
    const candidate *all = (const candidate *)(const void *)w->scratch->sites.data, *suspension = NULL;
    for (size_t i = 0; i < count && !suspension; i++)
        if (all[i].site.event == MACHINE_SUSPENDS)
            suspension = &all[i];
    if (suspension) {
        item this = suspension->this;
        m->address = bytes_of(w->code.data + this.start, this.end - this.start);
        m->by_value = this.by_value;
        m->builder_type = suspension->type;
        m->builder = this.by_value || m->address.size > MOST_ADDRESS
                         ? MACHINE_BUILDER_OTHER
                         : builder_of(v, md_type_definition(v, suspension->type));
    }
    machine_site *sites = arena_alloc_array((arena *)&w->image->arena, count + 1, sizeof *sites);
    if (!sites)
        return ECMA_NO_MEMORY;
    ecma_status followed = il_stack_analyse(&w->scratch->stack, body, false, effects_of_call, w->effects);
    if (followed == ECMA_NO_MEMORY)
        return followed;
    for (size_t i = 0; i < count; i++) {
        if (!belongs(w, &all[i], suspension))
            continue;
        machine_site *site = &sites[m->site_count++];
        *site = all[i].site;
        uint32_t depth = followed ? IL_UNREACHED : il_stack_depth_at(&w->scratch->stack, site->offset);
        site->depth = depth == IL_UNREACHED ? body->max_stack : depth;
    }
    m->sites = sites;
    return ECMA_OK;
}

ecma_status machine_find_sites(state_machine *m, ilj_image *image, const il_body *body, md_token started_on,
                               machine_scratch *scratch) {
    walk w;
    w.m = m;
    w.image = image;
    w.code = body->code;
    w.started_on = started_on;
    w.scratch = scratch;
    w.effects = effects_of_image(image);
    w.depth = 0;
    w.tail = false;
    if (!w.effects)
        return ECMA_NO_MEMORY;
    il_cursor cursor = il_cursor_of(body->code);
    il_instruction instruction;
    uint32_t unit = 0;
    scratch->sites.size = 0;
    while (cursor.at < w.code.size) {
        if (step_quickly(&w, &cursor.at)) {
            unit = cursor.at;
            w.tail = false;
            continue;
        }
        if (!il_next(&cursor, &instruction))
            break;
        w.tail |= instruction.opcode == IL_tail;
        if (il_is_prefix(instruction.opcode))
            continue;
        step(&w, &instruction, unit);
        unit = cursor.at;
        w.tail = false;
    }
    if (scratch->sites.failed)
        return ECMA_NO_MEMORY;
    return cursor.fault.what || scratch->sites.size == 0 ? ECMA_OK : keep_sites(&w, body);
}

void machine_scratch_clear(machine_scratch *scratch) {
    il_stack_clear(&scratch->stack);
    buffer_clear(&scratch->sites);
}
