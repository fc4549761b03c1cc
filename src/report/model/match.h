/* match.h - profiles matched to functions: which function each node and each call of a profile counts for.
 *
 * The stages of a profile's thread: as recorded (profile.h), corrected (correct.h, splice.h), matched, folded (fold.h).
 * Each has types of its own; none writes to an earlier one. */
#ifndef ILINJECT_REPORT_MODEL_MATCH_H
#define ILINJECT_REPORT_MODEL_MATCH_H

#include "profile/correct.h"
#include "report/model/function.h"

/* The function that a node counts for, and what the node's method is to it. */
typedef struct matched_node {
    uint32_t function : 28; /* position, or FUNCTION_ROOT, FUNCTION_FOLDED, FUNCTION_UNSHOWN */
    uint32_t machine : 4;   /* a profile_machine */
} matched_node;
_Static_assert(FUNCTION_ROOT < 1 << 28 && (int)PROFILE_RUNTIME_ASYNC < 16, "a matched node has bits for them");

typedef struct matched_thread {
    corrected_thread corrected;
    matched_node *nodes;  /* of each node */
    uint32_t *async;      /* of each async node: the function; FUNCTION_ROOT of the root */
    uint32_t *histograms; /* of each histogram: the function whose calls it is of; FUNCTION_ROOT: of its steps */
    uint32_t *below;      /* of each method of BELO, one entry after another: the function */
} matched_thread;

#define MATCHED_THREAD_INIT ((matched_thread){.nodes = NULL})

typedef struct matched_profile {
    bool keep_threads;       /* option: the threads stay, not only the calls */
    bool uses_up;            /* option: the profile's nodes go as soon as they have been added */
    matched_thread *threads; /* as the profile's */
    uint32_t thread_count;   /* 0 unless they were to stay */
    uint32_t *methods;       /* of each method whose calls were seen with their values: the function */
    uint32_t *callers;       /* of each such call: the function that called, or FUNCTION_ROOT */
} matched_profile;

#define MATCHED_PROFILE_INIT ((matched_profile){0})

/* A profile that is being matched: MATCHING_INIT, match_start, use, match_end. */
typedef struct matching {
    function_list *list;
    const profile *p;
    struct match_module *modules; /* as the profile's */
    const profile_module *last;   /* that an id was of; NULL at first */
    bool any_unshown;             /* one of them has counts for a choice, which are no function's */
} matching;

#define MATCHING_INIT ((matching){0})

/* Adds the profile's modules to the list. Tells PROFILE_NAMES for each whose names are missing or damaged. Returns
 * ECMA_OK, ECMA_NO_MEMORY. */
ecma_status match_start(matching *m, function_list *list, const profile *p, diag *d);
void match_end(matching *m);

/* The function that an id means, which is made when the list has none; *machine: what the id's method is to it.
 * FUNCTION_ROOT when memory ran out, or the list has FUNCTIONS_MOST. */
uint32_t match_function(matching *m, uint32_t id, profile_machine *machine);

/* The function that an id means, if the list has it, else FUNCTION_ROOT; *module: the position of its module. */
uint32_t match_known(const matching *m, uint32_t id, uint32_t *module);

/* The function that a method of the profile's module means, by its position in the names, if match_function was asked
 * for it; else FUNCTION_ROOT. Both positions are good ones. */
uint32_t match_asked(const matching *m, uint32_t module, uint32_t method);

/* The same function with its name, whether the list has it or not, and without figures. False when memory ran out. */
bool match_describe(matching *m, uint32_t id, report_function *f);

/* Is it `<Main>`, which the compiler makes where Main is async? It does nothing but wait. */
bool match_is_entry(const report_function *f);

/* The names by which the profile's module at this position numbers its methods; NULL when they are missing. */
const names *match_names(const matching *m, uint32_t module);

/* Matches a thread that was corrected, or the calls of the profile. False when memory ran out. */
bool match_thread(matching *m, matched_thread *t);
bool match_calls(matching *m, matched_profile *of);

void matched_thread_clear(matched_thread *t);
void matched_profile_clear(matched_profile *p);

void function_list_clear(function_list *list);

#endif
