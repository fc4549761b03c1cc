#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "platform/os.h"
#include "platform/os_folder.h"
#include "platform/path.h"
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

/* ---- The newest below a folder ----------------------------------------------------------------------------------- */

/* Levels below a folder, and below one named bin: bin/Release/net10.0. */
enum { USUAL_LEVELS = 1, BIN_LEVELS = 2, MOST_DEPTH = 8 };

typedef struct newest {
    const char *suffix;
    char *path; /* NULL: none is found yet */
    int64_t changed;
} newest;

/* A file that a build makes. */
static bool is_built(const char *name) {
    return os_name_ends(name, ".dll") || os_name_ends(name, ".exe");
}

/* Sees one file: *path becomes its own, and *changed its time, where it is the newest. Returns 0 or ENOMEM. */
static int see_file(char **path, int64_t *changed, const char *folder, const char *name) {
    char *here;
    int64_t when = 0;
    bool is_one = false;
    if (asprintf(&here, "%s/%s", folder, name) < 0)
        return ENOMEM;
    if (os_when_changed(&when, &is_one, here, false) == 0 && is_one && (!*path || when > *changed)) {
        free(*path);
        *path = here;
        *changed = when;
    } else {
        free(here);
    }
    return 0;
}

/* Takes the folder's newest file when it is newer than what is known, and no older than what was built there. */
static int look_at_files(newest *n, const os_names *names, const char *folder) {
    char *file = NULL, *built = NULL;
    int64_t changed = 0, built_changed = 0;
    int error = 0;
    for (size_t i = 0; !error && i < names->count; i++)
        if (has_suffix(names->items[i], n->suffix))
            error = see_file(&file, &changed, folder, names->items[i]);
    bool newer = file && (!n->path || changed > n->changed);
    for (size_t i = 0; !error && newer && i < names->count; i++)
        if (is_built(names->items[i]))
            error = see_file(&built, &built_changed, folder, names->items[i]);
    free(built);
    if (error || !newer || built_changed > changed) {
        free(file);
        return error;
    }
    free(n->path);
    n->path = file;
    n->changed = changed;
    return 0;
}

/* A folder that cannot be read has nothing. Returns 0 or ENOMEM. */
static int look_below(newest *n, const char *folder, unsigned levels, unsigned depth) {
    os_names names = {0};
    int error = os_names_sorted(&names, folder) == ENOMEM ? ENOMEM : 0;
    if (!error && depth > 0)
        error = look_at_files(n, &names, folder);
    for (size_t i = 0; !error && depth < MOST_DEPTH && i < names.count; i++) {
        const char *name = names.items[i];
        bool bin = strcmp(name, "bin") == 0;
        char *path;
        if (*name == '.' || (levels == 0 && !bin))
            continue;
        if (asprintf(&path, "%s%s%s", depth > 0 ? folder : "", depth > 0 ? "/" : "", name) < 0) {
            error = ENOMEM;
            break;
        }
        if (os_is_directory(path))
            error = look_below(n, path, bin ? BIN_LEVELS : levels - 1, depth + 1);
        free(path);
    }
    os_names_clear(&names);
    return error;
}

/* A folder that cannot be read has nothing. Returns 0 or ENOMEM. */
static int look_within(newest *n, const char *folder, unsigned levels) {
    os_names names = {0};
    int error = os_names_sorted(&names, folder) == ENOMEM ? ENOMEM : 0;
    for (size_t i = 0; !error && i < names.count; i++) {
        char *path;
        if (has_suffix(names.items[i], n->suffix))
            error = see_file(&n->path, &n->changed, folder, names.items[i]);
        if (error || levels == 0 || *names.items[i] == '.')
            continue;
        if (asprintf(&path, "%s/%s", folder, names.items[i]) < 0) {
            error = ENOMEM;
            break;
        }
        if (os_is_directory(path))
            error = look_within(n, path, levels - 1);
        free(path);
    }
    os_names_clear(&names);
    return error;
}

