/* deflate.h - compresses names (RFC 1951) with half of the instructions that libdeflate's first level takes. */
#ifndef ILINJECT_OUTPUT_DEFLATE_H
#define ILINJECT_OUTPUT_DEFLATE_H

#include "base/buffer.h"

/* Appends the deflated form of data, from 1 byte to 4 GiB - 1: the same bytes on each system. Without memory,
 * to->failed. */
void deflate_append(buffer *to, bytes data);

#endif
