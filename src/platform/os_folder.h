/* os_folder.h - what stands in a folder, for all systems (os_visit_folder, os_drop_unfinished, system_files,
 * system_newest_file): what each system answers for that. */
#ifndef ILINJECT_PLATFORM_OS_FOLDER_H
#define ILINJECT_PLATFORM_OS_FOLDER_H

#include <stdint.h>

#include "platform/os_names.h"

/* Adds all names of the folder in the order of their bytes. Returns 0 or an errno; then some are missing. */
int os_names_sorted(os_names *names, const char *folder);

/* ---- Each system has its own ----------------------------------------------------------------------------------- */

/* Adds all names of the folder. Returns 0 or an errno; then some are missing. */
int os_names_read(os_names *names, const char *folder);

/* Removes a temporary file, unless it is still being written or cannot be removed. */
void os_drop_temporary(const char *path);

/* When a regular file was changed, in the system's own steps from its own beginning; `mine`: a file of this user.
 * *is_one is false for what is no such file, and for what is not there. Returns 0, or the errno that keeps it from
 * being learned. */
int os_when_changed(int64_t *when, bool *is_one, const char *path, bool mine);

#endif
