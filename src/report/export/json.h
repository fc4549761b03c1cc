/* json.h - the report as JSON: all there is (docs/profile-format.md). */
#ifndef ILINJECT_REPORT_EXPORT_JSON_H
#define ILINJECT_REPORT_EXPORT_JSON_H

#include "report/model/model.h"
#include "report/print/print.h"

bool json_write(printer *out, const report *r);

/* A thread's tree of calls. `positions` are those of the functions. */
typedef struct json_tree {
    printer *out;
    const report *r;
    const profile_run *run;
    const matched_thread *t;
    const uint32_t *positions, *depths; /* of each function; of each node */
} json_tree;

/* -1 for a root, -2 for the root of folded calls. */
static inline int64_t json_function_of(const json_tree *w, uint32_t node) {
    const uint32_t function = w->t->nodes[node].function;
    return function == FUNCTION_ROOT ? -1 : function == FUNCTION_FOLDED ? -2 : (int64_t)w->positions[function];
}

/* An object with an array for each number that nodes have. */
void json_write_columns(const json_tree *w);

/* In JSON: a member, absent where nothing is a test or such. False: memory ran out. */
bool json_write_tests(printer *out, const report *r, const uint32_t *positions);

/* In JSON: a member, absent when no profile has such calls. `positions`: those of the functions. */
void json_write_calls(printer *out, const report *r, const uint32_t *positions);

#endif
