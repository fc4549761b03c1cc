/* append.h - the append layout: for images with native code, which nothing may move.
 *
 * Old sections keep their RVAs and their bytes; what is new, and what takes the place of something old, goes into one
 * section after them. Where the headers have no room for its section header, they grow by one step of file alignment
 * and everything after them moves that far in the file. Parts that are replaced are left where they were: native code
 * may know them.
 *
 * The headers of a ReadyToRun image cannot grow: its sections' offsets in the file are those of their addresses within
 * a page. There the last section grows instead. */
#ifndef ECMA335_PE_APPEND_H
#define ECMA335_PE_APPEND_H

#include "pe/layout.h"

/* True if the image holds native code of its own: mixed mode, vtable fixups for native callers, or a method in native
 * code, whatever the flags of the image say. Such code reaches other code and data by distances that stand in no table,
 * so it stays where it is. */
bool pe_needs_append(const pe_image *image);

/* NULL, or why the last section of a ReadyToRun image cannot grow: a static text. */
const char *pe_why_not_growable(const pe_image *image);

/* Returns ECMA_OK, ECMA_UNSUPPORTED (reported). */
ecma_status pe_check_appendable(const pe_image *image, diag *d);

/* As pe_layout_plan; but every replacement goes into the section that is new, or grows, and the map gives the new
 * address of one that has an old size for its first byte only. Returns ECMA_OK, ECMA_UNSUPPORTED (reported),
 * ECMA_NO_MEMORY. */
ecma_status pe_append_plan(pe_layout *layout, const pe_image *image, pe_replacement *const *replacements, size_t count,
                           arena *a, diag *d);

/* The old bytes at their new offsets, the replacements that have data, and the headers but for the CLI header. */
void pe_append_write(const pe_layout *layout, uint8_t *out);

#endif
