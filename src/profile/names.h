/* names.h - the names of an instrumented module's methods (docs/profile-format.md, section 2).
 *
 * names_read inflates and checks the whole resource once; afterwards every offset kept here is good. All belongs to the
 * arena that was passed. The strings are claimed to be UTF-8, nobody has checked. */
#ifndef ILINJECT_PROFILE_NAMES_H
#define ILINJECT_PROFILE_NAMES_H

#include "base/arena.h"
#include "base/buffer.h"
#include "base/bytes.h"
#include "base/status.h"

enum {
    NAMES_FREE = 8 * 1024 * 1024,
    NAMES_RATIO = 32,
    NAMES_MAX_INFLATED = 256 * 1024 * 1024, /* a resource that claims more is refused unread */
    NAMES_MAX_NESTING = 64,                 /* types; outer ones beyond that are shown as an ellipsis */
    NAMES_MAX_NAME = 64 * 1024,             /* bytes of one method's full name */
};

/* Texts are kept as offsets in data, generic parameters' names one after another. */
typedef struct names_type {
    uint32_t enclosing; /* 0: none, else 1 + index */
    uint32_t space, name;
    uint32_t generics, generic_count;
} names_type;

typedef struct names_method {
    uint32_t type; /* index */
    uint32_t row;  /* in MethodDef; ascending */
    uint32_t name, parameters;
    uint32_t result; /* of a conversion operator; else, and when it is not known, 0 */
    uint32_t generics, generic_count;
    uint32_t owner;   /* 0: none, else 1 + index of the method that the user wrote, which has no owner itself */
    uint32_t number;  /* of a lambda, from 1, among those written in the same method: names_number_lambdas; else 0 */
    uint32_t flags;   /* of those below */
    uint32_t il_size; /* of its IL before instrumenting, in bytes; what is more stands as UINT32_MAX */
    uint32_t home;    /* 0, or 1 + index of the method that it was written in, where its name does not say so */
    uint32_t route;   /* text: of an endpoint, `GET /todos`; 0: it is none */
    uint32_t file;    /* text: of its source, as the compiler had it; 0: not known */
    uint32_t line;    /* in it, of the first statement, from 1 */
    uint32_t root;    /* NAMES_ROOT_TEST and so on: a framework calls it; 0: none is known to */
    uint32_t title;   /* text: the display name of such a method; 0: none is given */
    uint32_t uses;    /* of a test: 1 + a position in use_ends, of what sets up and ends its object; 0: nothing */
} names_method;

/* NAMES_ASYNC and so on. */
enum {
#define NAMES_FILE_FLAG(ID, value, meaning)
#define NAME_FLAG(ID, value, KEPT, meaning) NAMES_##ID = value,
#include "facts/name_flags.def"
#undef NAME_FLAG
#undef NAMES_FILE_FLAG
    NAMES_IS_AT = 29, /* not in the file: it starts such a machine, or is suspended by the runtime */
    NAMES_IS_ASYNC = 1 << NAMES_IS_AT,
    NAMES_IS_ITERATOR = 2 << NAMES_IS_AT,
};

enum {
#define ROOT_KIND(ID, value, key, meaning) NAMES_ROOT_##ID = value,
#include "facts/roots.def"
    NAMES_ROOT_KINDS
};

/* Methods of the module that were not instrumented, for one reason. */
typedef struct names_left_out {
    bytes reason;
    uint64_t count;
} names_left_out;

/* A callee as IL names it, of another module or virtual: it stands for every method with this name, that many
 * parameters and, unless that is empty, a type of this name. */
typedef struct names_callee {
    bytes name, type; /* metadata names, without namespace */
    uint64_t parameters;
} names_callee;

/* A place in a method's IL that allocates objects. */
typedef struct names_site {
    uint32_t method; /* index */
    uint32_t offset; /* in its IL before instrumenting */
    uint32_t type;   /* text: that of the objects */
    uint8_t kind;    /* of those below */
    uint32_t file;   /* text: of its source; 0: not known */
    uint32_t line;   /* in it, from 1 */
} names_site;

/* A line that calls a leaf. */
typedef struct names_leaf_call {
    uint32_t method, leaf; /* indices of methods */
    uint32_t file, line;   /* as of a site */
} names_leaf_call;

enum { NAMES_SITE_NEW, NAMES_SITE_ARRAY, NAMES_SITE_BOX, NAMES_SITE_KINDS };

