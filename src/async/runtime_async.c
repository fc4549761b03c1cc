#include "async/runtime_async.h"

#include "async/machine_sites.h"
#include "il/decode.h"
#include "il/emit.h"
#include "il/stack.h"
#include "input/call_effects.h"
#include "metadata/flags.h"
#include "metadata/signature.h"
#include "metadata/types.h"

#include <stdlib.h>

/* A kind of operand of Await, and how it is asked: its awaiter, a nested type, or the operand itself. */
typedef struct operand_kind {
    const char *namespace, *name;
    bool is_class;
    const char *awaiter; /* NULL: it is asked itself */
} operand_kind;

static const operand_kind kinds[] = {
    {"System.Threading.Tasks", "Task", true, NULL},
    {"System.Threading.Tasks", "ValueTask", false, NULL},
    {"System.Runtime.CompilerServices", "ConfiguredTaskAwaitable", false, "ConfiguredTaskAwaiter"},
    {"System.Runtime.CompilerServices", "ConfiguredValueTaskAwaitable", false, "ConfiguredValueTaskAwaiter"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0], MAX_TYPE_BYTES = 200 };

/* How an operand of one type is asked: found once, used wherever it is awaited. */
typedef struct operand {
    md_token member; /* the MethodSpec or MemberRef of Await: equal ones have equal operands */
    md_token is_completed, get_awaiter;
    bytes value, awaiter; /* types of the locals it takes, as in a signature; empty: none */
} operand;

typedef struct search {
    ilj_image *image;
    md_edit *edit;
    operand *known;
    uint32_t known_count, known_capacity;
    il_stack stack;
    buffer sites, types, scratch;
    uint32_t type_starts[64]; /* in types, of the method at hand */
    uint32_t type_count;
} search;

/* ---- Which methods ------------------------------------------------------------------------------------------------
 */

ecma_status async_methods_find(async_methods *m, ilj_image *image, const bodies *b) {
    const md_view *v = &image->metadata;
    *m = (async_methods){0};
    if (!(b->any_impl_flags & MD_IMPL_ASYNC))
        return ECMA_OK;
    for (unsigned pass = 0; pass < 2; pass++) {
        uint32_t count = 0;
        for (uint32_t i = 0; i < b->count; i++) {
            const method_body *body = &b->list[i];
            if (body->reason != ILJ_INSTRUMENT || !md_is_runtime_async(v, body->row))
                continue;
            if (pass)
                m->list[count].method = body->row;
            count++;
        }
        if (count == 0)
            return ECMA_OK;
        if (!pass && !(m->list = arena_alloc_array(&image->arena, count, sizeof *m->list)))
            return diag_no_memory(&image->diag);
        m->count = count;
    }
    return ECMA_OK;
}

const async_method *async_methods_of(const async_methods *m, uint32_t method_row) {
    uint32_t low = 0, high = m->count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (m->list[middle].method < method_row)
            low = middle + 1;
        else
            high = middle;
    }
    return low < m->count && m->list[low].method == method_row ? &m->list[low] : NULL;
}

/* ---- How an operand is asked ---------------------------------------------------------------------------------------
 */

static bool is_await(const search *s, md_token called) {
    const md_view *v = &s->image->metadata;
    md_token member = md_member(v, called);
    if (!member)
        return false;
    const char *name = md_member_name(v, member);
    if (strcmp(name, "Await") != 0 && strcmp(name, "AwaitAwaiter") != 0 && strcmp(name, "UnsafeAwaitAwaiter") != 0)
        return false;
    md_token type = md_type_definition(v, md_member_type(&s->image->metadata, &s->image->index, member));
    return type && md_type_is(v, type, "System.Runtime.CompilerServices", "AsyncHelpers");
}

/* The operand's type: its definition, and whether it is an instantiation. false for one that is not understood. */
static bool operand_type(const search *s, md_token member, md_token *type, bool *generic) {
    const md_view *v = &s->image->metadata;
    bytes signature;
    md_method_sig head;
    if (md_token_table(member) != MD_TABLE_MemberRef ||
        !md_try_blob(v, md_cell(v, MD_MemberRef_Signature, md_token_row(member)), &signature))
        return false;
    reader r = reader_of(signature);
    if (!md_try_method_sig(&r, &head) || head.parameter_count != 1 || !md_skip_type(&r))
        return false;
    unsigned element = reader_u8(&r);
    *generic = element == MD_ELEMENT_GENERICINST;
    if (*generic)
        element = reader_u8(&r);
    *type = md_read_type_token(&r);
    return !r.failed && (element == MD_ELEMENT_CLASS || element == MD_ELEMENT_VALUETYPE) &&
           md_token_table(*type) == MD_TABLE_TypeRef && md_row_exists(v, MD_TABLE_TypeRef, md_token_row(*type));
}

