#include "report/mibc/instances.h"

#include "il/decode.h"
#include "metadata/types.h"
#include "util/list.h"

/* Code that instantiates without end is cut there; no startup uses that many of one method. */
enum { INSTANCES_OF_ONE = 64, ARGUMENT_BYTES = 1024 };

enum { VALUE_TYPE_CONSTRAINT = 0x8 }; /* GenericParam.Flags (II.23.1.7) */

/* ---- The methods ------------------------------------------------------------------------------------------------ */

static bytes copied(instances *x, const buffer *b) {
    if (b->size == 0 && !b->failed)
        return (bytes){0};
    uint8_t *copy = b->failed ? NULL : arena_alloc(&x->memory, b->size);
    x->failed |= !copy;
    if (copy)
        memcpy(copy, b->data, b->size);
    return copy ? bytes_of(copy, b->size) : (bytes){0};
}

static void member_key(buffer *key, uint32_t type, bytes signature, const char *name) {
    key->size = 0;
    buffer_u32(key, type);
    buffer_u32(key, (uint32_t)signature.size);
    buffer_append(key, signature.data, signature.size);
    buffer_string(key, name);
}

static void index_called(instances *x, uint32_t position) {
    const called *m = &x->called[position];
    buffer key = BUFFER_INIT;
    member_key(&key, m->type, m->signature, (const char *)m->name.data);
    uint32_t known = x->members.count, id = key.failed ? MAP_NONE : keep_id(&x->members, buffer_bytes(&key));
    buffer_clear(&key);
    uint32_t *row = map_slot(&x->by_row, map_key(m->source, m->row));
    if (row)
        *row = position;
    x->failed |=
        id == MAP_NONE || !row ||
        !list_grow((void **)&x->member_called, x->members.count - 1, &x->member_capacity, sizeof *x->member_called);
    if (!x->failed && id == known)
        x->member_called[id] = position;
    uint32_t *first = map_slot(&x->by_type, m->type);
    x->failed |= !first;
    if (first) {
        x->called[position].next_of_type = *first;
        *first = position;
    }
}

uint32_t instances_add(instances *x, uint32_t of, uint32_t row) {
    source *s = &x->sources[of];
    uint32_t type_row = md_method_type(&s->index, row);
    bytes signature;
    if (!md_row_exists(&s->md, MD_TABLE_MethodDef, row) || md_cell(&s->md, MD_MethodDef_RVA, row) == 0 ||
        !md_has_il(md_cell(&s->md, MD_MethodDef_Flags, row), md_cell(&s->md, MD_MethodDef_ImplFlags, row)) ||
        !md_try_blob(&s->md, md_cell(&s->md, MD_MethodDef_Signature, row), &signature))
        return MAP_NONE;
    const char *name = md_name(&s->md, MD_MethodDef_Name, row);
    uint32_t flags = md_cell(&s->md, MD_MethodDef_Flags, row);
    called m = {.source = of,
                .row = row,
                .type = source_type(s, md_token_of(MD_TABLE_TypeDef, type_row)),
                .unseen =
                    (flags & MD_METHOD_VIRTUAL) || ((flags & MD_METHOD_STATIC) && (flags & MD_METHOD_RT_SPECIAL_NAME)),
                .value_type = md_is_value_type(&s->md, type_row),
                .name = bytes_of(name, strlen(name)),
                .type_generics = md_all_generic_params(&s->index, md_token_of(MD_TABLE_TypeDef, type_row)).count,
                .method_generics = md_method_generic_params(&s->index, row).count,
                .first = MAP_NONE,
                .last = MAP_NONE,
                .next_of_type = MAP_NONE};
    const signature_copy c = {.named = source_named, .user = s};
    buffer b = BUFFER_INIT;
    bool named = m.type != MAP_NONE && name[0] && signature_copy_method(&c, signature, &b);
    if (named)
        m.signature = copied(x, &b);
    buffer_clear(&b);
    if (!named || !list_grow((void **)&x->called, x->called_count, &x->called_capacity, sizeof m)) {
        x->failed |= named;
        return MAP_NONE;
    }
    x->called[x->called_count] = m;
    index_called(x, x->called_count);
    return x->called_count++;
}

/* ---- Their instances -------------------------------------------------------------------------------------------- */

