/* options.h - the command line as a table: one row an option, from which parsing, help and suggestions come.
 *
 * A command keeps what it was reported in a structure of its own that starts with `common_settings`; a row says at
 * which offset its value goes. Strings point into argv. */
#ifndef ILINJECT_CLI_OPTIONS_H
#define ILINJECT_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

typedef enum option_kind {
    OPTION_FLAG,   /* bool: becomes true */
    OPTION_SET,    /* int: becomes `set`; short for a choice */
    OPTION_TEXT,   /* const char * */
    OPTION_NUMBER, /* unsigned */
    OPTION_LIST,   /* option_list: one more, with `set` */
    OPTION_LISTED, /* option_list: one more; without "=" its value is empty, and never the next argument */
    OPTION_CHOICE, /* int: position in `value`, "text|tree|json"; after "||" stand older names, from the first on */
    OPTION_MAYBE,  /* int: 1; with "=" 2 and the position in `value`; never the next argument */
} option_kind;

/* The names of a list of the public header, as the value of an OPTION_CHOICE. */
#define FIRST_CHOICE(id, name) name
#define NEXT_CHOICE(id, name)  "|" name

typedef struct option_row {
    const char *name; /* without the dashes; NULL ends a table */
    char letter;      /* short form, or 0 */
    option_kind kind;
    size_t offset;
    int set;           /* for OPTION_SET and OPTION_LIST */
    const char *value; /* what stands after the name in help ("FILE"), or the choices; NULL for FLAG and SET */
    const char *help;  /* NULL: an older spelling, which help and suggestions leave out */
} option_row;

/* The values of options that may be repeated, in the order of the command line; several options may share one list.
 * options_parse appends; the array is malloc's and lives as long as the settings. */
typedef struct option_list {
    struct option_item {
        int set; /* of its row */
        const char *value;
    } * items;
    size_t count;
} option_list;

/* Its values, NULL at their end; the array is for the caller to free. NULL: memory ran out. */
const char **option_values(const option_list *list);

/* Options that every command understands. */
typedef struct common_settings {
    int help; /* 0: no; 1: --help; 2: --help=all */
    bool version;
    bool quiet;
    int color; /* a color_choice */
} common_settings;

extern const option_row common_options[];

/* The fault of a command line, in one line; empty: none. */
typedef struct usage_error {
    char text[256];
    bool no_memory; /* nothing is wrong: memory ran out */
} usage_error;

typedef struct arguments {
    char **items;
    size_t count;
    size_t before_dashes; /* those that stand before "--"; all when there is none */
    bool has_dashes;
} arguments;

/* Where options end: after "--" in any case. */
typedef enum option_end {
    OPTIONS_ANYWHERE,
    OPTIONS_BEFORE_OPERANDS, /* the first operand begins a command with options of its own */
    OPTIONS_ON_BOTH_SIDES,   /* the first "--" parts the operands, only a second one ends the options */
} option_end;

/* Sorts out arguments, which are operands->items at first: options go to `settings`, the rest stays, in order and in
 * the same array. After the "--" that ends the options all are operands; "-" is one. Long options are written
 * --name=value or --name value, short ones also joined (-qv, -oFILE). False: `error` says why. */
bool options_parse(arguments *operands, usage_error *error, void *settings, const option_row *table, option_end end);

/* True if the argument is an option that takes the next argument as its value. */
bool options_want_next(const option_row *table, const char *item);

/* How many of the leading arguments are common options with their values: the command's name comes next. */
size_t options_leading(char **items, size_t count);

/* How many bytes of the choices of an OPTION_CHOICE are shown: those before the older names. */
size_t options_choices_shown(const char *value);

/* The one of `names` (ended by NULL) that was probably meant by `given`; NULL when none is near. */
const char *nearest_name(const char *given, const char *const *names);

#endif
