#include "inject/loops/float_parameters.h"

#include "il/arguments.h"
#include "il/emit.h"
#include "inject/loops/float_registers.h"
#include "metadata/signature.h"

static void find_by_type(float_parameters *p, float_types *types, const md_view *view, bytes signature) {
    reader r = reader_of(signature);
    md_method_sig head;
    if (!md_try_method_sig(&r, &head) || (head.convention & MD_SIG_KIND) != MD_SIG_DEFAULT || !md_skip_type(&r))
        return;
    uint32_t argument = head.convention & MD_SIG_HASTHIS && !(head.convention & MD_SIG_EXPLICITTHIS) ? 1 : 0;
    for (uint32_t i = 0; i < head.parameter_count && p->count < FLOAT_PARAMETERS; i++, argument++) {
        if (reader_left(&r) && *r.at <= MD_ELEMENT_STRING && *r.at != MD_ELEMENT_R4 && *r.at != MD_ELEMENT_R8) {
            reader_skip(&r, 1); /* most are no such */
            continue;
        }
        md_skip_modifiers(&r);
        const uint8_t *type = r.at;
        if (!md_skip_type(&r) || argument > 0xFFFF)
            return;
        float_parameter found = {argument, bytes_of(type, (size_t)(r.at - type))};
        if (float_types_may_hold(types, view, found.type))
            p->found[p->count++] = found;
    }
}

/* The index of the parameter among those found; their count when it is none of them. */
static uint32_t index_of(const float_parameters *p, uint32_t argument) {
    uint32_t i = 0;
    while (i < p->count && p->found[i].argument != argument)
        i++;
    return i;
}

/* Keeps those that an instruction from `start` to `end` names. A prefix before one that names it is
 * invalid, and none is left without its instruction. */
static void keep_named(float_parameters *p, const il_edit *il, uint32_t start, uint32_t end) {
    bool named[FLOAT_PARAMETERS + 1] = {false}, prefixed[FLOAT_PARAMETERS + 1] = {false};
    il_argument of;
    for (uint32_t from = 0; il_next_argument(il, from, &of); from = of.offset + of.size) {
        uint32_t i = index_of(p, of.argument);
        named[i] |= of.offset >= start && of.offset < end;
        prefixed[i] |= of.prefixed;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < p->count; i++)
        if (named[i] && !prefixed[i])
            p->found[kept++] = p->found[i];
    p->count = kept;
}

void float_parameters_find(float_parameters *p, float_types *types, const md_view *view, bytes signature,
                           const il_edit *il) {
    uint32_t start, end;
    p->count = 0;
    if (il->flow.jmp_count || !il->flow.loops)
        return;
    find_by_type(p, types, view, signature);
    if (p->count && il_edit_loops(il, &start, &end))
        keep_named(p, il, start, end);
}

uint32_t float_parameters_types(const float_parameters *p, buffer *types) {
    for (uint32_t i = 0; i < p->count; i++)
        buffer_append(types, p->found[i].type.data, p->found[i].type.size);
    return p->count;
}

/* ldloc, ldloca or stloc in a form that is no shorter than `size`, the old instruction's. */
static void name_local(buffer *code, il_use use, uint32_t local, uint32_t size) {
    static const il_encoding wide[] = {
        [IL_USE_LOADS] = IL_OP_ldloc, [IL_USE_LOADS_ADDRESS] = IL_OP_ldloca, [IL_USE_STORES] = IL_OP_stloc};
    static const il_encoding narrow[] = {
        [IL_USE_LOADS] = IL_OP_ldloc_s, [IL_USE_LOADS_ADDRESS] = IL_OP_ldloca_s, [IL_USE_STORES] = IL_OP_stloc_s};
    if (size == 1) {
        il_emit_ldloc(code, local);
    } else if (size == 2) {
        il_emit_indexed(code, narrow[use], wide[use], local);
    } else {
        il_emit(code, wide[use]);
        buffer_u16(code, (uint16_t)local);
    }
}

void float_parameters_rename(const float_parameters *p, il_edit *il, uint32_t first, buffer *scratch) {
    if (p->count == 0)
        return;
    scratch->size = 0;
    for (uint32_t i = 0; i < p->count; i++) {
        il_emit_ldarg(scratch, p->found[i].argument);
        il_emit_stloc(scratch, first + i);
    }
    il_insert_buffer(il, 0, IL_HEAD, scratch);
    il_argument of;
    for (uint32_t from = 0; il_next_argument(il, from, &of); from = of.offset + of.size) {
        uint32_t i = index_of(p, of.argument);
        if (i == p->count)
            continue;
        scratch->size = 0;
        name_local(scratch, of.use, first + i, of.size);
        if (scratch->failed)
            il->refused = ECMA_NO_MEMORY;
        else
            il_replace(il, of.offset, buffer_bytes(scratch));
    }
}
