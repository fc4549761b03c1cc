/* gaps.h - what lies between the pieces of a layout that are replaced: the old file's own bytes. */
#ifndef ECMA335_PE_GAPS_H
#define ECMA335_PE_GAPS_H

#include "pe/layout.h"

/* The bytes of a gap in the old file. `s` is the section that it lies in. */
const uint8_t *pe_gap_data(const pe_layout *layout, const pe_section *s, const pe_piece *gap);

/* Copies the gaps that hold these old bytes, unless they are copied already; call it before changing the bytes. */
void pe_layout_copy_gaps(const pe_layout *layout, uint32_t rva, uint32_t size, uint8_t *out);

#endif
