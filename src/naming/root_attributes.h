/* root_attributes.h - what attributes say: a part of roots.c. */
#ifndef ILINJECT_NAMING_ROOT_ATTRIBUTES_H
#define ILINJECT_NAMING_ROOT_ATTRIBUTES_H

#include "metadata/types.h"
#include "naming/roots.h"

enum { ROOT_MOST_BASES = 16 };

/* A row of the table of attributes. */
typedef struct attribute_kind {
    const char *space, *name;
    uint8_t kind;         /* 0: the title of a test that another attribute makes */
    const char *argument; /* NULL: the only one of the constructor is a text, whatever its name */
} attribute_kind;

typedef struct root_search {
    ilj_image *image;
    arena memory;                      /* of the search alone */
    const attribute_kind **references; /* by TypeRef row */
    uint8_t *kinds;                    /* by MethodDef row */
    const char **titles;               /* the same; in the image's arena */
} root_search;

/* The constructor of a CustomAttribute row, MethodDef or MemberRef, or 0; and the type that has it, TypeDef or TypeRef,
 * or 0. */
md_token root_constructor(const md_view *v, uint32_t row);
md_token root_attribute_type(const root_search *s, md_token constructor);

/* The one text that a CustomAttribute's constructor takes; empty: it takes something else. */
bytes root_only_text(const root_search *s, uint32_t row);

/* What an attribute of a kind says. */
typedef struct root_said {
    bytes title;     /* empty: nothing */
    uint32_t number; /* the first value, where it is an enumeration's */
} root_said;

/* Reads a CustomAttribute row with a constructor that is known; what cannot be read says nothing. */
root_said root_attribute_read(const root_search *s, uint32_t row, const attribute_kind *kind);

#endif
