#include "ready_to_run/signature.h"

enum { MOST_DEPTH = 32, MOST_BYTES = 1 << 14, OTHER_MODULE = 0x80 };

static const struct {
    const char *name, *shape;
} fixups[] = {
#define R2R_FIXUP(kind, name, shape) [kind] = {name, shape},
#include "ready_to_run/fixups.def"
#undef R2R_FIXUP
};

const char *r2r_fixup_name(uint8_t kind) {
    return kind < sizeof fixups / sizeof fixups[0] ? fixups[kind].name : NULL;
}

static void walk_fixup(r2r_signature *s);
static void walk_type(r2r_signature *s);

static bool goes_on(r2r_signature *s) {
    if (s->reader.at - s->start > MOST_BYTES)
        s->reader.failed = true;
    return !s->reader.failed;
}

static void walk_types(r2r_signature *s, uint32_t count) {
    for (uint32_t i = 0; i < count && goes_on(s); i++)
        walk_type(s);
}

static void walk_numbers(r2r_signature *s, uint32_t count) {
    for (uint32_t i = 0; i < count && goes_on(s); i++)
        nf_compressed(&s->reader);
}

/* 0 is the module itself. */
static void walk_module(r2r_signature *s) {
    if (nf_compressed(&s->reader) != 0)
        s->names_modules = true;
}

static void walk_array_shape(r2r_signature *s) {
    if (nf_compressed(&s->reader) == 0) /* rank */
        return;
    walk_numbers(s, nf_compressed(&s->reader)); /* sizes */
    walk_numbers(s, nf_compressed(&s->reader)); /* lower bounds */
}

static void walk_function_pointer(r2r_signature *s) {
    enum { GENERIC = 0x10 };
    if (nf_u8(&s->reader) & GENERIC)
        nf_compressed(&s->reader);
    uint32_t parameters = nf_compressed(&s->reader);
    walk_type(s);
    walk_types(s, parameters);
}

/* The element types of II.23.1.16, and those that these signatures alone have, from 0x3B on. */
static void walk_one_type(r2r_signature *s) {
    switch (nf_u8(&s->reader) & 0x7F) {
    case 0x01:
    case 0x02:
    case 0x03:
    case 0x04:
    case 0x05:
    case 0x06:
    case 0x07:
    case 0x08:
    case 0x09:
    case 0x0A:
    case 0x0B:
    case 0x0C:
    case 0x0D:
    case 0x0E:
    case 0x16:
    case 0x18:
    case 0x19:
    case 0x1C:
    case 0x3E: /* the type that stands for all references */
        break;
    case 0x0F:
    case 0x10:
    case 0x1D:
    case 0x41:
    case 0x45:
    case 0x3D:
        walk_type(s);
        break;
    case 0x11:
    case 0x12:
    case 0x13:
    case 0x1E:
    case 0x3B:
        nf_compressed(&s->reader);
        break;
    case 0x14:
        walk_type(s);
        walk_array_shape(s);
        break;
    case 0x15:
        walk_type(s);
        walk_types(s, nf_compressed(&s->reader));
        break;
    case 0x1B:
        walk_function_pointer(s);
        break;
    case 0x1F:
    case 0x20:
        nf_compressed(&s->reader);
        walk_type(s);
        break;
    case 0x3F:
        walk_module(s);
        walk_type(s);
        break;
    default:
        s->unknown = s->reader.failed = true;
    }
}

static void walk_type(r2r_signature *s) {
    if (++s->depth > MOST_DEPTH)
        s->reader.failed = true;
    if (goes_on(s))
        walk_one_type(s);
    s->depth--;
}

static void walk_method(r2r_signature *s, uint32_t *flags, uint32_t *row) {
    *flags = nf_compressed(&s->reader);
    if (*flags & ~(uint32_t)R2R_METHOD_FLAGS)
        s->unknown = s->reader.failed = true;
    if (*flags & R2R_METHOD_OTHER_MODULE)
        walk_module(s);
    if (*flags & R2R_METHOD_OWNER)
        walk_type(s);
    *row = nf_compressed(&s->reader);
    if (*flags & R2R_METHOD_INSTANTIATION)
        walk_types(s, nf_compressed(&s->reader));
    if (*flags & R2R_METHOD_CONSTRAINED)
        walk_type(s);
}

static void walk_field(r2r_signature *s) {
    uint32_t flags = nf_compressed(&s->reader);
    if (flags & R2R_METHOD_OWNER)
        walk_type(s);
    nf_compressed(&s->reader);
}

/* Which words of a type are references stands there as a bit for each, of 8 bytes or of 4. */
static void walk_layout(r2r_signature *s) {
    enum { HFA = 1, ALIGNMENT = 2, ALIGNMENT_NATIVE = 4, REFERENCES = 8, NO_REFERENCES = 16 };
    uint32_t flags = nf_compressed(&s->reader), size = nf_compressed(&s->reader);
    walk_numbers(s, (flags & HFA ? 1u : 0u) + ((flags & (ALIGNMENT | ALIGNMENT_NATIVE)) == ALIGNMENT ? 1u : 0u));
    if ((flags & (REFERENCES | NO_REFERENCES)) == REFERENCES)
        s->reader.at += (size / (s->reader.image->pe32_plus ? 8 : 4) + 7) / 8;
}

static void walk_override(r2r_signature *s) {
    enum { OVERRIDDEN = 1 };
    uint32_t flags = nf_compressed(&s->reader), method_flags, row;
    walk_method(s, &method_flags, &row);
    walk_type(s);
    if (flags & OVERRIDDEN)
        walk_method(s, &method_flags, &row);
}

static void walk_part(r2r_signature *s, char part) {
    uint32_t flags, row;
    switch (part) {
    case 'T':
        walk_type(s);
        break;
    case 'M':
        walk_method(s, &flags, &row);
        break;
    case 'F':
        walk_field(s);
        break;
    case 'S':
        walk_fixup(s);
        break;
    case 'L':
        walk_layout(s);
        break;
    case 'I':
        walk_numbers(s, nf_compressed(&s->reader));
        break;
    case 'V':
        walk_override(s);
        break;
    case 'B':
        s->checks_bodies = true; /* the rest is not read: such an image is not kept */
        break;
    default:
        nf_compressed(&s->reader);
    }
}

static void walk_fixup(r2r_signature *s) {
    uint8_t kind = nf_u8(&s->reader);
    if (kind & OTHER_MODULE)
        walk_module(s);
    kind &= (uint8_t)~OTHER_MODULE;
    if (!r2r_fixup_name(kind)) {
        s->unknown = s->reader.failed = true;
        return;
    }
    if (s->depth == 0)
        s->kind = kind;
    if (++s->depth > MOST_DEPTH)
        s->reader.failed = true;
    for (const char *part = fixups[kind].shape; *part && goes_on(s); part++)
        walk_part(s, *part);
    s->depth--;
}

void r2r_walk_fixup(r2r_signature *s, uint32_t rva) {
    s->reader.at = s->start = rva;
    s->depth = 0;
    walk_fixup(s);
    goes_on(s);
}

void r2r_walk_method(r2r_signature *s, uint32_t rva, uint32_t *flags, uint32_t *row) {
    s->reader.at = s->start = rva;
    s->depth = 0;
    walk_method(s, flags, row);
    goes_on(s);
}
