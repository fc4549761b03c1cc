/* capture_rules.h - which calls are to be seen with their values, and what of them: the rules of --capture and --mask
 * (docs/capture.md). */
#ifndef ILINJECT_SELECT_CAPTURE_RULES_H
#define ILINJECT_SELECT_CAPTURE_RULES_H

#include "base/arena.h"
#include "base/bytes.h"
#include "base/diag.h"

/* The request of one rule. Limits that are 0 are not set, but `depth`, where 0 means no fields at all. */
typedef struct capture_rule {
    const char *text; /* as it was given, trimmed */
    bool arguments, result, self, exception;
    bool throws;        /* keep only calls that an exception left */
    uint32_t first;     /* keep only the first calls of each method ... */
    uint32_t every;     /* ... and every so manieth */
    uint64_t slower_ns; /* keep only calls that took longer */
    uint32_t depth;     /* of fields in fields */
    uint32_t string;    /* characters of a string */
    uint32_t items;     /* of an array or collection */
    uint64_t bytes;     /* that the rule's calls may take; older ones go */
    const char *fields; /* of objects, their names parted by +; NULL: all */
} capture_rule;

/* Splits "PATTERN: args, return; first=100" at its last colon, sets what is not said to what is usual, and copies both
 * parts into the arena. Returns ECMA_OK, ECMA_CONFIG (`problem` says in one line what is wrong), ECMA_NO_MEMORY. */
enum { CAPTURE_PROBLEM = 256 };
ecma_status capture_parse(capture_rule *rule, const char **pattern, const char *text, arena *a,
                          char problem[CAPTURE_PROBLEM]);

/* The same of the part after the colon alone; NULL: nothing is said. */
ecma_status capture_parse_values(capture_rule *rule, const char *values, arena *a, char problem[CAPTURE_PROBLEM]);

#endif
