#define _GNU_SOURCE
#include "output/deps_folder.h"

#include "platform/os.h"
#include "platform/path.h"

#include <string.h>

ecma_status deps_folder_turn(deps_folder *f, const char *path, bool *anew, diag *d) {
    const char *slash = path_last_separator(path);
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    bool same = f->folder && strlen(f->folder) == length && memcmp(f->folder, path, length) == 0;
    if (anew)
        *anew = !same;
    if (same)
        return ECMA_OK;
    deps_folder_clear(f);
    f->folder = arena_alloc(&f->memory, length + 1);
    if (!f->folder)
        return diag_no_memory(d);
    memcpy(f->folder, path, length);
    f->folder[length] = 0;
    return ECMA_OK;
}

void deps_folder_clear(deps_folder *f) {
    arena_clear(&f->memory);
    *f = (deps_folder){.memory = ARENA_INIT};
}

static bool make_room(deps_folder *f) {
    if (f->count < f->room)
        return true;
    size_t room = f->room ? f->room * 2 : 16;
    char **more = arena_alloc_array(&f->memory, room, sizeof *more);
    if (!more)
        return false;
    if (f->count)
        memcpy(more, f->names, f->count * sizeof *more);
    f->names = more;
    f->room = room;
    return true;
}

ecma_status deps_folder_add(deps_folder *f, const char *name, diag *d) {
    size_t at = f->count, size = strlen(name) + 1;
    while (at > 0 && strcmp(f->names[at - 1], name) > 0)
        at--;
    if (at > 0 && strcmp(f->names[at - 1], name) == 0)
        return ECMA_OK;
    char *kept = arena_alloc(&f->memory, size);
    if (!kept || !make_room(f))
        return diag_no_memory(d);
    memcpy(kept, name, size);
    memmove(f->names + at + 1, f->names + at, (f->count - at) * sizeof *f->names);
    f->names[at] = kept;
    f->count++;
    return ECMA_OK;
}

typedef struct search {
    deps_folder *folder;
    diag *d;
} search;

/* A file named ".deps.json" alone belongs to no program. */
static ecma_status found(void *user, const char *name) {
    search *s = user;
    return name[sizeof DEPS_ENDING - 1] == 0 ? ECMA_OK : deps_folder_add(s->folder, name, s->d);
}

ecma_status deps_folder_list(deps_folder *f, bool optional, diag *d) {
    if (f->listed)
        return ECMA_OK;
    diag silent = {.file = d->file};
    search s = {f, optional ? &silent : d};
    ecma_status status = os_visit_folder(s.d, *f->folder ? f->folder : ".", DEPS_ENDING, found, &s);
    if (optional && status == ECMA_IO)
        status = ECMA_OK;
    if (optional && status == ECMA_NO_MEMORY)
        status = diag_no_memory(d);
    f->listed = status == ECMA_OK;
    return status;
}

bool deps_may_list(bytes text, const char *assembly) {
    return text.size > 0 &&
           (memmem(text.data, text.size, assembly, strlen(assembly)) || memchr(text.data, '\\', text.size));
}
