#include "report/mibc/types.h"

uint32_t type_names_id(type_names *t, uint32_t scope, const char *space, const char *name) {
    buffer key = BUFFER_INIT;
    buffer_u32(&key, scope);
    buffer_append(&key, space, strlen(space) + 1);
    buffer_string(&key, name);
    uint32_t id = key.failed ? MAP_NONE : keep_id(&t->types, buffer_bytes(&key));
    t->types.failed |= key.failed || (id != MAP_NONE && id >= TYPES_MOST);
    buffer_clear(&key);
    return t->types.failed ? MAP_NONE : id;
}

type_parts type_names_parts(const type_names *t, uint32_t id) {
    const uint8_t *key = keep_text(&t->types, id).data;
    const char *space = (const char *)key + 4;
    return (type_parts){load_u32(key), space, space + strlen(space) + 1};
}

uint32_t type_names_assembly(const type_names *t, uint32_t id) {
    uint32_t scope = type_names_parts(t, id).scope;
    while (scope & TYPE_NESTED)
        scope = type_names_parts(t, scope & ~TYPE_NESTED).scope;
    return scope;
}

bool type_names_failed(const type_names *t) {
    return t->assemblies.failed || t->types.failed;
}

void type_names_clear(type_names *t) {
    keep_clear(&t->assemblies);
    keep_clear(&t->types);
}

/* ---- Signatures ------------------------------------------------------------------------------------------------- */

static bool copy_type(const signature_copy *c, reader *r, buffer *to, unsigned depth);
static bool copy_argument(const signature_copy *c, reader *r, buffer *to, unsigned depth);

static uint32_t copy_number(reader *r, buffer *to) {
    uint32_t value = reader_compressed(r);
    if (!r->failed)
        buffer_compressed(to, value);
    return value;
}

static bool copy_token(const signature_copy *c, reader *r, buffer *to) {
    md_token type = md_read_type_token(r), named = r->failed ? 0 : c->named(c->user, type);
    if (named == 0)
        return false;
    buffer_compressed(to, md_coded_encode(MD_CODED_TypeDefOrRef, named));
    return true;
}

/* The argument that a VAR or MVAR stands for. */
static bool copy_parameter(const signature_copy *c, unsigned element, reader *r, buffer *to) {
    uint32_t position = reader_compressed(r);
    if (!c->closes) {
        buffer_u8(to, (uint8_t)element);
        buffer_compressed(to, position);
        return !r->failed;
    }
    reader args = reader_of(element == MD_ELEMENT_VAR ? c->type_args : c->method_args);
    for (uint32_t i = 0; i < position && !args.failed; i++)
        md_skip_type(&args);
    const uint8_t *from = args.at;
    if (r->failed || !md_skip_type(&args))
        return false;
    buffer_append(to, from, (size_t)(args.at - from));
    return true;
}

static bool copy_instance(const signature_copy *c, reader *r, buffer *to, unsigned depth,
                          bool (*copy)(const signature_copy *, reader *, buffer *, unsigned)) {
    unsigned kind = reader_u8(r);
    if (kind != MD_ELEMENT_CLASS && kind != MD_ELEMENT_VALUETYPE)
        return false;
    buffer_append(to, (uint8_t[]){MD_ELEMENT_GENERICINST, (uint8_t)kind}, 2);
    if (!copy_token(c, r, to))
        return false;
    uint32_t count = copy_number(r, to);
    bool done = !r->failed;
    for (uint32_t i = 0; i < count && done; i++)
        done = copy(c, r, to, depth + 1);
    return done;
}

static bool copy_array(const signature_copy *c, reader *r, buffer *to, unsigned depth) {
    buffer_u8(to, MD_ELEMENT_ARRAY);
    if (!copy_type(c, r, to, depth + 1))
        return false;
    copy_number(r, to);                         /* rank */
    for (unsigned list = 0; list < 2; list++) { /* sizes, then lower bounds, which are copied as they are coded */
        uint32_t count = copy_number(r, to);
        for (uint32_t i = 0; i < count && !r->failed; i++)
            copy_number(r, to);
    }
    return !r->failed;
}

