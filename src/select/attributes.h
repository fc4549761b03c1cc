/* attributes.h - which methods and types carry an attribute of a type that a pattern names. */
#ifndef ILINJECT_SELECT_ATTRIBUTES_H
#define ILINJECT_SELECT_ATTRIBUTES_H

#include "input/image.h"
#include "select/pattern.h"

typedef struct attribute_marks {
    bool any;              /* else the arrays are NULL */
    bool assembly;         /* on the assembly or its module */
    bool *types, *methods; /* by row; a property's or event's attribute counts for its accessors */
} attribute_marks;

/* The names of types are looked through first; the attributes only when one of them matches. The arrays live in the
 * image's arena. Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status attributes_find(attribute_marks *marks, ilj_image *image, const pattern *p);

#endif
