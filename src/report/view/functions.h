/* functions.h - what a function is, beside its figures. */
#ifndef ILINJECT_REPORT_VIEW_FUNCTIONS_H
#define ILINJECT_REPORT_VIEW_FUNCTIONS_H

#include "report/model/model.h"

typedef struct view_function {
    bytes name, type, method; /* without what says that it is async or an iterator; its type's, and its own */
    uint32_t module;          /* position */
    bool has_module;
    bytes assembly, module_name; /* empty: not known */
    uint32_t token;              /* of a MethodDef; 0: it has none */
    const char *machine;         /* "async"; empty: it is no state machine's */
    const char *part;            /* of a leaf, or of the text of a command: what it is about; NULL: it is neither */
    bool command;                /* that text */
    bool outermost;              /* a method that is left out for a price, but for its outermost calls */
    bytes route;                 /* of an endpoint; empty: it is none */
} view_function;

view_function view_function_of(const report *r, const report_function *f);

#endif
