/* A folder and all below it: what each entry is and what becomes of it, and the copy of those that stay as they are. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/arena.h"
#include "input/context.h"
#include "input/hidden.h"
#include "package/app_assemblies.h"
#include "platform/os.h"
#include "platform/path.h"

typedef struct read_folder {
    ilj_folder shown; /* what the caller sees */
    arena memory;
    ilj_entry *entries;
    size_t capacity;
    size_t hidden[HIDDEN_KINDS];
    char *first_hidden[HIDDEN_KINDS]; /* its path */
} read_folder;

/* One folder of those that are being read. */
typedef struct level {
    read_folder *r;
    diag *d;
    const app_rules *rules;
    const char *name; /* from the outermost folder; "" for that one */
    unsigned depth;
    bool all;
    bool in_place; /* nothing is written where a link leads */
} level;

enum { MOST_DEPTH = 200 };

static bool ends_with(const char *name, const char *ending) {
    size_t size = strlen(name), length = strlen(ending);
    return size > length && strcasecmp(name + size - length, ending) == 0;
}

/* "folder/name"; the name alone in a folder without one. */
static char *joined(arena *a, const char *folder, const char *name) {
    size_t size = strlen(folder), length = strlen(name);
    char *path = arena_alloc(a, size + length + 2);
    if (!path)
        return NULL;
    memcpy(path, folder, size);
    if (path_takes_slash(path, size))
        path[size++] = '/';
    memcpy(path + size, name, length + 1);
    return path;
}

/* ---- Kinds of entries ------------------------------------------------------------------------------------------ */

/* A launcher of Unix has no extension. */
static bool may_be_program(const char *name) {
    return ends_with(name, ".exe") || !strchr(name, '.');
}

/* Finds out what kind of file it is, if no assembly. Returns ECMA_OK, ECMA_NO_MEMORY (reported); ECMA_IO (reported)
 * when a file with a name like a program's cannot be read: with other names the copy reports it. */
static ecma_status look_for_hidden(hidden_kind *found, diag *d, const char *path, const char *name) {
    diag silent = {0};
    os_map map = OS_MAP_INIT;
    ecma_status status = os_map_file(&map, may_be_program(name) ? d : &silent, path);
    *found = status == ECMA_OK ? hidden_find(name, map.content, !ends_with(name, ".dll")) : HIDDEN_NONE;
    os_unmap(&map);
    /* A native library needs no report. */
    if (*found == HIDDEN_NATIVE_AOT && !may_be_program(name))
        *found = HIDDEN_NONE;
    if (status == ECMA_NO_MEMORY && !may_be_program(name))
        return diag_no_memory(d);
    return status == ECMA_IO && !may_be_program(name) ? ECMA_OK : status;
}

/* Remembers a file that is reported when all are known. */
static ecma_status note_hidden(const level *l, hidden_kind kind, const char *path) {
    read_folder *r = l->r;
    if (kind != HIDDEN_NONE && r->hidden[kind]++ == 0 && !(r->first_hidden[kind] = joined(&r->memory, "", path)))
        return diag_no_memory(l->d);
    return ECMA_OK;
}

/* They are all that there is, or are copied as they are. Returns ECMA_OK, or the error that was reported. */
static ecma_status tell_hidden(const read_folder *r, const diag *of) {
    const size_t *counts = r->shown.counts;
    bool others = counts[ILJ_ENTRY_ASSEMBLY] + counts[ILJ_ENTRY_BUNDLE] + counts[ILJ_ENTRY_UNREADABLE] > 0;
    ecma_status status = ECMA_OK;
    for (int kind = HIDDEN_NONE + 1; kind < HIDDEN_KINDS; kind++) {
        diag d = *of;
        d.file = r->first_hidden[kind];
        if (r->hidden[kind] == 0 || (!others && kind == HIDDEN_MANIFEST))
            continue;
        if (!others)
            status = hidden_report((hidden_kind)kind, &d, r->hidden[kind] - 1);
        else if (kind != HIDDEN_NATIVE_AOT)
            diag_report(&d, DIAG_HIDDEN_LEFT, "left as it is%s: %s", r->hidden[kind] > 1 ? ", as others like it" : "",
                        hidden_text((hidden_kind)kind));
    }
    return status;
}

