#include "machine_calls.h"

enum {
    DUP = 0x25,
    CALL = 0x28,
    LDARG_0 = 0x02,
    BRFALSE_S = 0x2C,
    WIDE = 0xFE,
};

static void add_token(buffer *b, uint8_t opcode, uint32_t token) {
    buffer_u8(b, opcode);
    buffer_u32(b, token);
}

/* ldloc, ldloca and stloc with the index in one byte or two (III.3.43, III.3.44, III.3.63). */
static void add_local(buffer *b, uint8_t with_byte, uint8_t wide, uint32_t local) {
    if (local < 256) {
        buffer_append(b, (uint8_t[]){with_byte, (uint8_t)local}, 2);
    } else {
        buffer_append(b, (uint8_t[]){WIDE, wide}, 2);
        buffer_u16(b, (uint16_t)local);
    }
}

static void add_load(buffer *b, uint32_t local) {
    enum { LDLOC_0 = 0x06, LDLOC_S = 0x11, LDLOC = 0x0C };
    if (local < 4)
        buffer_u8(b, (uint8_t)(LDLOC_0 + local));
    else
        add_local(b, LDLOC_S, LDLOC, local);
}

static void add_load_address(buffer *b, uint32_t local) {
    enum { LDLOCA_S = 0x12, LDLOCA = 0x0D };
    add_local(b, LDLOCA_S, LDLOCA, local);
}

static void add_store(buffer *b, uint32_t local) {
    enum { STLOC_0 = 0x0A, STLOC_S = 0x13, STLOC = 0x0E };
    if (local < 4)
        buffer_u8(b, (uint8_t)(STLOC_0 + local));
    else
        add_local(b, STLOC_S, STLOC, local);
}

/* The object that is this call of the method, handed over: `this` of a class, the task of a struct when it is asked
 * for. Nothing is added when there is no such object. Two items of stack. */
static void add_identity(buffer *b, const machine *m, const references *refs, uint32_t token, uint32_t value_task) {
    md_token wants = refs->machine[TRACKER_WANTS_IDENTITY], identified = refs->machine[TRACKER_IDENTIFIED];
    if (!identified)
        return;
    if (m->is_class) {
        buffer_u8(b, LDARG_0);
    } else {
        if (!wants || !m->get_task)
            return;
        add_load(b, token);
        add_token(b, CALL, wants);
        buffer_append(b, (uint8_t[]){BRFALSE_S, 0}, 2);
        size_t from = b->size;
        buffer_append(b, m->address.data, m->address.size);
        add_token(b, CALL, m->get_task);
        if (m->as_task) {
            add_store(b, value_task);
            add_load_address(b, value_task);
            add_token(b, CALL, m->as_task);
        }
        add_load(b, token);
        add_token(b, CALL, identified);
        if (!b->failed)
            b->data[from - 1] = (uint8_t)(b->size - from);
        return;
    }
    add_load(b, token);
    add_token(b, CALL, identified);
}

static void insert(insertions *to, uint32_t offset, il_place place, const buffer *code) {
    to->code.failed |= code->failed;
    if (code->size && !code->failed)
        insertions_add(to, offset, place, buffer_bytes(code));
}

uint32_t machine_insert_calls(insertions *to, const machine *m, const references *refs, uint32_t token,
                              uint32_t value_task) {
    static const tracker_machine_method method_of[] = {[MACHINE_SUSPENDS] = TRACKER_SUSPENDING,
                                                       [MACHINE_COMPLETES] = TRACKER_COMPLETING,
                                                       [MACHINE_FAILS] = TRACKER_FAILING};
    enum { IDENTITY_DEPTH = 2, SUSPENSION_POPS = 3 };
    buffer call = BUFFER_INIT, identity = BUFFER_INIT;
    add_identity(&identity, m, refs, token, value_task);
    insert(to, 0, IL_HEAD, &identity);
    uint32_t needed = identity.size ? IDENTITY_DEPTH : 0;
    for (uint32_t i = 0; i < m->site_count; i++) {
        const machine_site *site = &m->sites[i];
        md_token callee = refs->machine[method_of[site->event]];
        call.size = 0;
        uint32_t depth = site->depth;
        if (callee) {
            if (site->event == MACHINE_FAILS) {
                buffer_u8(&call, DUP);
                depth++;
            }
            add_load(&call, token);
            add_token(&call, CALL, callee);
            insert(to, site->offset, IL_BEFORE, &call);
            if (depth + 1 > needed)
                needed = depth + 1;
        }
        /* What has been suspended for the first time has an identity from then on; a class has had it from the start.
         */
        if (site->event == MACHINE_SUSPENDS && site->behind && !m->is_class && identity.size) {
            insert(to, site->behind, IL_HEAD, &identity);
            if (site->depth - SUSPENSION_POPS + IDENTITY_DEPTH > needed)
                needed = site->depth - SUSPENSION_POPS + IDENTITY_DEPTH;
        }
    }
    buffer_clear(&call);
    buffer_clear(&identity);
    return needed;
}
