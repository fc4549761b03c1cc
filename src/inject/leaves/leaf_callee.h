/* leaf_callee.h - what a call names: whether that is code which may be a leaf, and by which names patterns know it
 * (docs/leaves.md). */
#ifndef ILINJECT_INJECT_LEAVES_LEAF_CALLEE_H
#define ILINJECT_INJECT_LEAVES_LEAF_CALLEE_H

#include "async/state_machines.h"
#include "input/image.h"
#include "select/leaf_patterns.h"

enum { LEAF_MOST_NESTED = LEAF_NAMES - 3 };

typedef enum leaf_callee_kind {
    LEAF_CALLEE_OUTSIDE, /* of another assembly, or native code of this one: it may be a leaf */
    LEAF_CALLEE_OWN,     /* of this module, with IL, or of one beside it */
    LEAF_CALLEE_UNKNOWN, /* not understood, or an array's */
    LEAF_CALLEE_TRACKER,
    LEAF_CALLEE_PLUMBING, /* compilers put such calls in for themselves */
} leaf_callee_kind;

/* A method, and its type with those around it, from itself outwards. */
typedef struct leaf_callee {
    md_token member;
    md_token types[LEAF_MOST_NESTED];
    unsigned depth;
    const char *assembly; /* NULL: it is of this module, or of one beside it */
    bool native;
} leaf_callee;

/* `member` is a MethodDef or MemberRef. `tracker`: the name of its assembly; NULL: not known. All of *c is set when the
 * method is outside. */
leaf_callee_kind leaf_callee_find(leaf_callee *c, const ilj_image *image, const char *tracker, md_token member);

/* In an async method an awaiter's calls are those of await, which only asks for what is there. */
bool leaf_callee_is_awaiter(const leaf_callee *c, const ilj_image *image, const state_machine *machine);

const char *leaf_type_name(const md_view *v, md_token type);
const char *leaf_type_space(const md_view *v, md_token type);
bytes leaf_signature_of(const md_view *v, md_token member);

/* Appends a text with `!0` and `!!0` in it, of that many generic parameters of the method: they become the names that
 * the report gives them. */
void leaf_append_with_names(buffer *to, bytes text, const leaf_callee *c, const ilj_image *image, uint32_t of_method);

/* `to` becomes the method's parameters, as `list` shows them; `scratch` is written over. False: memory ran out. */
bool leaf_callee_parameters(buffer *to, buffer *scratch, const leaf_callee *c, const ilj_image *image);

/* The method for leaf_patterns_match, with these parameters. */
leaf_name leaf_callee_name(const leaf_callee *c, const ilj_image *image, bytes parameters);

/* The name of the generic parameter at a position of that many: of a leaf's type, or of the leaf itself, whose own
 * names differ from those of its type. `text` has room for 16 bytes. */
void leaf_generic_name(char text[16], bool of_method, uint32_t position, uint32_t count);

#endif
