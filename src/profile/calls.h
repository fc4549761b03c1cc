/* calls.h - calls that were seen with their values, section CALL of a profile (docs/profile-format.md), and their
 * values, which are read where they stand. */
#ifndef ILINJECT_PROFILE_CALLS_H
#define ILINJECT_PROFILE_CALLS_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/bytes.h"

typedef struct calls_rule {
    bytes text;
    uint64_t dropped; /* calls that have gone for want of room */
} calls_rule;

/* CALLS_ARGUMENTS and so on, of a method; CALLS_BY_TYPE and so on, of a parameter. */
enum {
#define METHOD(ID, value) CALLS_##ID = value,
#define PARAMETER         METHOD
#define CALL(ID, value)
#define CALL_FLAG(OF, ID, Member, value, meaning) OF(ID, value)
#include "facts/captured_calls.def"
#undef METHOD
#undef PARAMETER
#undef CALL
#undef CALL_FLAG
};
enum { CALLS_POSITION_THIS = -1, CALLS_POSITION_RESULT = -2, CALLS_BECOMES_FIRST = -3 }; /* a value's */

typedef struct calls_parameter {
    uint32_t flags;
    bytes name; /* empty: it has none */
} calls_parameter;

typedef struct calls_method {
    uint32_t id;
    uint64_t seen; /* calls, of which those below are some */
    uint32_t flags;
    calls_parameter *parameters;
    uint32_t parameter_count;
} calls_method;

typedef struct calls_call {
    uint32_t method; /* position */
    uint64_t thread; /* managed id */
    uint64_t start, ticks;
    bool thrown;
    /* A call of an async method: `ticks` lasts to its completion, or until the profile was written. */
    bool awaited, unended;
    bool cancelled;      /* the exception was a cancellation */
    bool lost;           /* how it ended is not known; `ticks` is the synchronous part */
    uint64_t first_part; /* the synchronous part: ticks up to the return to its caller; at least `ticks` when it had
                            ended before */
    uint32_t caller;     /* id; 0: none is known */
    bytes values;        /* `value_count` of them: folded position, value */
    uint32_t value_count;
    bytes exception; /* when thrown: a value */
} calls_call;

typedef struct calls {
    calls_rule *rules;
    calls_method *methods;
    calls_call *list; /* in the order of the section */
    uint32_t rule_count, method_count, count;
    bool there; /* the section is */
} calls;

/* Did the call go on after it had returned to its caller? */
static inline bool calls_went_on(const calls_call *c) {
    return c->awaited && (c->unended || c->lost || c->first_part < c->ticks);
}

/* The ticks that the method which began the call was under way at most: with its event in a timeline they end last. */
static inline uint64_t calls_frame_ticks(const calls_call *c) {
    return c->first_part > c->ticks ? c->first_part : c->ticks;
}

/* Passes over one value; false when it is none. */
bool calls_skip_value(reader *r);

/* The next of a call's values: its position and where it stands. */
bool calls_next_value(reader *r, int64_t *position, bytes *value);

/* The value at a position; false when there is none. */
bool calls_try_value(const calls_call *c, int64_t position, bytes *value);

/* An exception value: what it says, and the value after it, its inner exception or null. */
typedef struct calls_exception {
    bytes type, message, stack;
    bytes inner;
} calls_exception;

/* False when the value is none. */
bool calls_try_exception(bytes value, calls_exception *e);

/* Appends a value for people, about `most` bytes of it, and as JSON (docs/profile-format.md, section 4). What of an
 * object or a list has no room is an ellipsis; its brackets are closed. */
void calls_append_text(buffer *b, bytes value, size_t most);
void calls_append_json(buffer *b, bytes value);

#endif
