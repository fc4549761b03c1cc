#define _GNU_SOURCE
#include "platform/os_errors.h"

#include <errno.h>
#include <string.h>

ecma_status os_refuse(diag *d, diag_code code, const char *path, const char *what, const char *reason) {
    if (d->file && strcmp(d->file, path) == 0)
        return diag_report(d, code, "%s: %s", what, reason);
    return diag_report(d, code, "%s %s: %s", path, what, reason);
}

ecma_status os_fail(diag *d, diag_code code, const char *path, const char *what, int error) {
    if (error == ENOMEM)
        return diag_no_memory(d);
    return os_refuse(d, code, path, what, strerror(error));
}