/* A number for what is known: a kind, the method's or type's, and arguments. True if it is new. */
static bool is_new(instances *x, char kind, uint32_t of, bytes type_args, bytes method_args) {
    buffer key = BUFFER_INIT;
    buffer_u8(&key, (uint8_t)kind);
    buffer_u32(&key, of);
    buffer_u32(&key, (uint32_t)type_args.size);
    buffer_append(&key, type_args.data, type_args.size);
    buffer_append(&key, method_args.data, method_args.size);
    uint32_t before = x->known.count, id = key.failed ? MAP_NONE : keep_id(&x->known, buffer_bytes(&key));
    buffer_clear(&key);
    x->failed |= id == MAP_NONE;
    return id != MAP_NONE && id == before;
}

static bytes kept(instances *x, bytes args) {
    buffer b = {.data = (uint8_t *)(size_t)args.data, .size = args.size};
    return copied(x, &b);
}

static void add(instances *x, uint32_t of, bytes type_args, bytes method_args) {
    called *m = &x->called[of];
    if (x->failed || m->count == INSTANCES_OF_ONE || type_args.size + method_args.size > ARGUMENT_BYTES ||
        !is_new(x, 'M', of, type_args, method_args))
        return;
    if (!list_grow((void **)&x->list, x->count, &x->capacity, sizeof *x->list)) {
        x->failed = true;
        return;
    }
    x->list[x->count] = (instance){of, kept(x, type_args), kept(x, method_args), MAP_NONE};
    if (m->last != MAP_NONE)
        x->list[m->last].next = x->count;
    else
        m->first = x->count;
    m->last = x->count++;
    m->count++;
}

/* Adds an instance of a method for each known instantiation of its type. */
static void add_of_type(instances *x, uint32_t of) {
    for (uint32_t i = map_find(&x->type_lists, x->called[of].type); i != MAP_NONE; i = x->types[i].next)
        if (x->called[of].method_generics == 0 && x->called[of].type_generics == x->types[i].count)
            add(x, of, x->types[i].args, (bytes){0});
}

/* A type is instantiated: so are those of its called methods that no call site has to name. */
static void add_type(instances *x, uint32_t type, bytes args, uint32_t count) {
    uint32_t first = map_find(&x->by_type, type);
    if (first == MAP_NONE || args.size > ARGUMENT_BYTES || !is_new(x, 'T', type, args, (bytes){0}))
        return;
    uint32_t *list = map_slot(&x->type_lists, type);
    if (!list || !list_grow((void **)&x->types, x->type_count, &x->type_capacity, sizeof *x->types)) {
        x->failed = true;
        return;
    }
    x->types[x->type_count] = (instantiated){count, kept(x, args), *list};
    *list = x->type_count++;
    for (uint32_t i = first; i != MAP_NONE; i = x->called[i].next_of_type)
        if (x->called[i].unseen && x->called[i].method_generics == 0 && x->called[i].type_generics == count)
            add(x, i, args, (bytes){0});
}

/* What one instance's code is looked at with. */
typedef struct scan {
    instances *x;
    source *s;
    signature_copy argument; /* closes with the instance's arguments */
    signature_copy open;     /* leaves type parameters: as members are named */
    buffer key, args, method_args, signature;
} scan;

/* Copies `count` arguments; false: one of them is not known, or no code is compiled for it. */
static bool arguments(scan *c, reader *r, uint32_t count, buffer *to) {
    to->size = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!signature_copy_argument(&c->argument, r, to))
            return false;
    return !to->failed;
}

/* Passes over a type, and adds the instantiations that it names. */
static void look_at_type(scan *c, reader *r, unsigned depth) {
    reader in = *r;
    if (!md_skip_type(r) || depth > MD_SIG_MAX_DEPTH)
        return;
    md_skip_modifiers(&in);
    while (*in.at == MD_ELEMENT_PTR || *in.at == MD_ELEMENT_BYREF || *in.at == MD_ELEMENT_SZARRAY ||
           *in.at == MD_ELEMENT_PINNED || *in.at == MD_ELEMENT_ARRAY) {
        reader_skip(&in, 1);
        md_skip_modifiers(&in);
    }
    if (*in.at != MD_ELEMENT_GENERICINST)
        return;
    reader_skip(&in, 2);
    md_token type = md_read_type_token(&in);
    uint32_t count = reader_compressed(&in);
    reader each = in;
    uint32_t id = arguments(c, &in, count, &c->args) ? source_type(c->s, type) : MAP_NONE;
    if (id != MAP_NONE)
        add_type(c->x, id, buffer_bytes(&c->args), count);
    for (uint32_t i = 0; i < count && !each.failed; i++)
        look_at_type(c, &each, depth + 1);
}

