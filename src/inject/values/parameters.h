/* parameters.h - a method's parameters, one after another, as what can be read of them. */
#ifndef ILINJECT_INJECT_VALUES_PARAMETERS_H
#define ILINJECT_INJECT_VALUES_PARAMETERS_H

#include "inject/values/capture_types.h"

typedef struct parameters {
    const ilj_image *image;
    const attribute_marks *by_ref_like;
    uint32_t method_row;
    reader r; /* at the next one's type */
    uint32_t count, next;
    uint32_t first; /* argument */
    bool is_instance, is_constructor;
    md_run rows;
} parameters;

typedef struct parameter {
    capture_type type;
    uint32_t position;  /* from 0 */
    uint32_t argument;  /* likewise, with `this` */
    uint32_t row;       /* of Param; 0: it has none */
    bool before, after; /* it has a value before the call; one of interest after it */
} parameter;

/* false when the signature is not understood. */
bool parameters_begin(parameters *p, const ilj_image *image, const attribute_marks *by_ref_like, uint32_t method_row);

/* false at the end. */
bool parameters_next(parameters *p, parameter *out);

#endif
