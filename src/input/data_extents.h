/* data_extents.h - where the initial data of fields lies, and how far it reaches. The size is that of the field's type,
 * as far as this assembly says it; else one byte counts. Data that would leave its section ends with it: no loader
 * takes more of it. */
#ifndef ILINJECT_INPUT_DATA_EXTENTS_H
#define ILINJECT_INPUT_DATA_EXTENTS_H

#include "input/image.h"

typedef struct data_extent {
    uint32_t row; /* FieldRVA */
    uint32_t rva, size;
} data_extent;

typedef struct data_extents {
    data_extent *list; /* ascending in RVA, of the rows that lead into a section; in the image's arena */
    uint32_t count;
} data_extents;

/* Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status data_extents_find(data_extents *found, ilj_image *image);

/* The first row with data that begins at this RVA, or NULL. */
const data_extent *data_extents_at(const data_extents *data, uint32_t rva);

#endif
