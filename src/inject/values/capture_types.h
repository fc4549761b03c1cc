/* capture_types.h - in which way a value of a static type can be handed over. */
#ifndef ILINJECT_INJECT_VALUES_CAPTURE_TYPES_H
#define ILINJECT_INJECT_VALUES_CAPTURE_TYPES_H

#include "input/image.h"
#include "select/attributes.h"

typedef enum capture_kind {
    CAPTURE_BY_TYPE, /* only its type is known: a ref struct, a pointer, what is not understood */
    CAPTURE_INTEGER, /* integers, bool, char: as a long */
    CAPTURE_REAL,    /* as a double */
    CAPTURE_OBJECT,  /* a reference */
    CAPTURE_VALUE,   /* of a value type, or of a type parameter: as a type argument */
    CAPTURE_FOREIGN, /* likewise, unless the type turns out to be a ref struct when the program runs */
} capture_kind;

typedef struct capture_type {
    capture_kind kind;
    uint8_t element; /* of integers and reals */
    bool by_ref;     /* a managed pointer to it; kind is then CAPTURE_VALUE, CAPTURE_FOREIGN or CAPTURE_BY_TYPE */
    bytes type;      /* without modifiers and the pointer */
} capture_type;

/* Finds the module's own ref structs. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status capture_find_by_ref_like(attribute_marks *marks, ilj_image *image);

/* Reads the type of a parameter, result or local at which `r` stands, in the signature of this method. `by_ref_like`
 * marks the module's own ref structs. */
capture_type capture_type_read(const ilj_image *image, const attribute_marks *by_ref_like, uint32_t method_row,
                               reader *r);

#endif
