/* call.h - one call of a tool: its arguments, the result that grows, and what tools have in common. */
#ifndef ILINJECT_MCP_CALL_H
#define ILINJECT_MCP_CALL_H

#include "mcp/messages.h"
#include "mcp/store.h"

/* An answer has at most ANSWER_BYTES of JSON, 2,000 tokens; rows are added as long as they leave room for the rest. */
enum { ANSWER_BYTES = 8000, TEXT_BYTES = 240 };

struct ilj_mcp {
    ilj_context *context;
    char *root;    /* absolute, without symbolic links */
    char *program; /* NULL: nothing is started */
    mcp_store store;
    uint32_t expected; /* a file that is likely to be asked for next: it is read while nothing is asked; STORE_NONE */
    messages in;
    struct mcp_tools *tools; /* tools.h */
};

typedef struct mcp_call {
    ilj_mcp *mcp;
    const json_t *arguments; /* they fit the tool's schema */
    json_t *result;          /* an object */
    uint64_t stamp;          /* of all that a cursor goes on in: arguments and files */
    uint32_t rows;
    size_t taken;   /* bytes of the result so far, once there is a row */
    buffer problem; /* what the caller can mend; empty: the result counts */
    buffer scratch;
    bool no_memory;
} mcp_call;

/* ---- Arguments -------------------------------------------------------------------------------------------------- */

/* NULL: not given. */
const char *call_argument(const mcp_call *c, const char *name);

/* Says what the caller can mend; returns false. */
bool call_fail(mcp_call *c, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The number of the file that "p3" or a path below the root means; STORE_NONE: none, which is said. */
uint32_t call_path(mcp_call *c, const char *argument);

/* The path of a folder, the root or below it, for the caller to free; NULL: there is none, which is said. */
char *call_folder(mcp_call *c, const char *argument);

/* The profile that the argument `profile` names, with its tree; NULL: there is none, which is said. */
mcp_profile *call_profile(mcp_call *c);

/* The same of the numbers of two files; `tree` is false where none is needed: they are loaded side by side. */
bool call_profiles(mcp_call *c, mcp_profile *found[2], const uint32_t ids[2], bool tree);

/* The function that "m17", or a name, means; NULL: none, or several, which is said. */
const report_function *call_function(mcp_call *c, const mcp_profile *p, const char *argument);

/* ---- Results: each takes over the value that it is given; NULL: memory ran out --------------------------------- */

void call_set(mcp_call *c, json_t *object, const char *key, json_t *value);
void call_append(mcp_call *c, json_t *array, json_t *value);
/* A new object or array that is already there, borrowed. */
json_t *call_object(mcp_call *c, json_t *object, const char *key);
json_t *call_array(mcp_call *c, json_t *object, const char *key);

void call_word(mcp_call *c, json_t *object, const char *key, const char *word);
/* In UTF-8 on one line, cut after TEXT_BYTES. */
json_t *call_string(mcp_call *c, bytes text);
void call_text(mcp_call *c, json_t *object, const char *key, bytes text);
void call_number(mcp_call *c, json_t *object, const char *key, uint64_t number);
/* With one decimal, of a whole that is not 0. */
void call_percent(mcp_call *c, json_t *object, const char *key, uint64_t part, uint64_t whole);

/* "p3" and the path below the root. */
void call_file(mcp_call *c, json_t *object, const char *key, uint32_t id);

/* The method's id, name, file and line. */
void call_method(mcp_call *c, json_t *object, const mcp_profile *p, const report_function *f);
/* A time with its ends where these are far apart. */
void call_time(mcp_call *c, json_t *object, const char *key, const mcp_profile *p, uint64_t ns, uint64_t low_ns,
               uint64_t high_ns);
/* All figures of a function that are not 0: calls, times, waits, bytes, objects, exceptions. */
void call_figures(mcp_call *c, json_t *object, const mcp_profile *p, const report_function *f);

/* ---- Rows ------------------------------------------------------------------------------------------------------- */

/* The position that the argument `cursor` names, 0 without one; false: it is none of this call's, which is said. */
bool call_begin_rows(mcp_call *c, uint32_t *first);
/* The bytes that a value takes in an answer. */
size_t call_bytes(const json_t *value);
/* Appends a row if there is room. */
bool call_row(mcp_call *c, json_t *array, json_t *row);
/* Sets the cursor `next` to a position. */
void call_next(mcp_call *c, uint32_t position);

#endif
