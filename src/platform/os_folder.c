#define _GNU_SOURCE
#include "platform/os_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/os.h"
#include "platform/os_errors.h"

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

int os_names_sorted(os_names *names, const char *folder) {
    int error = os_names_read(names, folder);
    if (!error && names->count)
        qsort(names->items, names->count, sizeof *names->items, by_bytes);
    return error;
}

ecma_status os_visit_folder(diag *d, const char *path, const char *ending, os_visit_fn *visit, void *user) {
    os_names names = {0};
    int error = os_names_sorted(&names, path);
    ecma_status status = error ? os_fail(d, DIAG_IO_OPEN, path, "cannot be listed", error) : ECMA_OK;
    for (size_t i = 0; i < names.count && status == ECMA_OK; i++)
        if (os_name_ends(names.items[i], ending))
            status = visit(user, names.items[i]);
    os_names_clear(&names);
    return status;
}

static ecma_status drop_unfinished(void *user, const char *name) {
    char *path = NULL;
    if (os_is_temporary(name) && asprintf(&path, "%s/%s", (const char *)user, name) >= 0)
        os_drop_temporary(path);
    free(path);
    return ECMA_OK;
}

ecma_status os_drop_unfinished(diag *d, const char *folder) {
    return os_visit_folder(d, folder, "", drop_unfinished, (void *)(uintptr_t)folder);
}
