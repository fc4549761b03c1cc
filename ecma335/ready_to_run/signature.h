/* signature.h - the signatures of fixups and of instantiations: what they refer to outside of the module. */
#ifndef ECMA335_READY_TO_RUN_SIGNATURE_H
#define ECMA335_READY_TO_RUN_SIGNATURE_H

#include "ready_to_run/native_format.h"

enum {
    R2R_METHOD_INSTANTIATION = 0x04,
    R2R_METHOD_SLOT = 0x08,
    R2R_METHOD_MEMBER_REF = 0x10,
    R2R_METHOD_CONSTRAINED = 0x20,
    R2R_METHOD_OWNER = 0x40,
    R2R_METHOD_OTHER_MODULE = 0x80,
    R2R_METHOD_FLAGS = 0x1FF, /* those that are known */
};

/* A walk through signatures; what it gathers is of all of them. Starts with `reader.image`, the rest zero. */
typedef struct r2r_signature {
    nf_reader reader; /* at its end, after one was read */
    uint32_t start;
    unsigned depth;
    uint8_t kind;       /* of the last fixup, its own, not that of one inside it */
    bool names_modules; /* by an index that counts the rows of AssemblyRef */
    bool checks_bodies; /* of IL */
    bool unknown;       /* a fixup or type of a kind that is not known */
} r2r_signature;

/* Each leaves reader.failed when the signature cannot be read, or is of an unlikely length or depth. */
void r2r_walk_fixup(r2r_signature *s, uint32_t rva);
void r2r_walk_method(r2r_signature *s, uint32_t rva, uint32_t *flags, uint32_t *row);

const char *r2r_fixup_name(uint8_t kind); /* NULL: not known */

#endif