typedef struct names {
    uint8_t mvid[16];    /* of the input module */
    bool compiled_ahead; /* of time: a runtime ran that code, and compiles the instrumented one again */
    bytes data;
    bytes module, assembly;
    names_type *types;
    names_method *methods;
    uint32_t type_count, method_count;
    uint32_t leaf_count; /* of the methods those that are leaves */
    uint32_t told_apart; /* of the methods those that are counts for a choice */
    names_left_out *left_out;
    uint32_t left_out_count;
    names_callee *callees; /* of modules that count calls alone: */
    uint32_t callee_count;
    uint32_t
        *call_ends;  /* of each method: where its calls end in `calls`, and those of the next begin; NULL: not known */
    uint32_t *calls; /* 2 * index of a method, or 1 + 2 * index of a callee; as often as they stand in the IL */
    uint8_t *native; /* of modules that count calls alone, of each method: had it code of its own? NULL: not known */
    uint32_t *inliner_ends; /* with it, of each method: where those that inlined it end in `inliners` */
    uint32_t *inliners;     /* indices of methods */
    names_site *sites;      /* of modules that count objects */
    uint32_t site_count;
    names_leaf_call *leaf_calls; /* in the order of the methods and of their code */
    uint32_t leaf_call_count;
    uint32_t *use_ends; /* where the uses of each group end in `uses`, and those of the next begin */
    uint32_t *uses;     /* indices of methods */
    uint32_t use_group_count;
    uint32_t source_count;    /* files that methods are in */
    uint32_t source_link;     /* text: SourceLink's JSON; 0: there is none */
    uint32_t *sources;        /* texts: their paths, in the order of the data */
    const uint8_t *checksums; /* NAMES_CHECKSUM_BYTES of each; NULL: none is known */
} names;

/* The names that were read together. They inflate to no more than NAMES_FREE and NAMES_RATIO times what they take
 * packed, all added up, so that memory stays in proportion to the profile. Real ones take 6 times that, those of
 * generated code, which are few, up to 100 times. */
typedef struct names_room {
    uint64_t packed, inflated;
} names_room;

/* Returns ECMA_OK, ECMA_BAD_FILE (*fault says in a few words, statically, what is wrong) or ECMA_NO_MEMORY. */
ecma_status names_read(names *out, const char **fault, arena *a, bytes resource, names_room *room);

/* The first NAMES_CHECKSUM_BYTES of the SHA-256 of a source, by the text of its path; NULL: it is not known. */
enum { NAMES_CHECKSUM_BYTES = 8 };
const uint8_t *names_checksum(const names *n, uint32_t file);

/* The informational version of the module's assembly, `1.4.2+COMMIT`; empty: not known. Nothing is inflated. */
bytes names_release(bytes resource);

/* The text at one of the offsets. */
bytes names_text(const names *n, uint32_t offset);

/* Where the parts of a full name end: the namespace, the type, then (after a separator) the method from `method` on,
 * whose parameters start at `parameters`, and after which, at `suffix`, it is said what it is: ` [async]`. */
typedef struct names_parts {
    uint32_t space_bytes, type_bytes, method, parameters, suffix;
    bool helper; /* made by a compiler, nothing that anybody wrote */
} names_parts;

/* Makes the full name of a method the content of `b`, as people write it (docs/report.md):
 * `Namespace.Outer.Inner<T>.Method<U>(int, string)`, `Namespace.Type.Main.lambda#1(int)`, `Namespace.Type.Load()
 * [async]`. With `raw` as in the metadata, `Namespace.Outer/Inner`1::.ctor(int)`. A scope's is its text in quotes, all
 * of it the method's part, and so is a lambda's that is an endpoint: `GET /todos [async]`; one within it is
 * `GET /todos.lambda#5(Todo)`. A name over NAMES_MAX_NAME bytes is cut. */
void names_of_method(buffer *b, names_parts *parts, const names *n, uint32_t method, bool raw);

/* A method's name as calls have it: an explicit implementation is called by what stands after the interface's name. */
bytes names_simple(bytes name);

/* An assembly's full name without version, culture and key. */
bytes names_assembly_name(bytes assembly);

/* How many parameters a list has, as it stands between the parentheses of a full name. */
uint64_t names_parameters_in(bytes text);

/* Is a route the full name of the method, or the beginning of it, as of what was written within an endpoint's lambda?
 * Then names_of_place makes the one that it has in the source. */
bool names_is_route(const names *n, uint32_t method);
void names_of_place(buffer *b, names_parts *parts, const names *n, uint32_t method);

#endif