/* The types that stand one after another from `skipped` on. */
static void look_at_types(scan *c, bytes signature, size_t skipped) {
    reader r = reader_of(signature);
    reader_skip(&r, skipped);
    while (reader_left(&r) && !r.failed)
        look_at_type(c, &r, 0);
}

/* The arguments of the type that a MemberRef is called on, into c->args; none for a plain one. */
static bool type_arguments(scan *c, md_token class) {
    bytes spec;
    c->args.size = 0;
    if (md_token_table(class) != MD_TABLE_TypeSpec)
        return true;
    if (!md_try_blob(&c->s->md, md_cell(&c->s->md, MD_TypeSpec_Signature, md_token_row(class)), &spec))
        return false;
    reader r = reader_of(spec);
    if (reader_u8(&r) != MD_ELEMENT_GENERICINST)
        return false;
    reader_skip(&r, 1);
    md_read_type_token(&r);
    uint32_t count = reader_compressed(&r);
    return !r.failed && arguments(c, &r, count, &c->args);
}

/* The method that a MethodDef or MemberRef names, if it was called. */
static uint32_t called_by(scan *c, md_token member) {
    const md_view *md = &c->s->md;
    uint32_t row = md_token_row(member);
    if (md_token_table(member) == MD_TABLE_MethodDef)
        return map_find(&c->x->by_row, map_key((uint32_t)(c->s - c->x->sources), row));
    bytes signature;
    uint32_t type = source_type(c->s, md_cell_token(md, MD_MemberRef_Class, row));
    c->signature.size = 0;
    if (type == MAP_NONE || map_find(&c->x->by_type, type) == MAP_NONE ||
        !md_try_blob(md, md_cell(md, MD_MemberRef_Signature, row), &signature) ||
        !signature_copy_method(&c->open, signature, &c->signature))
        return MAP_NONE;
    member_key(&c->key, type, buffer_bytes(&c->signature), md_name(md, MD_MemberRef_Name, row));
    uint32_t id = c->key.failed ? MAP_NONE : keep_find(&c->x->members, buffer_bytes(&c->key));
    return id == MAP_NONE ? MAP_NONE : c->x->member_called[id];
}

/* A member that code names; of a method that is called, `method_args` are those of its own parameters. */
static void look_at_method(scan *c, md_token member, const bytes *method_args) {
    bytes class_spec;
    md_token class = md_token_table(member) == MD_TABLE_MemberRef
                         ? md_cell_token(&c->s->md, MD_MemberRef_Class, md_token_row(member))
                         : 0;
    if (md_token_table(class) == MD_TABLE_TypeSpec &&
        md_try_blob(&c->s->md, md_cell(&c->s->md, MD_TypeSpec_Signature, md_token_row(class)), &class_spec))
        look_at_types(c, class_spec, 0);
    uint32_t callee = method_args ? called_by(c, member) : MAP_NONE;
    if (callee != MAP_NONE && (method_args->size > 0) == (c->x->called[callee].method_generics > 0) &&
        type_arguments(c, class))
        add(c->x, callee, buffer_bytes(&c->args), *method_args);
}

static void look_at_spec(scan *c, uint32_t row) {
    bytes blob;
    if (!md_try_blob(&c->s->md, md_cell(&c->s->md, MD_MethodSpec_Instantiation, row), &blob))
        return;
    reader r = reader_of(blob);
    reader_skip(&r, 1);
    uint32_t count = reader_compressed(&r);
    look_at_types(c, blob, reader_offset(&r));
    md_token method = md_cell_token(&c->s->md, MD_MethodSpec_Method, row);
    bool known = !r.failed && arguments(c, &r, count, &c->method_args);
    bytes args = buffer_bytes(&c->method_args);
    look_at_method(c, method, known ? &args : NULL);
}

static void look_at(scan *c, md_token token) {
    bytes blob;
    switch (md_token_table(token)) {
    case MD_TABLE_MemberRef:
        look_at_method(c, token, &(bytes){0});
        break;
    case MD_TABLE_MethodSpec:
        look_at_spec(c, md_token_row(token));
        break;
    case MD_TABLE_TypeSpec:
        if (md_try_blob(&c->s->md, md_cell(&c->s->md, MD_TypeSpec_Signature, md_token_row(token)), &blob))
            look_at_types(c, blob, 0);
        break;
    default:
        break;
    }
}

static void look_at_signature(scan *c, uint32_t row) {
    bytes signature;
    md_method_sig sig;
    if (!md_try_blob(&c->s->md, md_cell(&c->s->md, MD_MethodDef_Signature, row), &signature))
        return;
    reader r = reader_of(signature);
    if (md_try_method_sig(&r, &sig))
        look_at_types(c, signature, reader_offset(&r));
}