/* True if a relative link stays inside the outermost folder. */
static bool stays_inside(const level *l, const char *target) {
    int depth = l->name[0] != 0;
    for (const char *p = l->name; *p; p++)
        depth += path_is_separator(*p);
    if (path_is_absolute(target))
        return false;
    while (*target) {
        size_t size = strcspn(target, "/");
        if (size == 2 && target[0] == '.' && target[1] == '.') {
            if (--depth < 0)
                return false;
        } else if (size > 0 && !(size == 1 && target[0] == '.')) {
            depth++;
        }
        target += size + strspn(target + size, "/");
    }
    return true;
}

static bool is_image_name(const char *name) {
    return ends_with(name, ".dll") || ends_with(name, ".exe") || ends_with(name, ".netmodule");
}

/* A link's target is not in the folder that the user named. */
static void tell_link(const level *l, const char *path) {
    diag d = *l->d;
    d.file = path;
    if (is_image_name(path))
        diag_report(&d, DIAG_LINK_LEFT,
                    "a link that leads out of the folder: left as it is; name it to instrument what it "
                    "leads to");
}

/* A link within the folder, and one that leads nowhere, is a link in a copy, too; what else leads to a folder leads to
 * the same one from there. A link to a file elsewhere counts as that file: OS_FILE. */
static ecma_status settle_link(const level *l, const char *path, os_kind *kind, const char **target) {
    arena *a = &l->r->memory;
    char *said = NULL, *full = NULL;
    ecma_status status = os_read_link(l->d, path, &said);
    if (status)
        return status;
    *kind = OS_LINK;
    const char *kept = said;
    if (!stays_inside(l, said) && os_exists(path)) {
        if (os_is_directory(path)) {
            status = os_full_path(l->d, path, &full);
            kept = full;
        } else if (l->in_place) {
            tell_link(l, path);
        } else {
            *kind = OS_FILE;
        }
    }
    if (status == ECMA_OK && *kind == OS_LINK && !(*target = joined(a, "", kept)))
        status = diag_no_memory(l->d);
    free(full);
    free(said);
    return status;
}

/* Returns ECMA_OK; ECMA_IO, ECMA_NO_MEMORY (reported) when the file cannot be read. */
static ecma_status settle_file(const level *l, const char *path, const char *name, ilj_entry_kind *kind) {
    bool named = is_image_name(name);
    assembly_facts facts = {0};
    hidden_kind hidden = HIDDEN_NONE;
    diag d = *l->d;
    d.file = path;
    ecma_status status = ECMA_OK;
    *kind = ILJ_ENTRY_FILE;
    if (named && !app_is_tracker(name))
        status = app_facts(&facts, &d, path);
    if (status)
        return status;
    if (facts.satellite) {
        *kind = ILJ_ENTRY_SATELLITE;
    } else if (facts.managed || facts.module) {
        bool admitted = !facts.core_library && (l->all || app_rules_admit(l->rules, name));
        *kind = admitted ? ILJ_ENTRY_ASSEMBLY : ILJ_ENTRY_FOREIGN;
    } else {
        status = look_for_hidden(&hidden, &d, path, name);
    }
    if (hidden == HIDDEN_BUNDLE) {
        *kind = ILJ_ENTRY_BUNDLE;
        hidden_report(hidden, &d, 0);
        return ECMA_OK;
    }
    return status ? status : note_hidden(l, hidden, path);
}

