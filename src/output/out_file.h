/* out_file.h - writes an output that is not in one piece: short runs of bytes go through a small buffer, which is used
 * again and again, long ones from where they lie; the checksum is taken from what passes. */
#ifndef ILINJECT_OUTPUT_OUT_FILE_H
#define ILINJECT_OUTPUT_OUT_FILE_H

#include "output/rewrite.h"

/* os_write_file for `r`; `checksum_at` is the file offset of the PE checksum, 0: the file has none. Returns ECMA_OK,
 * ECMA_IO, ECMA_NO_MEMORY. */
ecma_status out_file_write(diag *d, const char *path, const rewritten *r, size_t checksum_at, const char *like);

#endif
