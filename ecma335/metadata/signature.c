#include "metadata/signature.h"

const char *md_element_keyword(unsigned element) {
    switch (element) {
#define MD_ELEMENT(value, name, keyword)                                                                               \
    case value:                                                                                                        \
        return keyword;
#include "metadata/elements.def"
#undef MD_ELEMENT
    default:
        return NULL;
    }
}

static bool fail(reader *r) {
    r->failed = true;
    r->at = r->end;
    return false;
}

md_token md_read_type_token(reader *r) {
    uint32_t value = reader_compressed(r);
    md_token token = md_coded_decode(MD_CODED_TypeDefOrRef, value);
    if (token == 0xFFFFFFFF || md_token_row(token) == 0)
        fail(r);
    return token;
}

/* md_read_type_token, for who does not ask which type it is. */
static inline void skip_type_token(reader *r) {
    enum { TAGS = 3, TAG_BITS = 2 }; /* TypeDef, TypeRef, TypeSpec (II.24.2.6) */
    uint32_t value = reader_compressed(r);
    if (value % (1 << TAG_BITS) >= TAGS || (value >> TAG_BITS & 0xFFFFFF) == 0)
        fail(r);
}

void md_skip_modifiers(reader *r) {
    while (reader_left(r) && (*r->at == MD_ELEMENT_CMOD_REQD || *r->at == MD_ELEMENT_CMOD_OPT)) {
        reader_skip(r, 1);
        skip_type_token(r);
    }
}

bool md_try_method_sig(reader *r, md_method_sig *sig) {
    sig->convention = reader_u8(r);
    sig->generic_count = sig->convention & MD_SIG_GENERIC ? reader_compressed(r) : 0;
    sig->parameter_count = reader_compressed(r);
    unsigned kind = sig->convention & MD_SIG_KIND;
    if (kind == MD_SIG_FIELD || kind == MD_SIG_LOCALS || kind > MD_SIG_UNMANAGED)
        return fail(r);
    /* Each parameter takes a byte at least. */
    if (!r->failed && sig->parameter_count > reader_left(r))
        return fail(r);
    return !r->failed;
}

/* `open` becomes true when the type names a type parameter. */
static bool skip_type(reader *r, unsigned depth, bool *open);

static bool skip_method(reader *r, unsigned depth, bool *open) {
    md_method_sig sig;
    if (!md_try_method_sig(r, &sig))
        return false;
    for (uint32_t i = 0; i <= sig.parameter_count; i++)
        if (!skip_type(r, depth, open))
            return false;
    return true;
}

static bool skip_type(reader *r, unsigned depth, bool *open) {
    if (depth > MD_SIG_MAX_DEPTH)
        return fail(r);
    for (;;) {
        unsigned element = reader_u8(r);
        if (element < 32 && MD_WHOLE_TYPES >> element & 1)
            return true;
        switch (element) {
        /* Prefixes: the type goes on. */
        case MD_ELEMENT_CMOD_REQD:
        case MD_ELEMENT_CMOD_OPT:
            skip_type_token(r);
            break;
        case MD_ELEMENT_PTR:
        case MD_ELEMENT_BYREF:
        case MD_ELEMENT_SZARRAY:
        case MD_ELEMENT_PINNED:
        case MD_ELEMENT_SENTINEL:
            break;
        case MD_ELEMENT_VALUETYPE:
        case MD_ELEMENT_CLASS:
            skip_type_token(r);
            return !r->failed;
        case MD_ELEMENT_VAR:
        case MD_ELEMENT_MVAR:
            reader_compressed(r);
            *open = true;
            return !r->failed;
        case MD_ELEMENT_ARRAY: {
            if (!skip_type(r, depth + 1, open))
                return false;
            reader_compressed(r); /* rank */
            uint32_t sizes = reader_compressed(r);
            for (uint32_t i = 0; i < sizes && !r->failed; i++)
                reader_compressed(r);
            uint32_t bounds = reader_compressed(r);
            for (uint32_t i = 0; i < bounds && !r->failed; i++)
                reader_compressed_signed(r);
            return !r->failed;
        }
        case MD_ELEMENT_GENERICINST: {
            unsigned kind = reader_u8(r);
            if (kind != MD_ELEMENT_CLASS && kind != MD_ELEMENT_VALUETYPE)
                return fail(r);
            skip_type_token(r);
            uint32_t count = reader_compressed(r);
            for (uint32_t i = 0; i < count && !r->failed; i++)
                if (!skip_type(r, depth + 1, open))
                    return false;
            return !r->failed;
        }
        case MD_ELEMENT_FNPTR:
            return skip_method(r, depth + 1, open);
        default:
            return fail(r);
        }
        if (r->failed)
            return false;
    }
}

bool md_skip_long_type(reader *r) {
    bool open;
    return skip_type(r, 0, &open);
}

bool md_type_is_open(bytes type) {
    bool open = false;
    reader r = reader_of(type);
    skip_type(&r, 0, &open);
    return open;
}

static bool returns_value_here(const reader *r) {
    reader peek = *r;
    md_skip_modifiers(&peek);
    return reader_u8(&peek) != MD_ELEMENT_VOID;
}

bool md_try_stack_effect(bytes signature, uint32_t *pops, bool *returns_value) {
    reader r = reader_of(signature);
    md_method_sig sig;
    if (!md_try_method_sig(&r, &sig))
        return false;
    *returns_value = returns_value_here(&r);
    *pops =
        sig.parameter_count + ((sig.convention & MD_SIG_HASTHIS) && !(sig.convention & MD_SIG_EXPLICITTHIS) ? 1u : 0u);
    return true;
}

bool md_try_returns_value(bytes signature, bool *returns_value) {
    uint32_t pops;
    return md_try_stack_effect(signature, &pops, returns_value);
}