static ecma_status add(const level *l, const ilj_entry *entry) {
    read_folder *r = l->r;
    if (r->shown.entry_count == r->capacity) {
        size_t capacity = r->capacity ? 2 * r->capacity : 64;
        ilj_entry *moved = realloc(r->entries, capacity * sizeof *moved);
        if (!moved)
            return diag_no_memory(l->d);
        r->entries = moved;
        r->capacity = capacity;
    }
    r->entries[r->shown.entry_count++] = *entry;
    r->shown.counts[entry->kind]++;
    return ECMA_OK;
}

static ecma_status read_level(const level *l);

static ecma_status read_below(const level *l, const char *name) {
    app_rules rules = OWN_RULES_INIT;
    level below = *l;
    below.name = name;
    below.rules = &rules;
    below.depth++;
    char *path = joined(&l->r->memory, l->r->shown.path, name);
    if (!path)
        return diag_no_memory(l->d);
    if (below.depth > MOST_DEPTH)
        return diag_report(l->d, DIAG_IO_OPEN, "%s: more than %d folders, one in the other", path, MOST_DEPTH);
    ecma_status status = app_rules_read(&rules, l->d, path, l->rules);
    if (status == ECMA_OK)
        status = read_level(&below);
    app_rules_clear(&rules);
    return status;
}

/* One thing that cannot be read, which was reported, keeps nothing from the others. */
static ecma_status or_unreadable(const level *l, ilj_entry *entry, ecma_status status) {
    if (status != ECMA_IO)
        return status;
    entry->kind = ILJ_ENTRY_UNREADABLE;
    return add(l, entry);
}

static ecma_status read_entry(void *user, const char *name) {
    const level *l = user;
    arena *a = &l->r->memory;
    ilj_entry entry = {.name = joined(a, l->name, name)};
    const char *path = entry.name ? joined(a, l->r->shown.path, entry.name) : NULL;
    if (!path)
        return diag_no_memory(l->d);
    diag d = *l->d;
    d.file = path;
    os_kind kind = OS_NOTHING;
    ecma_status status = os_is_unfinished(name) ? ECMA_OK : os_try_kind(&kind, &d, path);
    if (status == ECMA_OK && kind == OS_LINK)
        status = settle_link(l, path, &kind, &entry.target);
    if (status)
        return or_unreadable(l, &entry, status);
    switch (kind) {
    case OS_NOTHING:
        return ECMA_OK; /* gone by now */
    case OS_OTHER:
        diag_report(&d, DIAG_NOT_COPIED, "no file, folder or link: not copied");
        return ECMA_OK;
    case OS_FILE:
        status = settle_file(l, path, name, &entry.kind);
        break;
    case OS_LINK:
        entry.kind = ILJ_ENTRY_LINK;
        break;
    case OS_FOLDER:
        entry.kind = ILJ_ENTRY_FOLDER;
        break;
    }
    if (status)
        return or_unreadable(l, &entry, status);
    status = add(l, &entry);
    return status || kind != OS_FOLDER ? status : or_unreadable(l, &entry, read_below(l, entry.name));
}

static ecma_status read_level(const level *l) {
    char *path = joined(&l->r->memory, l->r->shown.path, l->name);
    if (!path)
        return diag_no_memory(l->d);
    return os_visit_folder(l->d, path, "", read_entry, (void *)(uintptr_t)l);
}

