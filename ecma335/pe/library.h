/* library.h - a PE32 image around metadata and method bodies that were made here: one section, a library of IL alone
 * for any processor, without the import of mscoree.dll that 32-bit loaders once needed: it is for those who read it. */
#ifndef ECMA335_PE_LIBRARY_H
#define ECMA335_PE_LIBRARY_H

#include "base/buffer.h"

/* The RVA of the first body; it is a multiple of 4. */
enum { PE_LIBRARY_BODIES_RVA = 0x2048 };

/* Appends the image to `out`, which is empty. `bodies` lie at PE_LIBRARY_BODIES_RVA, the metadata after them. No part
 * depends on time or place. Returns false where both together are 2 GiB and more, or memory ran out. */
bool pe_library_write(buffer *out, bytes bodies, bytes metadata);

#endif
