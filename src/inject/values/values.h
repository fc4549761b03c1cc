/* values.h - the values that a tracker of one's own takes (tracker.h): a method's arguments in an object[], its result
 * as an object or as the T of a generic method.
 *
 * Nothing is loaded but parameters and the result, so that it holds in a constructor, too, before another one is
 * called. A value that is no object and can be none (a pointer, a ref struct) is null. Value types of other assemblies
 * may turn out to be ref structs when the program runs; what boxes them stands in methods of their own, and whether
 * these compile is found out once (docs/decisions/07-values.md). */
#ifndef ILINJECT_INJECT_VALUES_VALUES_H
#define ILINJECT_INJECT_VALUES_VALUES_H

#include "inject/module/type_table.h"
#include "inject/values/capture_types.h"
#include "tracker/references.h"

typedef struct values {
    ilj_image *image;
    md_edit *edit;
    references *refs;
    const tracker *tracker; /* that takes such values; NULL: it does not */
    attribute_marks by_ref_like;
    type_table types;
    uint32_t foreign_count;
    buffer signature, code; /* scratch */
    bool failed;            /* memory ran out */
} values;

enum { VALUES_ARGUMENTS_DEPTH = 5, VALUES_RESULT_DEPTH = 2 }; /* stack, beside what is there */

/* Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status values_begin(values *v, ilj_image *image, md_edit *edit, references *refs, const tracker *t);
void values_clear(values *v);

/* Appends what leaves an object[] with the method's arguments on the stack. */
void values_add_arguments(values *v, buffer *code, uint32_t method_row);

/* Appends what hands over the result of this type, which is in a local, and the call of the tracker's leave, whose
 * other argument is on the stack already. An empty type: there is no result. */
void values_add_leave(values *v, buffer *code, uint32_t method_row, uint32_t result, bytes type);

#endif