ilj_status ilj_folder_read(ilj_folder **folder, ilj_context *context, const char *path, bool all, bool in_place) {
    diag d = context_diag(context, path);
    read_folder *r = calloc(1, sizeof *r);
    app_rules rules = OWN_RULES_INIT;
    if (!r)
        return diag_no_memory(&d);
    r->memory = ARENA_INIT;
    r->shown.path = joined(&r->memory, "", path);
    level outermost = {.r = r, .d = &d, .rules = &rules, .name = "", .all = all, .in_place = in_place};
    ecma_status status = r->shown.path ? app_rules_read(&rules, &d, path, NULL) : diag_no_memory(&d);
    if (status == ECMA_OK)
        status = read_level(&outermost);
    app_rules_clear(&rules);
    r->shown.entries = r->entries;
    if (status == ECMA_OK)
        status = tell_hidden(r, &d);
    if (status) {
        ilj_folder_free(&r->shown);
        return status;
    }
    if (r->shown.counts[ILJ_ENTRY_ASSEMBLY] + r->shown.counts[ILJ_ENTRY_BUNDLE] +
            r->shown.counts[ILJ_ENTRY_UNREADABLE] ==
        0)
        diag_report(&d, DIAG_NOTHING_OWN, "no assembly to instrument: %zu of packages and frameworks%s",
                    r->shown.counts[ILJ_ENTRY_FOREIGN],
                    !all && r->shown.counts[ILJ_ENTRY_FOREIGN] > 0 ? ", which --all instruments" : "");
    *folder = &r->shown;
    return ILJ_OK;
}

void ilj_folder_free(ilj_folder *folder) {
    if (!folder)
        return;
    read_folder *r = (read_folder *)folder;
    free(r->entries);
    arena_clear(&r->memory);
    free(r);
}

/* ---- The copy --------------------------------------------------------------------------------------------------- */

static ecma_status copy_entry(const ilj_entry *entry, diag *d, const char *from, const char *to) {
    ecma_status status = ECMA_OK;
    switch (entry->kind) {
    case ILJ_ENTRY_FOLDER:
        status = os_mirror_folder(d, from, to);
        return status ? status : os_drop_unfinished(d, to);
    case ILJ_ENTRY_LINK:
        return os_mirror_link(d, entry->target, to);
    case ILJ_ENTRY_FILE:
    case ILJ_ENTRY_FOREIGN:
    case ILJ_ENTRY_SATELLITE:
        return os_mirror_file(d, from, to);
    case ILJ_ENTRY_ASSEMBLY: /* written through a link it would be elsewhere */
        return os_drop_link(d, to);
    case ILJ_ENTRY_BUNDLE:
    case ILJ_ENTRY_UNREADABLE:
    case ILJ_ENTRY_KINDS:
        break;
    }
    return ECMA_OK;
}

ilj_status ilj_folder_copy(const ilj_folder *folder, ilj_context *context, const char *output, ilj_copied_fn *copied,
                           void *user) {
    diag d = context_diag(context, folder->path);
    ecma_status status = os_drop_unfinished(&d, output);
    for (size_t i = 0; i < folder->entry_count && status != ECMA_NO_MEMORY; i++) {
        arena memory = ARENA_INIT;
        const ilj_entry *entry = &folder->entries[i];
        const char *from = joined(&memory, folder->path, entry->name), *to = joined(&memory, output, entry->name);
        d.file = from ? from : folder->path;
        ecma_status one = from && to ? copy_entry(entry, &d, from, to) : diag_no_memory(&d);
        if (one)
            status = one;
        copied(user, i + 1, folder->entry_count);
        arena_clear(&memory);
    }
    return status;
}

ilj_status ilj_folder_tidy(const ilj_folder *folder, ilj_context *context) {
    diag d = context_diag(context, folder->path);
    arena memory = ARENA_INIT;
    ecma_status status = os_drop_unfinished(&d, folder->path);
    for (size_t i = 0; i < folder->entry_count && status == ECMA_OK; i++) {
        const ilj_entry *entry = &folder->entries[i], *next = i + 1 < folder->entry_count ? entry + 1 : entry;
        bool unreadable = next->kind == ILJ_ENTRY_UNREADABLE && strcmp(next->name, entry->name) == 0;
        if (entry->kind != ILJ_ENTRY_FOLDER || unreadable)
            continue;
        const char *path = joined(&memory, folder->path, entry->name);
        status = path ? os_drop_unfinished(&d, path) : diag_no_memory(&d);
    }
    arena_clear(&memory);
    return status;
}

void ilj_output_tidy(const char *folder) {
    diag silent = {0};
    (void)os_drop_unfinished(&silent, *folder ? folder : ".");
}
