/* name_filter.h - which functions a report is about: those that one of some patterns names (docs/configuration.md).
 *
 * A pattern stands for all that is in what it names: by metadata names, as when instrumenting, or by those that the
 * report shows, so that `App.Main` finds the lambdas in Main too. */
#ifndef ILINJECT_SELECT_NAME_FILTER_H
#define ILINJECT_SELECT_NAME_FILTER_H

#include "base/diag.h"
#include "profile/names.h"
#include "select/pattern.h"

typedef struct filter {
    pattern *patterns;
    size_t count; /* 0: all functions are wanted */
} filter;

/* Compiles the patterns of an option into the arena. Returns ECMA_OK, ECMA_CONFIG (PATTERN is reported, with the
 * option), ECMA_NO_MEMORY. */
ecma_status filter_compile(filter *f, const char *option, const char *const *patterns, size_t count, arena *a, diag *d);

/* A method that a filter is asked about. */
typedef struct filter_method {
    bytes assembly;    /* full name */
    const names *n;    /* NULL when the names are missing */
    uint32_t method;   /* its index in them */
    bytes shown;       /* the name that the report shows */
    names_parts parts; /* where its parts end */
} filter_method;

/* True if the filter lets the method through. `scratch` is written over; when it has failed, memory ran out. */
bool filter_wants(const filter *f, const filter_method *m, buffer *scratch);

/* Which of a method's names, as the metadata has them, does a pattern without an attribute match? Its assembly is not
 * looked at. */
typedef enum filter_match { FILTER_NOT, FILTER_AROUND /* its namespace or type */, FILTER_METHOD } filter_match;
filter_match filter_match_method(const pattern *p, const names *n, uint32_t method, buffer *scratch);

/* Appends the pattern that names this method alone, in the module of that assembly:
 * `Shop.Repository`1.<Load>d__3.MoveNext()`. It is valid UTF-8, without control characters; `?`
 * stands for what a pattern cannot say. False when there is no such pattern, or memory ran out (`b` says so). */
bool filter_pattern_of(buffer *b, const names *n, uint32_t method);

#endif
