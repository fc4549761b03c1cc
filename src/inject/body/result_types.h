/* result_types.h - the types of what methods return, kept for recent signatures, which many methods
 * share. Starts all zero but for `no_runtime_async`; owns nothing. */
#ifndef ILINJECT_INJECT_BODY_RESULT_TYPES_H
#define ILINJECT_INJECT_BODY_RESULT_TYPES_H

#include "metadata/signature.h"
#include "metadata/view.h"

enum { RESULT_TYPES_BITS = 8, RESULT_TYPES = 1 << RESULT_TYPES_BITS };

typedef struct result_types {
    bool no_runtime_async; /* the module has no method that the runtime suspends */
    struct {
        uint32_t signature; /* 1 and its offset in #Blob; 0: none */
        uint16_t at, size;  /* of the type, in the signature; size 0: nothing is returned */
    } recent[RESULT_TYPES];
} result_types;

/* The result of a method's IL. Starts all zero. */
typedef struct returned {
    bool asked;         /* the others mean something */
    bool known;         /* md_result_type (guard.h) tells the type */
    bool runtime_async; /* the method is one that the runtime suspends */
    bytes signature;    /* the method's, borrowed from the view; empty when it cannot be read */
    bytes type;         /* empty when nothing is returned or the type is not known */
} returned;

/* Finds it, when it is first asked for. */
void result_find(result_types *r, const md_view *view, uint32_t method_row, returned *what);

/* Is it a reference or a pointer, of a function, too? A verifier accepts such a result only from the stack: once a
 * local has kept it, nobody knows where it came from (ILVerify's ReturnPtrToStack). */
static inline bool result_stays_on_stack(bytes type) {
    return type.size &&
           (type.data[0] == MD_ELEMENT_BYREF || type.data[0] == MD_ELEMENT_PTR || type.data[0] == MD_ELEMENT_FNPTR);
}

#endif
