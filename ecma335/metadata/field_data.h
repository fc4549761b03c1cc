/* field_data.h - how many bytes the initial data of a field has (II.16.3.1, FieldRVA): rows give only where it starts.
 */
#ifndef ECMA335_METADATA_FIELD_DATA_H
#define ECMA335_METADATA_FIELD_DATA_H

#include "metadata/view.h"

/* By TypeDef row: ClassSize of its ClassLayout, or 0. In the arena; NULL when memory ran out. */
uint32_t *md_class_sizes(const md_view *view, arena *a);

/* Bytes that a field of this row takes; 0: not known, as it is for types of other assemblies and enums. */
uint32_t md_field_size(const md_view *view, const uint32_t *class_sizes, uint32_t field_row);

#endif