int system_newest_within(char **path, const char *folder, unsigned levels, const char *suffix) {
    newest n = {.suffix = suffix};
    int error = look_within(&n, folder, levels);
    if (error) {
        free(n.path);
        n.path = NULL;
    }
    *path = n.path;
    return error;
}

int system_newest_below(char **path, const char *newer_than, const char *suffix) {
    newest n = {.suffix = suffix};
    int error = newer_than ? see_file(&n.path, &n.changed, ".", newer_than) : 0;
    char *known = n.path;
    if (!error)
        error = look_below(&n, ".", USUAL_LEVELS, 0);
    if (error || n.path == known) {
        free(n.path);
        n.path = NULL;
    }
    *path = n.path;
    return error;
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

/* ---- Surroundings ------------------------------------------------------------------------------------------------ */

/* bin/Release/net10.0/linux-x64/publish is five levels below what stands beside bin; large folders are no program's. */
enum { MOST_LEVELS = 6, MOST_LINKS = 500 };

/* Links in `to` to all of the folder but one name, until one cannot be made. Returns 0 or ENOMEM. */
static int link_all_but(const char *name, const char *folder, const char *to) {
    os_names names = {0};
    diag silent = {0};
    ecma_status status = ECMA_OK;
    int error = os_names_sorted(&names, folder) == ENOMEM ? ENOMEM : 0;
    for (size_t i = 0; !error && status == ECMA_OK && names.count <= MOST_LINKS && i < names.count; i++) {
        char *target = NULL, *link = NULL;
        if (strcmp(names.items[i], name) == 0)
            continue;
        if (asprintf(&target, "%s/%s", folder, names.items[i]) < 0 || asprintf(&link, "%s/%s", to, names.items[i]) < 0)
            error = ENOMEM;
        else
            status = os_link(&silent, target, link);
        free(target);
        free(link);
    }
    os_names_clear(&names);
    return error;
}

/* How long the folder's path is that the first `length` bytes are in; 0: that is the root. */
static size_t length_of_parent(const char *path, size_t length) {
    while (length > 0 && !path_is_separator(path[length - 1]))
        length--;
    return length > 0 ? length - 1 : 0;
}

/* Goes from *base to its folder NAME, which is not made. Returns 0 or ENOMEM. */
static int go_down(char **base, const char *name) {
    char *next;
    if (asprintf(&next, "%s/%s", *base, name) < 0)
        return ENOMEM;
    free(*base);
    *base = next;
    return 0;
}

/* Makes *base like the folder above the one that ends at `end`, and goes down. Returns 0 or an errno. */
static int make_level(char **base, const char *path, size_t above, size_t end) {
    char *parent = strndup(path, above), *name = strndup(path + above + 1, end - above - 1);
    int error = parent && name ? system_make_directories(*base) : ENOMEM;
    if (!error)
        error = link_all_but(name, parent, *base);
    if (!error)
        error = go_down(base, name);
    free(parent);
    free(name);
    return error;
}

int system_surround(char **place, const char *within, const char *folder) {
    char *full = NULL, *base = strdup(within);
    diag silent = {0};
    size_t ends[MOST_LEVELS + 1] = {0}, levels = 0;
    int error = !base ? ENOMEM : os_full_path(&silent, folder, &full) == ECMA_OK ? 0 : ENOENT;
    if (!error)
        ends[0] = strlen(full);
    for (bool more = !error; more && levels < MOST_LEVELS; levels += more) {
        ends[levels + 1] = length_of_parent(full, ends[levels]);
        char *parent = strndup(full, ends[levels + 1]);
        more = parent && *parent && !system_is_within(within, parent);
        free(parent);
    }
    if (!error && levels == 0)
        error = go_down(&base, "app");
    for (size_t level = levels; level > 0 && !error; level--)
        error = make_level(&base, full, ends[level], ends[level - 1]);
    free(full);
    if (error)
        free(base);
    else
        *place = base;
    return error;
}
