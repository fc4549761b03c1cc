/* function.h - the functions of a report: methods, and scopes that the user measures, with the sums of all calls; and
 * the modules that they are in. */
#ifndef ILINJECT_REPORT_MODEL_FUNCTION_H
#define ILINJECT_REPORT_MODEL_FUNCTION_H

#include "profile/names.h"
#include "profile/profile.h"
#include "report/model/durations.h"
#include "select/leaf_parts.h"
#include "select/name_filter.h"
#include "util/map.h"

#define FUNCTION_BITS (1u << 28) /* functions, and what stands in place of one, are below */
enum { FUNCTIONS_MOST = (1 << 28) - 3 };

#define NO_MODULE UINT32_MAX /* of an id that belongs to no module of its profile */

/* In place of a function, for a profile's nodes that are none. */
#define FUNCTION_ROOT    ((uint32_t)FUNCTIONS_MOST + 2)
#define FUNCTION_UNSHOWN ((uint32_t)FUNCTIONS_MOST + 1) /* a count for a choice */
#define FUNCTION_FOLDED  ((uint32_t)FUNCTIONS_MOST)

typedef struct report_function {
    uint32_t module;    /* position, or NO_MODULE */
    uint32_t row;       /* in MethodDef; 0 when the names are missing */
    uint32_t number;    /* row, or the position among the module's instrumented methods, or the id without a module */
    uint32_t id;        /* its global id in the first profile that knows it */
    bool scope;         /* no method, but a scope that the user measures */
    bool leaf;          /* a method that is not instrumented: calls of it were (docs/leaves.md) */
    bool outermost;     /* a method that calls itself and is left out, but for its calls from outside of that */
    bool command;       /* a scope, too: the text of a leaf that is a database command */
    uint8_t root;       /* NAMES_ROOT_TEST and so on: a framework calls it, or it is an endpoint; 0: none is known to */
    leaf_part part;     /* of a leaf and such a text: what it is about. From aggregate_finish */
    bool wanted;        /* the filter lets it through */
    const names *names; /* the list that it is `method` of; NULL: the names are missing */
    uint32_t method;
    uint32_t rank; /* position by name, then by module and number; from aggregate_finish */
    bytes name;    /* full name */
    names_parts parts;
    uint32_t machine; /* a profile_machine: of what kind its MoveNext is, which has run */
    uint64_t calls;   /* of itself */
    uint64_t steps;   /* calls of its MoveNext; of a runtime-async method its slices but the first of each call */
    uint64_t by_exception, resynchronised, open;
    uint64_t open_slices; /* of the open frames, with those of calls that had ended */
    profile_times times;
    durations
        durations; /* of its own calls, without those of its MoveNext; not known when they are apart or displaced */
    /* For all its calls, also those below others of its own: an average is made of it. Not for those that were folded
     * where the profile does not say what they took. */
    uint64_t averaged_calls;
    profile_times averaged; /* the inclusive ones alone */
    bool displaced;         /* the logical order gave its calls other times than their frames had (logical.h) */
    bool by_ticks;          /* most of its time is known by ticks of a clock (ticks.h) */
    bool apart; /* slices or steps of its calls ran in frames of their own, so that no frame's time is a call's */
    uint64_t probe_ns;           /* that its calls have cost, it and its callers */
    profile_figures figures;     /* of its own code */
    profile_figures all_figures; /* with what it called, each call once */
    uint64_t waiting_ns;         /* in which its threads were blocked in its own code: no part of its exclusive time */
    uint32_t active;             /* nodes of it on the path that is being walked */
} report_function;

/* Calls of the function will be added soon. */
static inline void function_foresee(const report_function *f) {
    enum { LINE = 64 };
    for (size_t at = offsetof(report_function, calls); at < offsetof(report_function, probe_ns) + LINE; at += LINE)
        __builtin_prefetch((const char *)f + at, 1);
    __builtin_prefetch(&f->active, 1);
}

/* The full name without what says that it is async or an iterator. */
static inline bytes function_plain_name(const report_function *f) {
    return (bytes){f->name.data, f->parts.suffix};
}

/* Does it wait while others work (src/naming/loops.def)? */
static inline bool function_is_loop(const report_function *f) {
    return f->names && (f->names->methods[f->method].flags & NAMES_LOOP) != 0;
}

typedef struct report_module {
    uint8_t mvid[16]; /* of the input; of the loaded module when the names are missing */
    bool named;
    uint32_t method_count, leaf_count; /* of the instrumenting that gave it most */
    bytes assembly;                    /* full name */
    bytes module;                      /* Module.Name; empty when the names are missing */
    bytes resource;                    /* that the names were read from */
    const names *names;
    uint32_t next_alike; /* the next module with the same hash, or MAP_NONE */
} report_module;

/* Names that were read: those of one module may be several, where it was instrumented with several selections. */
typedef struct list_names {
    uint32_t module; /* position */
    const names *names;
} list_names;

/* All functions and modules of the profiles that were matched so far (match.h). All zero at first but for the options;
 * function_list_clear. */
typedef struct function_list {
    bool raw_names; /* option: names as they stand in the metadata */
    filter filter;  /* option: the functions that are wanted */
    report_function *functions;
    uint32_t function_count, function_capacity;
    report_module *modules;
    uint32_t module_count, module_capacity;
    list_names *read;
    uint32_t read_count, read_capacity;
    map function_map, module_map;
    arena memory;   /* names */
    buffer scratch; /* the name that is being made */
    names_room names_room;
    size_t text_bytes; /* of full names so far */
    bool has_roots;    /* one of the functions is called by a framework, or a root that the user named */
    bool has_entry;    /* one of the functions is a `<Main>`: the compiler makes it where Main is async */
} function_list;

/* The simple name of the assembly that a function is in; empty: not known. */
static inline bytes function_assembly(const function_list *list, const report_function *f) {
    return f->module == NO_MODULE ? (bytes){0} : names_assembly_name(list->modules[f->module].assembly);
}

#endif
