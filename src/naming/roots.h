/* roots.h - the methods that a framework calls, a test's for example, so that each of their calls is a tree of its own:
 * by their attributes (src/facts/roots.def), and those that set up and end the objects that have tests. */
#ifndef ILINJECT_NAMING_ROOTS_H
#define ILINJECT_NAMING_ROOTS_H

#include "input/image.h"

enum {
#define ROOT_KIND(ID, value, key, meaning) ROOT_##ID = value,
#include "facts/roots.def"
};

typedef struct method_root {
    uint32_t method;   /* MethodDef row */
    uint8_t kind;      /* ROOT_TEST and so on */
    const char *title; /* the display name; NULL: none is given */
} method_root;

/* A test's object is of a type that uses such a method of its own, of a base, or of a fixture. */
typedef struct root_use {
    uint32_t type;   /* TypeDef row: it declares tests */
    uint32_t method; /* MethodDef row of a ROOT_SET_UP or ROOT_FIXTURE; those of ROOT_SHARED are used by all tests */
} root_use;

/* All zero, roots_find, use, roots_clear. */
typedef struct method_roots {
    method_root *list; /* in MethodDef order; in the image's arena */
    uint32_t count;
    root_use *uses; /* by type, then by method, each once; owned */
    uint32_t use_count;
} method_roots;

/* Finds them, of methods that are not instrumented, too. `own`: by MethodDef row, those that the user names; NULL:
 * none. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status roots_find(method_roots *r, ilj_image *image, const bool *own);
void roots_clear(method_roots *r);

#endif