/* The type that Await is instantiated over, as it stands in a signature. */
static bool type_argument(const md_view *v, md_token spec, bytes *argument) {
    bytes signature;
    if (md_token_table(spec) != MD_TABLE_MethodSpec ||
        !md_try_blob(v, md_cell(v, MD_MethodSpec_Instantiation, md_token_row(spec)), &signature))
        return false;
    reader r = reader_of(signature);
    if (reader_u8(&r) != MD_SIG_METHODSPEC || reader_compressed(&r) != 1)
        return false;
    argument->data = r.at;
    if (!md_skip_type(&r))
        return false;
    argument->size = (size_t)(r.at - argument->data);
    return true;
}

static const operand_kind *kind_of(const md_view *v, md_token type, bool generic) {
    for (unsigned i = 0; i < KINDS; i++) {
        char name[40];
        size_t size = strlen(kinds[i].name);
        memcpy(name, kinds[i].name, size + 1);
        if (generic)
            memcpy(name + size, "`1", 3);
        if (md_type_is(v, type, kinds[i].namespace, name))
            return &kinds[i];
    }
    return NULL;
}

static md_token nested_type(search *s, md_token enclosing, const char *name) {
    const md_view *v = &s->image->metadata;
    uint32_t scope = md_coded_encode(MD_CODED_ResolutionScope, enclosing);
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_TypeRef); row++)
        if (md_cell(v, MD_TypeRef_ResolutionScope, row) == scope && md_name_is(v, MD_TypeRef_TypeName, row, name))
            return md_token_of(MD_TABLE_TypeRef, row);
    return md_edit_row(s->edit, MD_TABLE_TypeRef, (uint32_t[]){scope, md_edit_string(s->edit, name), 0});
}

/* A value type, instantiated when there is an argument, as it stands in a signature; kept in the arena. */
static bool value_type(search *s, md_token type, bytes argument, bytes *kept) {
    buffer *b = &s->scratch;
    b->size = 0;
    if (argument.size)
        buffer_u8(b, MD_ELEMENT_GENERICINST);
    buffer_u8(b, MD_ELEMENT_VALUETYPE);
    buffer_compressed(b, md_coded_encode(MD_CODED_TypeDefOrRef, type));
    if (argument.size) {
        buffer_compressed(b, 1);
        buffer_append(b, argument.data, argument.size);
    }
    uint8_t *copy = b->failed ? NULL : arena_alloc(&s->image->arena, b->size);
    if (!copy)
        return false;
    memcpy(copy, b->data, b->size);
    *kept = bytes_of(copy, b->size);
    return true;
}

/* The type as a MemberRef's parent. */
static md_token parent(search *s, md_token definition, bytes instantiated) {
    if (instantiated.data[0] != MD_ELEMENT_GENERICINST)
        return definition;
    uint32_t blob = md_edit_blob(s->edit, instantiated);
    return md_edit_row(s->edit, MD_TABLE_TypeSpec, &blob);
}

static md_token is_completed_of(search *s, md_token type) {
    return references_member(s->edit, type, "get_IsCompleted",
                             bytes_of((uint8_t[]){MD_SIG_HASTHIS, 0, MD_ELEMENT_BOOLEAN}, 3));
}

/* Fills in how the operand of an Await is asked; what is not understood stays unasked. false: no memory. */
static bool find_how(search *s, md_token called, operand *o) {
    const md_view *v = &s->image->metadata;
    md_token type;
    bool generic;
    bytes argument = {0};
    if (!operand_type(s, md_member(v, called), &type, &generic) ||
        (generic && (!type_argument(v, called, &argument) || argument.size > MAX_TYPE_BYTES)))
        return true;
    const operand_kind *kind = kind_of(v, type, generic);
    if (!kind)
        return true;
    if (kind->is_class) {
        md_token task = references_core_type(s->edit, kind->namespace, kind->name);
        o->is_completed = task ? is_completed_of(s, task) : 0;
        return true;
    }
    if (!value_type(s, type, argument, &o->value))
        return false;
    md_token of = parent(s, type, o->value);
    if (!kind->awaiter) {
        o->is_completed = is_completed_of(s, of);
        return true;
    }
    md_token awaiter = nested_type(s, type, kind->awaiter);
    if (!value_type(s, awaiter, generic ? bytes_of("\x13\0", 2) : (bytes){0}, &o->awaiter))
        return false;
    buffer *b = &s->scratch;
    b->size = 0;
    buffer_append(b, (uint8_t[]){MD_SIG_HASTHIS, 0}, 2);
    buffer_append(b, o->awaiter.data, o->awaiter.size);
    if (b->failed)
        return false;
    o->get_awaiter = references_member(s->edit, of, "GetAwaiter", buffer_bytes(b));
    if (!value_type(s, awaiter, argument, &o->awaiter))
        return false;
    o->is_completed = is_completed_of(s, parent(s, awaiter, o->awaiter));
    return true;
}

