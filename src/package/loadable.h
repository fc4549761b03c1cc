/* loadable.h - which assemblies beside a program it can load: those that it refers to or names in its strings and its
 * configuration, that its command line names, or that refer to one of these, as plug-ins do; and what those load. */
#ifndef ILINJECT_PACKAGE_LOADABLE_H
#define ILINJECT_PACKAGE_LOADABLE_H

#include "base/arena.h"
#include "platform/os.h"

typedef struct loadable {
    const char *name; /* of the file, without its folder; the caller's */
    bool starts;      /* it has an entry point, so it is no plug-in */
    bool is;
    uint8_t *loads; /* by position of the others: it refers to them or names them */
} loadable;

typedef struct loadables {
    arena memory;
    loadable *list; /* the caller's */
    size_t count;
} loadables;

/* Reads what one of them loads. Returns ECMA_OK, ECMA_NO_MEMORY (reported); of a file that is no assembly nothing is
 * known.
 */
ecma_status loadables_read(loadables *l, size_t position, diag *d, const char *path);

/* Marks those that a text names, or (`whole`) is the name of, with any folder and ending, as loadable. */
void loadables_name(loadables *l, bytes text, bool whole);

/* Adds what can be loaded by those that can, and so on. */
void loadables_follow(loadables *l);

#endif
