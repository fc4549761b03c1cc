/* writer.h - the bytes of a planned layout, and every place in a PE image that holds an RVA, a file offset or an
 * address carried along: headers, CLI header, import tables, debug directory, base relocations, native resources, the
 * entry stub. */
#ifndef ECMA335_PE_WRITER_H
#define ECMA335_PE_WRITER_H

#include "pe/layout.h"

/* What the CLI header says anew; zero: as the map has it. */
typedef struct pe_changes {
    pe_directory metadata;  /* new RVA and size */
    pe_directory resources; /* new RVA and size, or {0, 0} */
    /* Told of each replacement's data once it is written, when not NULL: it is not needed any more. */
    void (*written)(void *user, const uint8_t *data, uint32_t size);
    void *user;
} pe_changes;

/* May the compact layout be used, or the append layout where pe_needs_append? Refuses precompiled images and
 * directories that cannot be moved. Returns ECMA_OK, ECMA_UNSUPPORTED. */
ecma_status pe_check_movable(const pe_image *image, diag *d);

/* Appends the RVAs that the headers and directories refer to, at most PE_ANCHOR_MAX of them; returns how many. */
enum { PE_ANCHOR_MAX = 64 };
size_t pe_header_anchors(const pe_image *image, uint32_t anchors[PE_ANCHOR_MAX]);

/* Writes layout->file_size bytes: gaps and replacements that have data, headers and directories as they become. The
 * caller writes the replacements without data, before or after, and last calls pe_write_checksum. Returns ECMA_OK,
 * ECMA_BAD_FILE, ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status pe_layout_write(const pe_layout *layout, const pe_changes *changes, uint8_t *out, diag *d);

/* Computes the image's checksum when the old one had any. */
void pe_write_checksum(const pe_layout *layout, uint8_t *out);

/* The PE checksum of a whole file, its own field counted as 0. */
uint32_t pe_checksum(const uint8_t *file, size_t size, size_t checksum_offset);

#endif
