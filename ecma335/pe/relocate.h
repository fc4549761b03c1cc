/* relocate.h - the parts of pe_layout_write that carry one kind of directory each. */
#ifndef ECMA335_PE_RELOCATE_H
#define ECMA335_PE_RELOCATE_H

#include "pe/layout.h"

typedef struct pe_relocator {
    const pe_layout *layout;
    uint8_t *out;
    diag *d;
} pe_relocator;

/* The output bytes that the old range [rva, rva + size) of a section became, when it was kept in one piece; else NULL.
 * NULL also where it overlaps the CLI header, which has its own: a damaged directory must not write into it. */
uint8_t *pe_relocated(const pe_relocator *c, uint32_t rva, uint32_t size);
uint8_t *pe_relocated_cli_header(const pe_relocator *c);

/* Replaces the RVA in a field by its new value; false when it maps to nothing. 0 stays 0. */
bool pe_relocate_rva(const pe_relocator *c, uint8_t *field);

/* The same for the field at the old RVA `at`. The value is taken from the old image, so a field that is named twice
 * moves once. */
bool pe_relocate_rva_at(const pe_relocator *c, uint32_t at);

ecma_status pe_relocate_imports(const pe_relocator *c);
ecma_status pe_relocate_debug(const pe_relocator *c);
ecma_status pe_relocate_base_relocations(const pe_relocator *c);
ecma_status pe_relocate_native_resources(const pe_relocator *c);

#endif