static void look_at_code(scan *c, uint32_t row) {
    const md_view *md = &c->s->md;
    bytes from, locals;
    il_body body;
    il_fault fault;
    look_at_signature(c, row);
    if (!pe_try_bytes_from(&c->s->pe, md_cell(md, MD_MethodDef_RVA, row), &from) ||
        !il_body_try_read(&body, from, &fault))
        return;
    if (md_try_blob(md, md_cell(md, MD_StandAloneSig_Signature, md_token_row(body.local_var_sig_token)), &locals)) {
        reader r = reader_of(locals);
        reader_skip(&r, 1);
        reader_compressed(&r);
        look_at_types(c, locals, reader_offset(&r));
    }
    il_cursor at = il_cursor_of(body.code);
    il_instruction i;
    while (il_next(&at, &i) && !c->x->failed)
        if (i.operand == IL_InlineMethod || i.operand == IL_InlineField || i.operand == IL_InlineType ||
            i.operand == IL_InlineTok)
            look_at(c, i.token);
}

static void look_at_instance(scan *c, uint32_t position) {
    const instance of = c->x->list[position];
    const called *m = &c->x->called[of.of];
    c->s = &c->x->sources[m->source];
    c->open = (signature_copy){.named = source_named, .user = c->s};
    c->argument = (signature_copy){.named = source_named,
                                   .user = c->s,
                                   .closes = true,
                                   .type_args = of.type_args,
                                   .method_args = of.method_args,
                                   .canon = c->x->canon};
    look_at_code(c, m->row);
}

/* ---- Where none is known ---------------------------------------------------------------------------------------- */

/* Appends System.__Canon for each parameter; false: one has to be a value type. */
static bool canonical(const instances *x, const source *s, md_generics parameters, buffer *args) {
    const signature_copy c = {.canon = x->canon};
    for (uint32_t i = 0; i < parameters.count; i++) {
        if (md_cell(&s->md, MD_GenericParam_Flags, parameters.rows[i]) & VALUE_TYPE_CONSTRAINT)
            return false;
        signature_put_canon(&c, args);
    }
    return !args->failed;
}

static void add_canonical(instances *x, uint32_t position) {
    const called *m = &x->called[position];
    const source *s = &x->sources[m->source];
    md_token type = md_token_of(MD_TABLE_TypeDef, md_method_type(&s->index, m->row));
    buffer type_args = BUFFER_INIT, method_args = BUFFER_INIT;
    if (canonical(x, s, md_all_generic_params(&s->index, type), &type_args) &&
        canonical(x, s, md_method_generic_params(&s->index, m->row), &method_args))
        add(x, position, buffer_bytes(&type_args), buffer_bytes(&method_args));
    x->failed |= type_args.failed || method_args.failed;
    buffer_clear(&type_args);
    buffer_clear(&method_args);
}

bool instances_find(instances *x) {
    static const char core[] = "System.Private.Canon";
    uint32_t assembly = keep_id(&x->names->assemblies, bytes_of(core, strlen(core)));
    x->canon = assembly == MAP_NONE ? MAP_NONE : type_names_id(x->names, assembly, "System", "__Canon");
    x->failed |= x->canon == MAP_NONE;
    scan c = {.x = x};
    for (uint32_t i = 0; i < x->called_count && !x->failed; i++)
        if (x->called[i].type_generics + x->called[i].method_generics == 0)
            add(x, i, (bytes){0}, (bytes){0});
    uint32_t looked = 0;
    for (uint32_t next = 0; next <= x->called_count && !x->failed; next++) {
        for (; looked < x->count && !x->failed; looked++)
            look_at_instance(&c, looked);
        if (next < x->called_count && x->called[next].count == 0)
            add_of_type(x, next);
        if (next < x->called_count && x->called[next].count == 0)
            add_canonical(x, next);
    }
    x->failed |=
        c.key.failed || c.args.failed || c.method_args.failed || c.signature.failed || type_names_failed(x->names);
    buffer_clear(&c.key);
    buffer_clear(&c.args);
    buffer_clear(&c.method_args);
    buffer_clear(&c.signature);
    return !x->failed;
}

void instances_clear(instances *x) {
    free(x->called);
    free(x->list);
    free(x->member_called);
    keep_clear(&x->known);
    keep_clear(&x->members);
    map_clear(&x->by_row);
    map_clear(&x->by_type);
    map_clear(&x->type_lists);
    free(x->types);
    arena_clear(&x->memory);
}
