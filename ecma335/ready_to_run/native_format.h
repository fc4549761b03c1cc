/* native_format.h - the native format of the tables of a ReadyToRun image: numbers of one to five bytes, sparse arrays,
 * hash tables. All offsets are RVAs.
 *
 * The image is untrusted. A reader that leaves the file has failed and stays failed: every later read gives 0. */
#ifndef ECMA335_READY_TO_RUN_NATIVE_FORMAT_H
#define ECMA335_READY_TO_RUN_NATIVE_FORMAT_H

#include "pe/image.h"

typedef struct nf_reader {
    const pe_image *image;
    pe_section_hint hint;
    uint32_t at;
    bool failed;
} nf_reader;

uint8_t nf_u8(nf_reader *r);
uint32_t nf_unsigned(nf_reader *r);
int32_t nf_signed(nf_reader *r);
/* A number of a metadata signature (II.23.2). */
uint32_t nf_compressed(nf_reader *r);

/* ---- Sparse arrays ---------------------------------------------------------------------------------------------- */

/* Blocks of 16 elements, each a tree over the bits of an index. */
enum { NF_BLOCK = 16 };

typedef struct nf_array {
    pe_directory place;
    uint32_t base;  /* where the offsets of the blocks stand, from which they count */
    uint32_t count; /* indexes are below it */
    uint8_t width;  /* of an offset, in bytes */
} nf_array;

/* False when its head or its blocks' offsets do not lie in `place`. */
bool nf_array_open(nf_array *a, const pe_image *image, pe_directory place);

/* Puts the reader at the element of an index; false when there is none, or the reader has failed. */
bool nf_array_find(const nf_array *a, nf_reader *r, uint32_t index);

/* ---- Hash tables ------------------------------------------------------------------------------------------------ */

typedef struct nf_table {
    pe_directory place;
    uint32_t base; /* where the offsets of the buckets stand, from which they count */
    uint32_t buckets;
    uint8_t width; /* of an offset, in bytes */
} nf_table;

bool nf_table_open(nf_table *t, const pe_image *image, pe_directory place);

/* A walk over all entries, bucket by bucket. Begins with nf_table_walk. */
typedef struct nf_walk {
    const nf_table *table;
    nf_reader reader; /* where the next entry stands */
    uint32_t bucket, end;
} nf_walk;

typedef struct nf_entry {
    uint32_t bucket;
    uint8_t low_hash;
    uint32_t rva; /* of the content */
} nf_entry;

void nf_table_walk(nf_walk *w, const nf_table *t, const pe_image *image);
/* False after the last one, or when walk.reader has failed. */
bool nf_table_next(nf_walk *w, nf_entry *e);

#endif
