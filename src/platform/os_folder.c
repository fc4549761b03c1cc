#define _GNU_SOURCE
#include "platform/os_folder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/system.h"

/* ---- Errors ---------------------------------------------------------------------------------------------------- */

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

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static bool ends_with(const char *text, const char *ending) {
    size_t length = strlen(text), wanted = strlen(ending);
    return length >= wanted && strcmp(text + length - wanted, ending) == 0;
}

bool os_is_temporary(const char *name) {
    enum { PREFIX = sizeof OS_UNFINISHED - 1 };
    return strncmp(name, OS_UNFINISHED, PREFIX) == 0 && strspn(name + PREFIX, "0123456789abcdef") == 16 &&
           name[PREFIX + 16] == 0;
}

bool os_is_unfinished(const char *name) {
    return os_is_temporary(name) || (strncmp(name, OS_UNFINISHED, sizeof OS_UNFINISHED - 1) == 0 &&
                                     (ends_with(name, ".pdb") || ends_with(name, ".mdb")));
}

int os_names_add(os_names *names, const char *name) {
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
        return 0;
    if (names->count == names->capacity) {
        size_t capacity = names->capacity ? names->capacity * 2 : 16;
        char **more = realloc(names->items, capacity * sizeof *more);
        if (!more)
            return ENOMEM;
        names->items = more;
        names->capacity = capacity;
    }
    char *copy = strdup(name);
    if (!copy)
        return ENOMEM;
    names->items[names->count++] = copy;
    return 0;
}

void os_names_clear(os_names *names) {
    for (size_t i = 0; i < names->count; i++)
        free(names->items[i]);
    free(names->items);
    *names = (os_names){0};
}

static int by_bytes(const void *a, const void *b) {
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static int read_sorted(os_names *names, const char *folder) {
    int error = os_names_read(names, folder);
    if (!error && names->count)
        qsort(names->items, names->count, sizeof *names->items, by_bytes);
    return error;
}

/* ---- Folders --------------------------------------------------------------------------------------------------- */

ecma_status os_visit_folder(diag *d, const char *path, const char *ending, os_visit_fn *visit, void *user) {
    os_names names = {0};
    int error = read_sorted(&names, path);
    ecma_status status = error ? os_fail(d, DIAG_IO_OPEN, path, "cannot be listed", error) : ECMA_OK;
    for (size_t i = 0; i < names.count && status == ECMA_OK; i++)
        if (ends_with(names.items[i], ending))
            status = visit(user, names.items[i]);
    os_names_clear(&names);
    return status;
}

/* Something stands before the suffix. */
static bool has_suffix(const char *name, const char *suffix) {
    return ends_with(name, suffix) && strcmp(name, suffix) != 0;
}

int system_files(char ***paths, size_t *count, const char *folder, const char *suffix) {
    os_names names = {0};
    int error = read_sorted(&names, folder);
    char **made = error ? NULL : calloc(names.count + 1, sizeof *made);
    size_t kept = 0;
    for (size_t i = 0; made && i < names.count; i++) {
        if (!has_suffix(names.items[i], suffix))
            continue;
        if (asprintf(&made[kept], "%s/%s", folder, names.items[i]) < 0) {
            while (kept > 0)
                free(made[--kept]);
            free(made);
            made = NULL;
            break;
        }
        kept++;
    }
    os_names_clear(&names);
    *paths = made;
    *count = kept;
    return error ? error : made ? 0 : ENOMEM;
}

int system_newest_file(char **name, size_t *found, const char *folder, const char *suffix, bool mine) {
    os_names names = {0};
    int error = read_sorted(&names, folder);
    size_t newest = 0;
    int64_t newest_changed = 0;
    *name = NULL;
    *found = 0;
    for (size_t i = 0; !error && i < names.count; i++) {
        char *path;
        int64_t changed;
        bool is_one;
        if (!has_suffix(names.items[i], suffix))
            continue;
        if (asprintf(&path, "%s/%s", folder, names.items[i]) < 0) {
            error = ENOMEM;
            break;
        }
        error = os_when_changed(&changed, &is_one, path, mine);
        free(path);
        if (error || !is_one || ((*found)++ > 0 && changed <= newest_changed))
            continue;
        newest = i;
        newest_changed = changed;
    }
    if (!error && *found > 0) {
        *name = names.items[newest];
        names.items[newest] = NULL;
    }
    os_names_clear(&names);
    return error;
}
