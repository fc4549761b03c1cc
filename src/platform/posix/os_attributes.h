/* os_attributes.h - what a file has beside its content, when another takes its place. */
#ifndef ILINJECT_PLATFORM_OS_ATTRIBUTES_H
#define ILINJECT_PLATFORM_OS_ATTRIBUTES_H

#include "base/diag.h"

#include <stdbool.h>
#include <sys/stat.h>

/* Gives the file that `file` is open to the permissions of `model`, `owner_too` also its owner and
 * group where the process may give files away. Set-id bits stay off: new content never gets the
 * rights of the old. Returns 0 or an errno. */
int os_set_permissions(int file, const struct stat *model, bool owner_too);

/* Gives it the extended attributes of the file at `path`, which it is about to replace: access
 * control lists, labels, a user's own; capabilities not, as set-id bits. Those that cannot be kept are
 * named: DIAG_ATTRIBUTES. `replaced` is that file's status; `in_place`: it is the input, so its other
 * hard links, which keep the old content, are named as well. */
void os_keep_attributes(diag *d, int file, const char *path, const struct stat *replaced,
                        bool in_place);

#endif
