/* tracker.h - what a tracker assembly asks to be called with. Its signature is its configuration: nothing else selects
 * how methods are instrumented.
 *
 * Known shapes of WhenEnteringMethod: (), (int32 id), (string name), (RuntimeMethodHandle method), each returning void
 * or a token of a primitive type, string or object. WhenLeavingMethod: the token's type when there is a token; else (),
 * (int32 id), (string name), (RuntimeMethodHandle method). After that, enter may take an object[], the arguments, and
 * leave an object, or the T of a generic WhenLeavingMethod<T>: the result (docs/api.md). A tracker with `int32
 * Register(RuntimeTypeHandle, int32)` gets ids that are unique in the process (docs/profile-format.md, section 1), and
 * with `void Configure(string)` beside it the settings that an output brings with it.
 *
 * The other methods are rows of facts/tracker_methods.def. A group of them counts when the tracker has all of it. Those
 * for switches: it gets an array of a byte for each of the module's ids, and is called where a method is entered as
 * long as its byte is 0. WhenCounting: it can be asked to count alone, and then that is called at the head of each
 * method, and nothing else. Those of the guarded shape, and those for async methods, are called each when the tracker
 * has it; the latter need an `int32 WhenEnteringMethod(int32)`. */
#ifndef ILINJECT_TRACKER_TRACKER_H
#define ILINJECT_TRACKER_TRACKER_H

#include "input/image.h"
#include "tracker/methods.h"

typedef enum tracker_argument {
    TRACKER_NOTHING,
    TRACKER_ID,
    TRACKER_NAME,
    TRACKER_HANDLE,
    TRACKER_TOKEN, /* what enter returned */
} tracker_argument;

/* How leave takes what the method returns. */
typedef enum tracker_result { TRACKER_NO_RESULT, TRACKER_OBJECT_RESULT, TRACKER_TYPED } tracker_result;

#define TRACKER_DEFAULT_TYPE "Instrumenter.ProfileInfoTracker"
#define TRACKER_SPANS_FILE   "ILInject.Spans.dll"

typedef struct tracker {
    bytes file; /* borrowed from the image that it was read from, as are the strings below; or the program's own */
    const char *assembly_name;
    uint16_t version[4];
    const char *culture;
    uint8_t public_key_token[8];
    bool has_public_key;
    const char *type_namespace;
    const char *type_name;
    tracker_argument enter, leave;
    bool takes_arguments;  /* enter takes an object[] as well */
    tracker_result result; /* leave takes it as well */
    uint8_t token_element; /* element type of what enter returns; MD_ELEMENT_VOID: nothing */
    bool registers;
    bool guards[TRACKER_GUARD_METHODS]; /* which methods of the guarded shape it has */
    bool has[TRACKER_METHODS];
    bool can[TRACKER_GROUPS]; /* has all methods of a group, with what the group requires */
    bool only_counts;         /* WhenCounting is all that it is called by: tracker_count_only */
} tracker;

/* Reads the shapes of `type` (full name). Returns ECMA_OK, ECMA_CONFIG (reported to d), ECMA_NO_MEMORY. */
ecma_status tracker_read(tracker *t, ilj_image *image, const char *type, diag *d);

/* Changes it so that the only call to it is WhenCounting, at each method's beginning. Returns ECMA_OK, ECMA_CONFIG
 * (reported to d): it cannot. */
ecma_status tracker_count_only(tracker *t, diag *d);

/* True if the tracker has methods for the events of state machines. */
bool tracker_is_told_of_machines(const tracker *t);

/* The bytes of the built-in tracker assembly. */
bytes tracker_built_in(void);

/* The same assembly with native code (ReadyToRun) for .NET on one system and processor. Size 0: the program carries
 * none. */
bytes tracker_compiled(void);

/* The machine word (II.25.2.2, with the system's mask) of images that run only where tracker_compiled does. 0: none. */
uint16_t tracker_compiled_machine(void);

/* .NET's name of the system and processor that tracker_compiled is for; NULL: there is none. */
const char *tracker_compiled_rid(void);

/* What tracker_read would say of TRACKER_DEFAULT_TYPE in those bytes. */
void tracker_take_built_in(tracker *t);

/* The tracker that makes spans of calls (src/spans); nothing of it is read. */
void tracker_take_spans(tracker *t);

#endif
