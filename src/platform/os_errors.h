/* os_errors.h - how errors of files are reported, on all systems. */
#ifndef ILINJECT_PLATFORM_OS_ERRORS_H
#define ILINJECT_PLATFORM_OS_ERRORS_H

#include "base/diag.h"

/* "PATH WHAT: reason", without the path when it is the diag's own file. Return the status of the code; os_fail takes an
 * errno, and reports memory that has run out as such. */
ecma_status os_refuse(diag *d, diag_code code, const char *path, const char *what, const char *reason);
ecma_status os_fail(diag *d, diag_code code, const char *path, const char *what, int error);

#endif