static const operand *operand_of(search *s, md_token called) {
    for (uint32_t i = s->known_count; i-- > 0;)
        if (s->known[i].member == called)
            return &s->known[i];
    if (s->known_count == s->known_capacity) {
        uint32_t capacity = s->known_capacity ? s->known_capacity * 2 : 16;
        operand *grown = arena_alloc_array(&s->image->arena, capacity, sizeof *grown);
        if (!grown)
            return NULL;
        if (s->known_count)
            memcpy(grown, s->known, s->known_count * sizeof *grown);
        s->known = grown;
        s->known_capacity = capacity;
    }
    operand *o = &s->known[s->known_count];
    *o = (operand){.member = called};
    if (!find_how(s, called, o))
        return NULL;
    s->known_count++;
    return o;
}

/* ---- The sites of a method ------------------------------------------------------------------------------------------
 */

/* The number of the local of a type, added when it is new; AWAIT_NO_LOCAL for no type, or when there are too many. */
static uint32_t local_of(search *s, bytes type) {
    enum { MAX_TYPES = sizeof s->type_starts / sizeof s->type_starts[0] };
    if (type.size == 0)
        return AWAIT_NO_LOCAL;
    for (uint32_t i = 0; i < s->type_count; i++) {
        size_t start = s->type_starts[i], end = i + 1 < s->type_count ? s->type_starts[i + 1] : s->types.size;
        if (end - start == type.size && memcmp(s->types.data + start, type.data, type.size) == 0)
            return i;
    }
    if (s->type_count == MAX_TYPES)
        return AWAIT_NO_LOCAL;
    s->type_starts[s->type_count] = (uint32_t)s->types.size;
    buffer_append(&s->types, type.data, type.size);
    return s->types.failed ? AWAIT_NO_LOCAL : s->type_count++;
}

static bool add_site(search *s, const il_instruction *call, uint32_t unit, bool tail, uint32_t code_size) {
    const operand *o = operand_of(s, call->token);
    if (!o)
        return false;
    await_site site = {.offset = unit,
                       .behind = call->offset + call->size,
                       .is_completed = o->is_completed,
                       .get_awaiter = o->get_awaiter,
                       .value = local_of(s, o->value),
                       .awaiter = local_of(s, o->awaiter)};
    if (tail || site.behind >= code_size)
        site.behind = 0;
    if ((o->value.size && site.value == AWAIT_NO_LOCAL) || (o->awaiter.size && site.awaiter == AWAIT_NO_LOCAL))
        site.is_completed = 0;
    buffer_append(&s->sites, &site, sizeof site);
    return !s->sites.failed && !s->types.failed;
}

static void *copy(search *s, const buffer *from) {
    void *made = arena_alloc(&s->image->arena, from->size + 1);
    if (made && from->size)
        memcpy(made, from->data, from->size);
    return made;
}

/* The depths at the sites; where the code cannot be followed, what the header allows. */
static ecma_status find_depths(search *s, uint32_t method, const il_body *body, await_site *sites, uint32_t count) {
    const md_view *v = &s->image->metadata;
    bytes signature, result;
    bool followed = md_try_blob(v, md_cell(v, MD_MethodDef_Signature, method), &signature) &&
                    md_result_type(signature, true, &result);
    if (followed) {
        effects *effects = effects_of_image(s->image);
        if (!effects)
            return ECMA_NO_MEMORY;
        ecma_status status = il_stack_analyse(&s->stack, body, result.size != 0, effects_of_call, effects);
        if (status == ECMA_NO_MEMORY)
            return status;
        followed = status == ECMA_OK;
    }
    for (uint32_t i = 0; i < count; i++) {
        uint32_t depth = followed ? il_stack_depth_at(&s->stack, sites[i].offset) : IL_UNREACHED;
        sites[i].depth = depth == IL_UNREACHED ? body->max_stack : depth;
    }
    return ECMA_OK;
}

