#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/os_folder.h"
#include "platform/system.h"

/* Something stands before the suffix. */
static bool has_suffix(const char *name, const char *suffix) {
    return os_name_ends(name, suffix) && strcmp(name, suffix) != 0;
}

int system_files(char ***paths, size_t *count, const char *folder, const char *suffix) {
    os_names names = {0};
    int error = os_names_sorted(&names, folder);
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
    int error = os_names_sorted(&names, folder);
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
