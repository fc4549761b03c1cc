/* os_folder.h - what the answers of all systems share: how errors of files are reported, the names of unfinished files,
 * and what stands in a folder (os_visit_folder, system_files, system_newest_file). */
#ifndef ILINJECT_PLATFORM_OS_FOLDER_H
#define ILINJECT_PLATFORM_OS_FOLDER_H

#include "platform/os.h"

/* "PATH WHAT: reason", without the path when it is the diag's own file. Return the status of the code; os_fail takes an
 * errno, and reports ENOMEM as memory that ran out. */
ecma_status os_refuse(diag *d, diag_code code, const char *path, const char *what, const char *reason);
ecma_status os_fail(diag *d, diag_code code, const char *path, const char *what, int error);

/* Names of temporary files begin so, and 16 hexadecimal digits follow; those of prepared files, too, and their own
 * names follow. */
#define OS_UNFINISHED ".ilinject-"

/* Has the name of a file that is being written? */
bool os_is_temporary(const char *name);

typedef struct os_names {
    char **items;
    size_t count, capacity;
} os_names;

/* Adds a copy of a name, unless it names the folder itself or the one above. Returns 0 or an errno. */
int os_names_add(os_names *names, const char *name);
void os_names_clear(os_names *names);

/* Adds all names of the folder. Returns 0 or an errno; then some are missing. Each system has its own. */
int os_names_read(os_names *names, const char *folder);

/* When a regular file was changed, in the system's own steps from its own beginning; `mine`: a file of this user.
 * *is_one is false for what is no such file, and for what is not there. Returns 0, or the errno that keeps it from
 * being learned. Each system has its own. */
int os_when_changed(int64_t *when, bool *is_one, const char *path, bool mine);

#endif
