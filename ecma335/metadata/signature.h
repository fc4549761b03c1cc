/* signature.h - reading signature blobs (II.23.2).
 *
 * Signatures are read in place through a reader; nothing is built. A type is passed over with md_skip_type, which knows
 * every element and follows nesting to a fixed depth only. */
#ifndef ECMA335_METADATA_SIGNATURE_H
#define ECMA335_METADATA_SIGNATURE_H

#include "base/bytes.h"
#include "metadata/schema.h"

typedef enum md_element {
#define MD_ELEMENT(value, name, keyword) MD_ELEMENT_##name = value,
#include "metadata/elements.def"
#undef MD_ELEMENT
} md_element;

/* First byte of a signature: kind in the low four bits, then flags (II.23.2.1 to II.23.2.3). */
enum {
    MD_SIG_DEFAULT = 0x0,
    MD_SIG_VARARG = 0x5,
    MD_SIG_FIELD = 0x6,
    MD_SIG_LOCALS = 0x7,
    MD_SIG_PROPERTY = 0x8,
    MD_SIG_UNMANAGED = 0x9,
    MD_SIG_METHODSPEC = 0xA,
    MD_SIG_KIND = 0xF,
    MD_SIG_GENERIC = 0x10,
    MD_SIG_HASTHIS = 0x20,
    MD_SIG_EXPLICITTHIS = 0x40,
};

enum { MD_SIG_MAX_DEPTH = 64 };

/* The head of a method, property or call-site signature; `r` then stands at the return type. */
typedef struct md_method_sig {
    uint8_t convention;
    uint32_t generic_count;
    uint32_t parameter_count;
} md_method_sig;

bool md_try_method_sig(reader *r, md_method_sig *sig);

/* Passes over one Type, RetType, Param or LocalVar with its modifiers (and a sentinel before it). false and r->failed
 * when it does not follow the grammar or nests deeper than MD_SIG_MAX_DEPTH. */
bool md_skip_long_type(reader *r);

/* The elements below 32 that are a type by themselves, a bit each. */
enum {
    MD_WHOLE_TYPES = (1 << (MD_ELEMENT_STRING + 1)) - (1 << MD_ELEMENT_VOID) + (1 << MD_ELEMENT_TYPEDBYREF) +
                     (1 << MD_ELEMENT_I) + (1 << MD_ELEMENT_U) + (1 << MD_ELEMENT_OBJECT),
};

/* The same; most types are one byte. */
static inline bool md_skip_type(reader *r) {
    if (r->failed || r->at == r->end || *r->at >= 32 || !(MD_WHOLE_TYPES >> *r->at & 1))
        return md_skip_long_type(r);
    r->at++;
    return true;
}

/* Does the type name a parameter of a generic type or method (VAR, MVAR; II.23.2.12)? */
bool md_type_is_open(bytes type);

/* Passes over custom modifiers (II.23.2.7) only. */
void md_skip_modifiers(reader *r);

/* A TypeDefOrRefOrSpecEncoded (II.23.2.8) as a token; r->failed when it names no row, or a table that is none. */
md_token md_read_type_token(reader *r);

/* The values that a call by this signature takes from the evaluation stack and leaves there: `pops` counts the
 * parameters and an implicit this (explicit-this is among the parameters); parameters after a sentinel count. false
 * when malformed. */
bool md_try_stack_effect(bytes signature, uint32_t *pops, bool *returns_value);

/* Says whether the method's IL returns a value; a modified void is void. false: the signature is malformed. */
bool md_try_returns_value(bytes signature, bool *returns_value);

/* The keyword of an element that is a type by itself, or NULL. */
const char *md_element_keyword(unsigned element);

#endif