static bool copy_method(const signature_copy *c, reader *r, buffer *to, unsigned depth) {
    md_method_sig sig;
    if (!md_try_method_sig(r, &sig))
        return false;
    buffer_u8(to, sig.convention);
    if (sig.convention & MD_SIG_GENERIC)
        buffer_compressed(to, sig.generic_count);
    buffer_compressed(to, sig.parameter_count);
    bool done = true;
    for (uint32_t i = 0; i <= sig.parameter_count && done; i++)
        done = copy_type(c, r, to, depth);
    return done;
}

static bool copy_type(const signature_copy *c, reader *r, buffer *to, unsigned depth) {
    if (depth > MD_SIG_MAX_DEPTH)
        return false;
    for (;;) {
        unsigned element = reader_u8(r);
        if (r->failed)
            return false;
        if (element < 32 && MD_WHOLE_TYPES >> element & 1) {
            buffer_u8(to, (uint8_t)element);
            return true;
        }
        switch (element) {
        case MD_ELEMENT_CMOD_REQD:
        case MD_ELEMENT_CMOD_OPT:
            buffer_u8(to, (uint8_t)element);
            if (!copy_token(c, r, to))
                return false;
            break;
        case MD_ELEMENT_PTR:
        case MD_ELEMENT_BYREF:
        case MD_ELEMENT_SZARRAY:
        case MD_ELEMENT_PINNED:
        case MD_ELEMENT_SENTINEL:
            buffer_u8(to, (uint8_t)element);
            break;
        case MD_ELEMENT_VALUETYPE:
        case MD_ELEMENT_CLASS:
            buffer_u8(to, (uint8_t)element);
            return copy_token(c, r, to);
        case MD_ELEMENT_VAR:
        case MD_ELEMENT_MVAR:
            return copy_parameter(c, element, r, to);
        case MD_ELEMENT_ARRAY:
            return copy_array(c, r, to, depth);
        case MD_ELEMENT_GENERICINST:
            return copy_instance(c, r, to, depth, copy_type);
        case MD_ELEMENT_FNPTR:
            buffer_u8(to, MD_ELEMENT_FNPTR);
            return copy_method(c, r, to, depth + 1);
        default:
            return false;
        }
    }
}

bool signature_copy_type(const signature_copy *c, reader *r, buffer *to) {
    return copy_type(c, r, to, 0);
}

bool signature_copy_method(const signature_copy *c, bytes signature, buffer *to) {
    reader r = reader_of(signature);
    return copy_method(c, &r, to, 0) && reader_left(&r) == 0;
}

void signature_put_canon(const signature_copy *c, buffer *to) {
    buffer_u8(to, MD_ELEMENT_CLASS);
    buffer_compressed(to, md_coded_encode(MD_CODED_TypeDefOrRef, md_token_of(MD_TABLE_TypeRef, c->canon + 1)));
}

static bool copy_argument(const signature_copy *c, reader *r, buffer *to, unsigned depth) {
    enum { ARGUMENT_NESTING = 4 }; /* deeper ones are made by code that nests without end */
    reader whole = *r;
    md_skip_modifiers(r);
    unsigned element = reader_u8(r);
    if (r->failed || depth > ARGUMENT_NESTING)
        return false;
    switch (element) {
    case MD_ELEMENT_STRING:
    case MD_ELEMENT_OBJECT:
    case MD_ELEMENT_CLASS:
    case MD_ELEMENT_SZARRAY:
    case MD_ELEMENT_ARRAY:
        *r = whole;
        signature_put_canon(c, to);
        return md_skip_type(r);
    case MD_ELEMENT_VALUETYPE:
        buffer_u8(to, (uint8_t)element);
        return copy_token(c, r, to);
    case MD_ELEMENT_VAR:
    case MD_ELEMENT_MVAR:
        return copy_parameter(c, element, r, to);
    case MD_ELEMENT_GENERICINST:
        if (reader_left(r) && *r->at == MD_ELEMENT_VALUETYPE)
            return copy_instance(c, r, to, depth, copy_argument);
        *r = whole;
        signature_put_canon(c, to);
        return md_skip_type(r);
    default:
        if (element >= 32 || !(MD_WHOLE_TYPES >> element & 1) || element == MD_ELEMENT_VOID ||
            element == MD_ELEMENT_TYPEDBYREF)
            return false;
        buffer_u8(to, (uint8_t)element);
        return true;
    }
}

bool signature_copy_argument(const signature_copy *c, reader *r, buffer *to) {
    return copy_argument(c, r, to, 0);
}
