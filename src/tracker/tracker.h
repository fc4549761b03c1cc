/* tracker.h - what a tracker assembly asks to be called with. Its signature is its configuration: nothing else selects
 * how methods are instrumented.
 *
 * Known shapes of WhenEnteringMethod: (), (int32 id), (string name), (RuntimeMethodHandle method), each returning void
 * or a token of a primitive type, string or object. WhenLeavingMethod: the token's type when there is a token; else (),
 * (int32 id), (string name), (RuntimeMethodHandle method). Behind that, enter may take an object[], the arguments, and
 * leave an object, or the T of a generic WhenLeavingMethod<T>: the result (docs/own-tracker.md). A tracker with `int32
 * Register(RuntimeTypeHandle, int32)` gets ids that are unique in the process (docs/profile-format.md, section 1), and
 * with `void Configure(string)` beside it the settings that an output brings with it.
 *
 * One with the methods of tracker_switch_methods beside it gets an array of a byte for each of the module's ids, and is
 * called where a method is entered as long as its byte is 0.
 *
 * One with `void WhenCounting(int32 id)` beside a Register can be asked to count alone: then that is called at the head
 * of each method, and nothing else.
 *
 * In the guarded shape these are called, too, by a tracker's having them; "(…)" is what WhenLeavingMethod takes
 * but the result: void WhenLeavingByException(…), void WhenCatching(object, …), void WhenUnwinding(…), void
 * WhenFiltering(object, …), bool WhenExceptionPasses(object, …).
 *
 * In the MoveNext of async state machines, and in async methods without one, the methods of tracker_machine_methods are
 * called, each when the tracker has it; they need an `int32 WhenEnteringMethod(int32)`. */
#ifndef ILINJECT_TRACKER_TRACKER_H
#define ILINJECT_TRACKER_TRACKER_H

#include "input/image.h"

typedef enum tracker_argument {
    TRACKER_NOTHING,
    TRACKER_ID,
    TRACKER_NAME,
    TRACKER_HANDLE,
    TRACKER_TOKEN, /* what enter returned */
} tracker_argument;

/* How leave takes what the method returns. */
typedef enum tracker_result { TRACKER_NO_RESULT, TRACKER_OBJECT_RESULT, TRACKER_TYPED } tracker_result;

/* In state machines: int32 WhenEnteringStateMachine(int32 id, int32 starter), bool WantsIdentity(int32 token), void
 * WhenIdentified(object, int32 token), void WhenSuspending(int32 token), void WhenCompleting(int32 token), void
 * WhenFailing(object exception, int32 token); void WhenBuilderIdentifies(object builder, int32 token) and void
 * WhenHolding(object exception, int32 token), which only modules name that have a machine for it. In methods that the
 * runtime suspends: object WhenEnteringAsync(int32 id), void WhenAwaiting(object call), void WhenResuming(object call),
 * void WhenLeavingAsync(object call), void WhenFailingAsync(object call). */
typedef enum tracker_machine_method {
    TRACKER_ENTERS_MACHINE,
    TRACKER_WANTS_IDENTITY,
    TRACKER_IDENTIFIED,
    TRACKER_SUSPENDING,
    TRACKER_COMPLETING,
    TRACKER_FAILING,
    TRACKER_BUILDER_IDENTIFIES,
    TRACKER_HOLDING,
    TRACKER_ENTERS_ASYNC,
    TRACKER_AWAITING,
    TRACKER_RESUMING,
    TRACKER_LEAVES_ASYNC,
    TRACKER_FAILS_ASYNC,
    TRACKER_MACHINE_METHODS,
    TRACKER_FIRST_ASYNC = TRACKER_ENTERS_ASYNC,
} tracker_machine_method;

/* For calls that are seen with their values (docs/capture.md): void DescribeCalls(int32 base, string), object
 * WhenCallBegins(int32 id), void CallInteger(object call, int32 position, int64, int32 element), void CallReal(object
 * call, int32 position, double, int32 element), void CallObject(object call, int32 position, object), void
 * CallValue<T>(object call, int32 position, ref T), void WhenCallReturns(object call), void WhenCallFails(object call),
 * bool WhenCallThrows(object exception, object call), bool CanCallValue(RuntimeTypeHandle). A tracker has all or none.
 */
typedef enum tracker_capture_method {
    TRACKER_DESCRIBES,
    TRACKER_CALL_BEGINS,
    TRACKER_INTEGER,
    TRACKER_REAL,
    TRACKER_OBJECT,
    TRACKER_VALUE,
    TRACKER_CALL_RETURNS,
    TRACKER_CALL_FAILS,
    TRACKER_CALL_THROWS,
    TRACKER_CAPTURE_METHODS,
} tracker_capture_method;

