/* patched.h - what a loader changes in a mapped image: addresses that base relocations name, the
 * import address table, vtable slots that get the addresses of thunks (II.25.3.3.3). A part with such
 * bytes has no copy elsewhere that means the same. */
#ifndef ECMA335_PE_PATCHED_H
#define ECMA335_PE_PATCHED_H

#include "pe/image.h"

typedef enum pe_patch_kind { PE_PATCH_RELOCATION, PE_PATCH_IMPORT, PE_PATCH_VTABLE } pe_patch_kind;

typedef struct pe_patch {
    uint32_t rva, size; /* the bytes that change */
    pe_patch_kind kind;
} pe_patch;

typedef struct pe_patches {
    pe_patch *list; /* in the arena */
    uint32_t count;
} pe_patches;

/* The patches that touch RVAs [from, to), ascending in RVA. Damaged tables end early: who
 * moves them refuses them. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status pe_patches_find(pe_patches *found, const pe_image *image, uint32_t from, uint32_t to, arena *a, diag *d);

#endif
