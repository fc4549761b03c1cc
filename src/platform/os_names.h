/* os_names.h - names in a folder: those of unfinished files, and lists of them. */
#ifndef ILINJECT_PLATFORM_OS_NAMES_H
#define ILINJECT_PLATFORM_OS_NAMES_H

#include <stdbool.h>
#include <stddef.h>

/* Names of temporary files begin so, and 16 hexadecimal digits follow; those of prepared files, too, and their own
 * names follow. */
#define OS_UNFINISHED ".ilinject-"

/* Has the name of a file that is being written? */
bool os_is_temporary(const char *name);

typedef struct os_names {
    char **items;
    size_t count, capacity;
} os_names;

/* Adds a copy of the name, unless it is that of the folder itself or of the one above. Returns 0 or an
 * errno. */
int os_names_add(os_names *names, const char *name);
void os_names_clear(os_names *names);

bool os_name_ends(const char *name, const char *ending);

#endif
