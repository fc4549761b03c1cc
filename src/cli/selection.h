/* selection.h - the options of list and instrument that say which methods are meant. */
#ifndef ILINJECT_CLI_SELECTION_H
#define ILINJECT_CLI_SELECTION_H

#include "command.h"

enum { SELECTION_UNSET = -1, RULE_SPANS = 2 };

typedef struct selection_settings {
    option_list rules; /* `set` is an ilj_rule_kind, or RULE_SPANS: an include, and no profile is made */
    option_list configs, captures, masks, leaves, roots;
    unsigned min_il_size; /* UINT_MAX: not given */
    bool skip_trivial_accessors;
    int compiler_generated; /* 0 yes, 1 no, SELECTION_UNSET */
    const char *overhead;   /* as it was given; NULL: not */
    option_list profiles;
    bool compiled_again; /* not an option of its own */
} selection_settings;

#define SELECTION_DEFAULTS                                                                                             \
    { .min_il_size = UINT_MAX, .compiler_generated = SELECTION_UNSET }

#define CAPTURE_ROWS(at)                                                                                               \
    {"capture",                                                                                                        \
     0,                                                                                                                \
     OPTION_LIST,                                                                                                      \
     (at) + offsetof(selection_settings, captures),                                                                    \
     0,                                                                                                                \
     "PATTERN[: WORDS]",                                                                                               \
     "record calls with their values: args, return, this, exception; which: first=N, every=N, slower=TIME, throws; "   \
     "how much: depth=N, string=N, items=N, bytes=SIZE"},                                                              \
    {                                                                                                                  \
        "mask", 0, OPTION_LIST, (at) + offsetof(selection_settings, masks), 0, "NAME",                                 \
            "with --capture: do not record values of this name, * stands for any characters; !NAME records it"         \
    }

/* Rows of an option table; `at` is the offset of the selection_settings. */
#define SELECTION_ROWS(at)                                                                                             \
    {"include",                                                                                                        \
     0,                                                                                                                \
     OPTION_LIST,                                                                                                      \
     (at) + offsetof(selection_settings, rules),                                                                       \
     ILJ_RULE_INCLUDE,                                                                                                 \
     "PATTERN",                                                                                                        \
     "select what PATTERN names, and leave out the rest when this is the first rule; may be repeated, the last rule "  \
     "that matches decides"},                                                                                          \
        {"exclude",                                                                                                    \
         0,                                                                                                            \
         OPTION_LIST,                                                                                                  \
         (at) + offsetof(selection_settings, rules),                                                                   \
         ILJ_RULE_EXCLUDE,                                                                                             \
         "PATTERN",                                                                                                    \
         "leave out what PATTERN names: [assembly]Namespace.Type.Method, with * and **, or @Attribute"},               \
        {"config",                                                                                                     \
         0,                                                                                                            \
         OPTION_LIST,                                                                                                  \
         (at) + offsetof(selection_settings, configs),                                                                 \
         0,                                                                                                            \
         "FILE",                                                                                                       \
         "read rules from an XML file; they come before those given here; may be repeated"},                           \
        {"min-il-size",                                                                                                \
         0,                                                                                                            \
         OPTION_NUMBER,                                                                                                \
         (at) + offsetof(selection_settings, min_il_size),                                                             \
         0,                                                                                                            \
         "N",                                                                                                          \
         "leave out methods with fewer than N bytes of IL"},                                                           \
        {"skip-trivial-accessors",                                                                                     \
         0,                                                                                                            \
         OPTION_FLAG,                                                                                                  \
         (at) + offsetof(selection_settings, skip_trivial_accessors),                                                  \
         0,                                                                                                            \
         NULL,                                                                                                         \
         "leave out getters and setters that only read or write a field"},                                             \
    {                                                                                                                  \
        "compiler-generated", 0, OPTION_CHOICE, (at) + offsetof(selection_settings, compiler_generated), 0, "yes|no",  \
            "no: leave out what the compiler made, lambdas and iterators too"                                          \
    }

/* Rows for the price. */
#define PRICE_ROWS(at)                                                                                                 \
    {"overhead",                                                                                                       \
     0,                                                                                                                \
     OPTION_TEXT,                                                                                                      \
     (at) + offsetof(selection_settings, overhead),                                                                    \
     0,                                                                                                                \
     "N%",                                                                                                             \
     "leave out methods until instrumenting costs at most N percent of processor time, 1 to 1000: by --profile "       \
     "those that are called most for what they show, else what looks as if it were inlined; any: leave out none"},     \
    {                                                                                                                  \
        "profile", 0, OPTION_LIST, (at) + offsetof(selection_settings, profiles), 0, "FILE",                           \
            "with --overhead: a profile of an earlier run, whose counts of calls decide; can be repeated"              \
    }

/* The row for methods with trees of their own. */
#define ROOT_ROWS(at)                                                                                                  \
    {                                                                                                                  \
        "root", 0, OPTION_LIST, (at) + offsetof(selection_settings, roots), 0, "PATTERN",                              \
            "report each call of what PATTERN names, or @Attribute, as a tree of its own, as tests are (--by=test)"    \
    }

/* The row for leaves. */
#define LEAF_ROWS(at)                                                                                                  \
    {                                                                                                                  \
        "leaves", 0, OPTION_LISTED, (at) + offsetof(selection_settings, leaves), 0, "PATTERN,...",                     \
            "record calls of code that is not instrumented, too: locks, waits, files, networks, databases, processes " \
            "and native code (default), or what PATTERN names; * is every call"                                        \
    }

/* The row for spans. */
#define SPANS_ROW(at)                                                                                                  \
    {                                                                                                                  \
        "spans", 0, OPTION_LIST, (at) + offsetof(selection_settings, rules), RULE_SPANS, "PATTERN",                    \
            "make no profile: calls of what PATTERN names are spans (System.Diagnostics.Activity); may be repeated"    \
    }

/* True if spans are asked for. */
bool selection_has_spans(const selection_settings *settings);

/* "10%" or "10": a price in percent, 1 to 1000; "any": 0. */
bool selection_try_percent(const char *text, unsigned *percent);

/* Refuses what the options cannot mean, as usage of the command. Returns EXIT_DONE or EXIT_USAGE. */
int selection_check(console *c, const command *of, const selection_settings *settings);

/* The selection asked for. Returns a value to exit with; EXIT_DONE: *selection is for the caller to free. */
int selection_make(ilj_selection **selection, console *c, ilj_context *context, const selection_settings *settings);

#endif
