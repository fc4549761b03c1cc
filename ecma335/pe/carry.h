/* carry.h - the parts of pe_layout_write that carry one kind of directory each. */
#ifndef ECMA335_PE_CARRY_H
#define ECMA335_PE_CARRY_H

#include "pe/layout.h"

typedef struct pe_carrier {
    const pe_layout *layout;
    uint8_t *out;
    diag *d;
} pe_carrier;

/* The output bytes that the old range [rva, rva + size) of a section became, when it was kept in one piece; else NULL.
 * NULL also where it overlaps the CLI header, which has its own: a damaged directory must not write into it. */
uint8_t *pe_carried(const pe_carrier *c, uint32_t rva, uint32_t size);
uint8_t *pe_carried_cli_header(const pe_carrier *c);

/* Replaces the RVA in a field by its new value; false when it maps to nothing. 0 stays 0. */
bool pe_carry_rva(const pe_carrier *c, uint8_t *field);

/* The same for the field whose old RVA is `at`. The value is taken from the old image, so that a field that is named
 * twice moves once. */
bool pe_carry_rva_at(const pe_carrier *c, uint32_t at);

ecma_status pe_carry_imports(const pe_carrier *c);
ecma_status pe_carry_debug(const pe_carrier *c);
ecma_status pe_carry_relocations(const pe_carrier *c);
ecma_status pe_carry_native_resources(const pe_carrier *c);

#endif