static ecma_status find_sites(search *s, async_method *m, const il_body *body) {
    il_cursor cursor = il_cursor_of(body->code);
    il_instruction i;
    uint32_t unit = 0;
    bool tail = false;
    s->sites.size = s->types.size = s->type_count = 0;
    while (il_next(&cursor, &i)) {
        tail |= i.opcode == IL_tail;
        if (il_is_prefix(i.opcode))
            continue;
        if (i.opcode == IL_call && is_await(s, i.token) && !add_site(s, &i, unit, tail, (uint32_t)body->code.size))
            return ECMA_NO_MEMORY;
        unit = cursor.at;
        tail = false;
    }
    await_site *sites = copy(s, &s->sites);
    void *types = copy(s, &s->types);
    if (!sites || !types)
        return ECMA_NO_MEMORY;
    m->sites = sites;
    m->site_count = (uint32_t)(s->sites.size / sizeof *sites);
    m->types = bytes_of(types, s->types.size);
    m->type_count = s->type_count;
    return find_depths(s, m->method, body, sites, m->site_count);
}

ecma_status async_methods_reference(async_methods *m, ilj_image *image, const bodies *b, md_edit *edit) {
    search s = {.image = image, .edit = edit};
    ecma_status status = ECMA_OK;
    for (uint32_t i = 0; i < m->count && status == ECMA_OK; i++) {
        il_body body;
        if (bodies_read(b, image, m->list[i].method, &body))
            status = find_sites(&s, &m->list[i], &body);
    }
    il_stack_clear(&s.stack);
    buffer_clear(&s.sites);
    buffer_clear(&s.types);
    buffer_clear(&s.scratch);
    return status ? diag_no_memory(&image->diag) : ECMA_OK;
}

/* ---- Insertions ----------------------------------------------------------------------------------------------------
 */

static void add_awaiting(buffer *b, const await_site *site, const references *refs, const async_locals *l) {
    const uint32_t first = l->first;
    size_t branch = 0;
    bool through_local = site->value != AWAIT_NO_LOCAL;
    if (site->is_completed && !through_local) {
        il_emit(b, IL_OP_dup);
        il_emit_token(b, IL_OP_callvirt, site->is_completed);
    } else if (site->is_completed) {
        il_emit_stloc(b, first + site->value);
        il_emit_ldloca(b, first + site->value);
        if (site->get_awaiter) {
            il_emit_call(b, site->get_awaiter);
            il_emit_stloc(b, first + site->awaiter);
            il_emit_ldloca(b, first + site->awaiter);
        }
        il_emit_call(b, site->is_completed);
    }
    if (site->is_completed)
        branch = il_emit_branch(b, IL_OP_brtrue_s);
    if (refs->method[TRACKER_AWAITING]) {
        il_emit_ldloc(b, l->call);
        il_emit_call(b, refs->method[TRACKER_AWAITING]);
    }
    if (l->captured != AWAIT_NO_LOCAL) {
        il_emit_ldloc(b, l->captured);
        il_emit_call(b, refs->method[TRACKER_CALL_SUSPENDS]);
    }
    if (site->is_completed)
        il_emit_land(b, branch);
    if (site->is_completed && through_local)
        il_emit_ldloc(b, first + site->value);
}

uint32_t async_insert_calls(il_edit *to, const async_method *m, const references *refs, const async_locals *l) {
    md_token resuming = refs->method[TRACKER_RESUMING];
    bool awaiting = refs->method[TRACKER_AWAITING] || l->captured != AWAIT_NO_LOCAL;
    buffer code = BUFFER_INIT;
    uint32_t needed = 0;
    for (uint32_t i = 0; i < m->site_count; i++) {
        const await_site *site = &m->sites[i];
        if (awaiting) {
            code.size = 0;
            add_awaiting(&code, site, refs, l);
            il_insert_buffer(to, site->offset, IL_BEFORE, &code);
        }
        if (resuming && site->behind) {
            code.size = 0;
            il_emit_ldloc(&code, l->call);
            il_emit_call(&code, resuming);
            il_insert_buffer(to, site->behind, IL_HEAD, &code);
        }
        if (site->depth + 1 > needed)
            needed = site->depth + 1;
    }
    buffer_clear(&code);
    return needed;
}
