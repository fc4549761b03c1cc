/* names_columns.h - columns of the names resource, as its version has them (docs/profile-format.md, section 2). */
#ifndef ILINJECT_PROFILE_NAMES_COLUMNS_H
#define ILINJECT_PROFILE_NAMES_COLUMNS_H

#include "base/bytes.h"

typedef struct columns {
    reader *r;
    uint32_t *texts; /* room for where those of a column stand; NULL: version 1, all stand one after another */
    uint64_t value;  /* of a run */
    uint64_t left;
} columns;

/* Where the next text starts, which is passed over. */
uint32_t names_offset_of_text(reader *r);

/* The next number of a column that version 2 has by runs. */
uint64_t columns_next(columns *c);

/* Such a column ends: a run may not be longer. */
void columns_end(columns *c);

/* A column of texts, which version 2 has once, into a field of rows of `size` bytes. */
void columns_read_texts(columns *c, uint32_t count, void *field, size_t size);

#endif
