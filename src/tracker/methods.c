#include "tracker/methods.h"

#include "metadata/signature.h"

/* The types of the rows: their bytes in a signature, and their names for people. */
#define BYTES_VOID    MD_ELEMENT_VOID
#define BYTES_BOOLEAN MD_ELEMENT_BOOLEAN
#define BYTES_I4      MD_ELEMENT_I4
#define BYTES_I8      MD_ELEMENT_I8
#define BYTES_R8      MD_ELEMENT_R8
#define BYTES_STRING  MD_ELEMENT_STRING
#define BYTES_OBJECT  MD_ELEMENT_OBJECT
#define BYTES_BYTES   MD_ELEMENT_SZARRAY, MD_ELEMENT_U1
#define BYTES_T       MD_ELEMENT_MVAR, 0
#define BYTES_REF_T   MD_ELEMENT_BYREF, MD_ELEMENT_MVAR, 0
#define TEXT_VOID     "void"
#define TEXT_BOOLEAN  "bool"
#define TEXT_I4       "int32"
#define TEXT_I8       "int64"
#define TEXT_R8       "float64"
#define TEXT_STRING   "string"
#define TEXT_OBJECT   "object"
#define TEXT_BYTES    "uint8[]"
#define TEXT_T        "T"
#define TEXT_REF_T    "ref T"

/* shape, signature, its size, number of parameters */
#define SHAPE(text, count, ...) text, {__VA_ARGS__}, sizeof((uint8_t[]){__VA_ARGS__}), count
#define TAKES1(r, a)            SHAPE(TEXT_##r " (" TEXT_##a ")", 1, MD_SIG_DEFAULT, 1, BYTES_##r, BYTES_##a)
#define TAKES2(r, a, b)                                                                                                \
    SHAPE(TEXT_##r " (" TEXT_##a ", " TEXT_##b ")", 2, MD_SIG_DEFAULT, 2, BYTES_##r, BYTES_##a, BYTES_##b)
#define TAKES3(r, a, b, c)                                                                                             \
    SHAPE(TEXT_##r " (" TEXT_##a ", " TEXT_##b ", " TEXT_##c ")", 3, MD_SIG_DEFAULT, 3, BYTES_##r, BYTES_##a,          \
          BYTES_##b, BYTES_##c)
#define TAKES4(r, a, b, c, d)                                                                                          \
    SHAPE(TEXT_##r " (" TEXT_##a ", " TEXT_##b ", " TEXT_##c ", " TEXT_##d ")", 4, MD_SIG_DEFAULT, 4, BYTES_##r,       \
          BYTES_##a, BYTES_##b, BYTES_##c, BYTES_##d)
#define GENERIC3(r, a, b, c)                                                                                           \
    SHAPE(TEXT_##r " <T>(" TEXT_##a ", " TEXT_##b ", " TEXT_##c ")", 3, MD_SIG_GENERIC, 1, 3, BYTES_##r, BYTES_##a,    \
          BYTES_##b, BYTES_##c)

const tracker_method tracker_methods[TRACKER_METHODS] = {
#define METHOD_GROUP(GROUP, requires)
#define METHOD(GROUP, ID, name, SIGNATURE, forwarder, ids)                                                             \
    [TRACKER_##ID] = {TRACKER_GROUP_##GROUP, name, SIGNATURE, forwarder, ids},
#define GUARD_METHOD(ID, name, takes_exception, RESULT)
#include "facts/tracker_methods.def"
#undef METHOD_GROUP
#undef METHOD
#undef GUARD_METHOD
};

enum {
    REGISTERS = TRACKER_REQUIRES_REGISTERS,
    INT_TOKEN = TRACKER_REQUIRES_INT_TOKEN,
    NO_ARGUMENTS = TRACKER_REQUIRES_NO_ARGUMENTS,
    ALONE = TRACKER_REQUIRES_ALONE,
};
const unsigned tracker_group_requires[TRACKER_GROUPS] = {
#define METHOD_GROUP(GROUP, requires) [TRACKER_GROUP_##GROUP] = requires,
#define METHOD(GROUP, ID, name, SIGNATURE, forwarder, ids)
#define GUARD_METHOD(ID, name, takes_exception, RESULT)
#include "facts/tracker_methods.def"
#undef METHOD_GROUP
#undef METHOD
#undef GUARD_METHOD
};

const tracker_guard_row tracker_guard_methods[TRACKER_GUARD_METHODS] = {
#define METHOD_GROUP(GROUP, requires)
#define METHOD(GROUP, ID, name, SIGNATURE, forwarder, ids)
#define GUARD_METHOD(ID, name, takes_exception, RESULT) [TRACKER_GUARD_##ID] = {name, takes_exception, BYTES_##RESULT},
#include "facts/tracker_methods.def"
};
