/* notes.h - what is known of methods beyond their names in the metadata (docs/decisions/08-names.md). */
#ifndef ILINJECT_NAMING_NOTES_H
#define ILINJECT_NAMING_NOTES_H

#include "async/state_machines.h"
#include "metadata/types.h"

typedef struct method_note {
    uint32_t method; /* MethodDef row */
    uint32_t home;   /* MethodDef row of the method that this one was written in; its own: in none; 0: nothing to say */
    const char *route; /* of an endpoint, `GET /todos`; NULL: it is none */
} method_note;

typedef struct method_notes {
    method_note *list; /* in MethodDef order; in the image's arena */
    uint32_t count;
} method_notes;

/* By MethodDef row, while they are looked for. */
typedef struct notes_search {
    ilj_image *image;
    const state_machines *machines;
    uint32_t *homes;
    const char **routes; /* in the image's arena */
    arena memory;        /* of the search alone */
} notes_search;

/* Finds them, of methods that are not instrumented, too. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status notes_find(method_notes *n, ilj_image *image, const state_machines *machines);

#endif
