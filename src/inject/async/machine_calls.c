#include "inject/async/machine_calls.h"

#include "il/emit.h"
#include "inject/async/machine_builder.h"

static void load_task(buffer *b, const state_machine *m, uint32_t value_task) {
    buffer_append(b, m->address.data, m->address.size);
    il_emit_call(b, m->get_task);
    if (m->as_task) {
        il_emit_stloc(b, value_task);
        il_emit_ldloca(b, value_task);
        il_emit_call(b, m->as_task);
    }
}

/* The object that is this call of the method, handed over: `this` of a class; of a struct its task or its builder, when
 * that is asked for. Nothing is added when there is no such object. Two items of stack. */
static void add_identity(buffer *b, const state_machine *m, const references *refs, uint32_t token,
                         uint32_t value_task) {
    const md_token wants = refs->method[TRACKER_WANTS_IDENTITY];
    const md_token identified = refs->method[m->by_builder ? TRACKER_BUILDER_IDENTIFIES : TRACKER_IDENTIFIED];
    size_t from = 0;
    if (!identified || (!m->is_class && (!wants || (!m->get_task && !m->by_builder))))
        return;
    if (!m->is_class) {
        il_emit_ldloc(b, token);
        il_emit_call(b, wants);
        from = il_emit_branch(b, IL_OP_brfalse_s);
    }
    if (m->is_class)
        il_emit_ldarg(b, 0);
    else if (m->by_builder)
        machine_load_builder(m, b);
    else
        load_task(b, m, value_task);
    il_emit_ldloc(b, token);
    il_emit_call(b, identified);
    if (!m->is_class)
        il_emit_land(b, from);
}

static void insert(il_edit *to, uint32_t offset, il_place place, const buffer *code) {
    if (code->size || code->failed)
        il_insert_buffer(to, offset, place, code);
}

uint32_t machine_insert_calls(il_edit *to, const state_machine *m, const references *refs, uint32_t token,
                              uint32_t value_task) {
    static const tracker_method_id method_of[] = {[MACHINE_SUSPENDS] = TRACKER_SUSPENDING,
                                                       [MACHINE_COMPLETES] = TRACKER_COMPLETING,
                                                       [MACHINE_FAILS] = TRACKER_FAILING};
    enum { IDENTITY_DEPTH = 2 };
    buffer call = BUFFER_INIT, identity = BUFFER_INIT;
    add_identity(&identity, m, refs, token, value_task);
    insert(to, 0, IL_HEAD, &identity);
    uint32_t needed = identity.size ? IDENTITY_DEPTH : 0;
    for (uint32_t i = 0; i < m->site_count; i++) {
        const machine_site *site = &m->sites[i];
        md_token callee = refs->method[method_of[site->event]];
        call.size = 0;
        uint32_t depth = site->depth;
        if (callee) {
            if (site->event == MACHINE_FAILS) {
                il_emit(&call, IL_OP_dup);
                depth++;
            }
            il_emit_ldloc(&call, token);
            il_emit_call(&call, callee);
            insert(to, site->offset, IL_BEFORE, &call);
            if (depth + 1 > needed)
                needed = depth + 1;
        }
        /* A machine that has been suspended has an identity from then on; a class has had it from the start.
         */
        if (site->event == MACHINE_SUSPENDS && site->behind && !m->is_class && identity.size) {
            insert(to, site->behind, IL_HEAD, &identity);
            if (site->depth - MACHINE_SUSPENSION_POPS + IDENTITY_DEPTH > needed)
                needed = site->depth - MACHINE_SUSPENSION_POPS + IDENTITY_DEPTH;
        }
    }
    buffer_clear(&call);
    buffer_clear(&identity);
    return needed;
}