/* For captured calls of async methods, which end with their machines: object WhenCallRuns(int32 id, object machine),
 * bool WantsBuilder(int32 id, object call), object WhenCallHasBuilder(int32 id, object call, object builder), void
 * WhenCallSuspends(object call), void WhenCallCompletes(object call), void WhenCallFailsBy(object exception, object
 * call). A tracker that lacks one of them sees such calls end when they return to their callers. */
typedef enum tracker_awaited_method {
    TRACKER_CALL_RUNS,
    TRACKER_WANTS_BUILDER,
    TRACKER_CALL_HAS_BUILDER,
    TRACKER_CALL_SUSPENDS,
    TRACKER_CALL_COMPLETES,
    TRACKER_CALL_FAILS_BY,
    TRACKER_AWAITED_METHODS,
} tracker_awaited_method;

/* For objects that are counted where they are allocated (docs/allocations.md): int32 RegisterAllocations(int32 base,
 * int32 count), void WhenAllocating(int32 site, int32 token), void WhenBoxing<T>(T value, int32 site, int32 token). A
 * tracker has all or none; beside them it may have tracker_creating_method, void WhenCreating<T>(T value, int32 site,
 * int32 token). */
typedef enum tracker_allocation_method {
    TRACKER_REGISTERS_ALLOCATIONS,
    TRACKER_ALLOCATES,
    TRACKER_BOXES,
    TRACKER_ALLOCATION_METHODS,
} tracker_allocation_method;

/* For leaves that are told apart by the texts of commands (docs/leaves.md): bool WantsCommandText(int32 token), void
 * WhenCommandHasText(object command, string text, int32 token), void WhenLeavingCommand(int32 token). A tracker has all
 * or none. */
typedef enum tracker_command_method {
    TRACKER_WANTS_TEXT,
    TRACKER_HAS_TEXT,
    TRACKER_LEAVES_COMMAND,
    TRACKER_COMMAND_METHODS,
} tracker_command_method;

/* For methods that are switched off while the program runs: void RegisterSwitches(int32 base, uint8[] off), int32
 * WhenEnteringSwitchedOn(int32 id). A tracker has both or neither, beside a Register and tokens that are int32. */
typedef enum tracker_switch_method {
    TRACKER_REGISTERS_SWITCHES,
    TRACKER_ENTERS_SWITCHED_ON,
    TRACKER_SWITCH_METHODS,
} tracker_switch_method;

typedef struct tracker_method {
    const char *name;
    const char *shape;    /* for people */
    uint8_t signature[9]; /* a MethodDefSig (II.23.2.1) */
    uint8_t signature_size;
} tracker_method;

extern const tracker_method tracker_machine_methods[TRACKER_MACHINE_METHODS];
extern const tracker_method tracker_capture_methods[TRACKER_CAPTURE_METHODS];
extern const tracker_method tracker_awaited_methods[TRACKER_AWAITED_METHODS];
extern const tracker_method tracker_allocation_methods[TRACKER_ALLOCATION_METHODS];
extern const tracker_method tracker_creating_method;
extern const tracker_method tracker_command_methods[TRACKER_COMMAND_METHODS];
extern const tracker_method tracker_switch_methods[TRACKER_SWITCH_METHODS];

#define TRACKER_AWAITING_LEAF "WhenAwaitingLeaf"
#define TRACKER_DEFAULT_TYPE "Instrumenter.ProfileInfoTracker"

typedef struct tracker {
    const ilj_image *image; /* borrowed; the strings below live in it */
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
    bool takes_settings;                                              /* has void Configure(string) */
    bool leaves_by_exception, catches, unwinds, filters,
        sees_exceptions_pass; /* has the methods for the guarded shape */
    bool has_machine_method[TRACKER_MACHINE_METHODS];
    bool captures;    /* has all of tracker_capture_methods */
    bool awaits;      /* has all of tracker_awaited_methods, too */
    bool awaits_leaves; /* has void WhenAwaitingLeaf(int32 id, int32 token) beside WhenSuspending */
    bool allocates;   /* has all of tracker_allocation_methods, beside a Register and tokens that are numbers */
    bool creates;     /* has tracker_creating_method, too */
    bool names_commands; /* has all of tracker_command_methods, likewise */
    bool switches;    /* has all of tracker_switch_methods, likewise */
    bool can_count;   /* has void WhenCounting(int32) beside a Register */
    bool only_counts; /* and is called by that alone: tracker_count_only */
} tracker;

/* Reads the shapes of `type` (full name). Returns ECMA_OK, ECMA_CONFIG (told to d), ECMA_NO_MEMORY. */
ecma_status tracker_read(tracker *t, ilj_image *image, const char *type, diag *d);

/* Makes it one that is told of each method's beginning, by WhenCounting, and of nothing else. Returns ECMA_OK,
 * ECMA_CONFIG (told to d): it cannot. */
ecma_status tracker_count_only(tracker *t, diag *d);

/* Does it want to be told what state machines do? */
bool tracker_is_told_of_machines(const tracker *t);

/* The bytes of the built-in tracker assembly. */
bytes tracker_built_in(void);

#endif
