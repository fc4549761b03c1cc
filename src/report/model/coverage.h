/* coverage.h - all methods of the source that were instrumented, with their calls; most reports have only
 * those that were called.
 *
 * Methods of profiles are one where assembly and full name are the same, so that builds of different days add up; those
 * of the same name by their order. A method with its body in a MoveNext counts as called when that has run: the call of
 * an iterator runs nothing of it. */
#ifndef ILINJECT_REPORT_MODEL_COVERAGE_H
#define ILINJECT_REPORT_MODEL_COVERAGE_H

#include "report/model/model.h"

typedef struct covered {
    bytes assembly;           /* simple name */
    report_function function; /* its names and method alone, and its full name */
    uint64_t calls;           /* of all profiles */
    uint32_t unit, ordinal;   /* position of its names; position among those with its name there */
    bool made;                /* by a compiler alone: an accessor of an automatic property, a member of a record */
} covered;

/* All zero, coverage_make, use, coverage_clear. In the order of assemblies and names. */
typedef struct coverage {
    covered *list;
    uint32_t count, capacity;
    arena memory;
} coverage;

/* False when memory ran out. */
bool coverage_make(coverage *c, const aggregate *a);
void coverage_clear(coverage *c);

/* Appends the type as the metadata has it, `Shop.Outer/Inner`1`, of closures and state machines the one that
 * they were written in; and the method: `.ctor`, `get_Count`, `Main.lambda#1`. */
void coverage_type_name(buffer *b, const covered *c);
void coverage_method_name(buffer *b, const covered *c);

bool coverage_is_accessor(const covered *c);
bool coverage_is_excluded(const covered *c); /* by [ExcludeFromCodeCoverage] */

/* Does its type stand in a source? Anonymous types, for example, do not. */
bool coverage_has_type(const covered *c);

/* Why a method that was never called may be called all the same, as far as its name says; NULL: nothing is known. */
const char *coverage_reason(const covered *c);

#endif
