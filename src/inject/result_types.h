/* result_types.h - the types of what methods return, kept for recent signatures, which many methods
 * share. Starts all zero; owns nothing. */
#ifndef ILINJECT_INJECT_RESULT_TYPES_H
#define ILINJECT_INJECT_RESULT_TYPES_H

#include "metadata/view.h"

enum { RESULT_TYPES = 256 };

typedef struct result_types {
    struct {
        const uint8_t *signature;
        bytes type;
        bool known;
    } recent[RESULT_TYPES];
} result_types;

/* The type of what the method's IL returns, as guard_result_type (guard.h) has it: false when it is
 * none that a local can have, or the signature is empty or not understood. The signature is a blob
 * of the view. */
bool result_type_of(result_types *r, const md_view *view, bytes signature, bool runtime_async, bytes *type);

/* Is it a reference or a pointer? A verifier accepts such a result only from the stack: once a
 * local has kept it, nobody knows where it came from (ILVerify's ReturnPtrToStack). */
bool result_stays_on_stack(bytes type);

#endif
