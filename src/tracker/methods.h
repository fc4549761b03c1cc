/* methods.h - the methods of a tracker that injected code calls: the rows of facts/tracker_methods.def. */
#ifndef ILINJECT_TRACKER_METHODS_H
#define ILINJECT_TRACKER_METHODS_H

#include "base/bytes.h"

typedef enum tracker_group {
#define METHOD_GROUP(GROUP, requires) TRACKER_GROUP_##GROUP,
#define METHOD(GROUP, ID, name, SIGNATURE, forwarder, ids)
#define GUARD_METHOD(ID, name, takes_exception, RESULT)
#include "facts/tracker_methods.def"
#undef METHOD_GROUP
#undef METHOD
    TRACKER_GROUPS,
} tracker_group;

typedef enum tracker_method_id {
#define METHOD_GROUP(GROUP, requires)
#define METHOD(GROUP, ID, name, SIGNATURE, forwarder, ids) TRACKER_##ID,
#include "facts/tracker_methods.def"
#undef METHOD
#undef GUARD_METHOD
    TRACKER_METHODS,
} tracker_method_id;

typedef enum tracker_guard_method {
#define METHOD(GROUP, ID, name, SIGNATURE, forwarder, ids)
#define GUARD_METHOD(ID, name, takes_exception, RESULT) TRACKER_GUARD_##ID,
#include "facts/tracker_methods.def"
#undef METHOD_GROUP
#undef METHOD
#undef GUARD_METHOD
    TRACKER_GUARD_METHODS,
} tracker_guard_method;

enum tracker_requires {
    TRACKER_REQUIRES_REGISTERS = 1,
    TRACKER_REQUIRES_INT_TOKEN = 2,
    TRACKER_REQUIRES_NO_ARGUMENTS = 4, /* enter takes no object[] */
    TRACKER_REQUIRES_ALONE = 8,        /* each of its methods counts by itself */
};

typedef struct tracker_method {
    tracker_group group;
    const char *name;
    const char *shape;    /* for people */
    uint8_t signature[9]; /* a MethodDefSig (II.23.2.1) */
    uint8_t signature_size;
    uint8_t parameter_count;
    const char *forwarder; /* the method of the helper type; NULL: none */
    unsigned ids;          /* its arguments that get the base */
} tracker_method;

typedef struct tracker_guard_row {
    const char *name;
    bool takes_exception;
    uint8_t result; /* element type */
} tracker_guard_row;

extern const tracker_method tracker_methods[TRACKER_METHODS];
extern const unsigned tracker_group_requires[TRACKER_GROUPS];
extern const tracker_guard_row tracker_guard_methods[TRACKER_GUARD_METHODS];

static inline bytes tracker_method_signature(tracker_method_id id) {
    return bytes_of(tracker_methods[id].signature, tracker_methods[id].signature_size);
}

#endif
