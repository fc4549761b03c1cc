#define _GNU_SOURCE
#include "beside.h"

#include "base/arena.h"
#include "native_clock.h"
#include "os.h"
#include "package/deps_json.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct ilj_outputs {
    arena memory;
    char *folder; /* with its slash, "" for this one; NULL: nothing is known */
    bool tracker_stands;
    bool listed;
    char **deps; /* names of the deps.json files, in the order of their bytes; once it is listed */
    size_t deps_count, deps_room;
};

typedef struct job {
    diag *d;     /* the caller's */
    diag files;  /* of what os.h has to tell: goes to `d` as DIAG_BESIDE */
    arena arena; /* of the paths */
    const char *input;
    const char *output;
    const beside_tracker *tracker;
    ilj_outputs *known;
} job;

static void tell(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    job *j = user;
    (void)file;
    (void)severity;
    diag_report(j->d, code == DIAG_NO_MEMORY ? code : DIAG_BESIDE, "%s", text);
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static size_t folder_length(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? (size_t)(slash - path) + 1 : 0;
}

static const char *base_name(const char *path) {
    return path + folder_length(path);
}

/* The length of a file name without its last extension. */
static size_t stem_length(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot && dot != name ? (size_t)(dot - name) : strlen(name);
}

/* The first `length` bytes of a and all of b; NULL when memory ran out. */
static char *join(arena *a, const char *first, size_t length, const char *second) {
    size_t tail = strlen(second) + 1;
    char *joined = arena_alloc(a, length + tail);
    if (joined) {
        memcpy(joined, first, length);
        memcpy(joined + length, second, tail);
    }
    return joined;
}

/* "folder/stem" + ending for a path to an assembly. */
static char *with_ending(job *j, const char *path, const char *ending) {
    return join(&j->arena, path, folder_length(path) + stem_length(base_name(path)), ending);
}

static char *in_output_folder(job *j, const char *name) {
    return join(&j->arena, j->output, folder_length(j->output), name);
}

static bool is_file(const char *path) {
    return os_exists(path) && !os_is_directory(path);
}

/* ---- What is known from the output before ---------------------------------------------------------------------- */

ilj_status ilj_outputs_new(ilj_outputs **outputs) {
    ilj_outputs *made = calloc(1, sizeof *made);
    if (!made)
        return ILJ_NO_MEMORY;
    *outputs = made;
    return ILJ_OK;
}

void ilj_outputs_free(ilj_outputs *outputs) {
    if (outputs)
        arena_clear(&outputs->memory);
    free(outputs);
}

void beside_forget(ilj_outputs *known) {
    if (!known)
        return;
    arena_clear(&known->memory);
    *known = (ilj_outputs){.memory = ARENA_INIT};
}

/* From here on it is the output's folder that is spoken of. */
static ecma_status turn_to_folder(job *j) {
    ilj_outputs *k = j->known;
    size_t length = folder_length(j->output);
    if (k->folder && strlen(k->folder) == length && memcmp(k->folder, j->output, length) == 0)
        return ECMA_OK;
    beside_forget(k);
    k->folder = join(&k->memory, j->output, length, "");
    return k->folder ? ECMA_OK : diag_no_memory(j->d);
}

static ecma_status add_deps(void *user, const char *name) {
    job *j = user;
    ilj_outputs *k = j->known;
    if (k->deps_count == k->deps_room) {
        size_t room = k->deps_room ? k->deps_room * 2 : 16;
        char **more = arena_alloc_array(&k->memory, room, sizeof *more);
        if (!more)
            return diag_no_memory(j->d);
        if (k->deps_count)
            memcpy(more, k->deps, k->deps_count * sizeof *more);
        k->deps = more;
        k->deps_room = room;
    }
    size_t at = k->deps_count;
    while (at > 0 && strcmp(k->deps[at - 1], name) > 0)
        at--;
    if (at > 0 && strcmp(k->deps[at - 1], name) == 0)
        return ECMA_OK;
    char *kept = join(&k->memory, name, strlen(name), "");
    if (!kept)
        return diag_no_memory(j->d);
    memmove(k->deps + at + 1, k->deps + at, (k->deps_count - at) * sizeof *k->deps);
    k->deps[at] = kept;
    k->deps_count++;
    return ECMA_OK;
}

/* ---- Writing what is not there yet ----------------------------------------------------------------------------- */

static bool holds(const char *path, bytes content) {
    diag quiet = {.file = path};
    os_map map = OS_MAP_INIT;
    bool same = is_file(path) && os_map_file(&map, &quiet, path) == ECMA_OK && bytes_equal(map.content, content);
    os_unmap(&map);
    return same;
}

static ecma_status put(job *j, const char *path, bytes content, const char *like) {
    return holds(path, content) ? ECMA_OK : os_write_file(&j->files, path, &content, 1, like);
}

static ecma_status put_tracker(job *j) {
    const char *name = j->tracker->file_name;
    const char *path = in_output_folder(j, name);
    if (!path)
        return diag_no_memory(j->d);
    if (strcmp(base_name(j->output), name) == 0 || os_same_file(path, j->output) || os_same_file(path, j->input))
        return diag_report(j->d, DIAG_BESIDE, "the tracker belongs beside the output as %s, which is the %s itself",
                           path, os_same_file(path, j->input) ? "input" : "output");
    return j->known->tracker_stands ? ECMA_OK : put(j, path, j->tracker->image, j->input);
}

static ecma_status put_native_clock(job *j) {
    if (j->tracker->native_clock.size == 0 || j->known->tracker_stands)
        return ECMA_OK;
    const char *path = in_output_folder(j, NATIVE_CLOCK_FILE);
    return path ? put(j, path, j->tracker->native_clock, j->input) : diag_no_memory(j->d);
}

static ecma_status copy(job *j, const char *from, const char *to) {
    if (!from || !to)
        return diag_no_memory(j->d);
    if (!is_file(from) || os_same_file(from, to))
        return ECMA_OK;
    os_map map = OS_MAP_INIT;
    ecma_status status = os_map_file(&map, &j->files, from);
    if (status == ECMA_OK)
        status = put(j, to, map.content, from);
    os_unmap(&map);
    return status;
}

/* ---- deps.json ------------------------------------------------------------------------------------------------- */

static const char deps_ending[] = ".deps.json";

/* Writes `text`, read at `from`, to `to` with the tracker in it. A file that only has to be changed when it lists the
 * output (`listing`) is else left alone. */
static ecma_status put_deps(job *j, bytes text, const char *from, const char *to, bool listing) {
    const char *name = base_name(to), *assembly = base_name(j->output);
    char *app = join(&j->arena, name, strlen(name) - (sizeof deps_ending - 1), "");
    if (!app)
        return diag_no_memory(j->d);
    const deps_json_wish wish = {app, j->tracker->file_name, listing ? assembly : NULL};
    buffer patched = BUFFER_INIT;
    char problem[DEPS_JSON_PROBLEM_BYTES];
    ecma_status status = ECMA_OK;
    switch (deps_json_add(&patched, problem, text, &wish)) {
    case DEPS_JSON_ADDED:
        status = put(j, to, buffer_bytes(&patched), from);
        break;
    case DEPS_JSON_PRESENT:
        status = put(j, to, text, from);
        break;
    case DEPS_JSON_NOT_LISTED:
        break;
    case DEPS_JSON_UNUSABLE:
        /* Another program's file is only worth a word when it speaks of this assembly. */
        if (listing && (text.size == 0 || !memmem(text.data, text.size, assembly, strlen(assembly))))
            break;
        diag_report(j->d, DIAG_DEPS_JSON, "%s: %s; .NET will not find %s unless it is listed there", from, problem,
                    j->tracker->file_name);
        status = put(j, to, text, from);
        break;
    case DEPS_JSON_NO_MEMORY:
        status = diag_no_memory(j->d);
        break;
    }
    buffer_clear(&patched);
    return status;
}

/* From the input's own, unless the output's has all that it has. */
static ecma_status put_own_deps(job *j, const char *from, const char *to) {
    bool has_source = is_file(from) && !os_same_file(from, to), has_target = is_file(to);
    os_map source = OS_MAP_INIT, target = OS_MAP_INIT;
    ecma_status status = ECMA_OK;
    if (has_source)
        status = os_map_file(&source, &j->files, from);
    if (status == ECMA_OK && has_target)
        status = os_map_file(&target, &j->files, to);
    if (status == ECMA_OK) {
        if (has_target && (!has_source || deps_json_covers(target.content, source.content)))
            status = put_deps(j, target.content, to, to, false);
        else if (has_source)
            status = put_deps(j, source.content, from, to, false);
    }
    if (status == ECMA_OK && j->known->listed && (has_source || has_target))
        status = add_deps(j, base_name(to));
    os_unmap(&source);
    os_unmap(&target);
    return status;
}

/* Does the text speak of the assembly? Maybe, where characters are escaped. Reading JSON takes longer, and in a folder
 * of applications each output looks at the files of all. */
static bool may_list(bytes text, const char *assembly) {
    return text.size > 0 &&
           (memmem(text.data, text.size, assembly, strlen(assembly)) || memchr(text.data, '\\', text.size));
}

/* Of another assembly's file, which may list this output, too. */
static ecma_status visit_deps(job *j, const char *name) {
    const char *path = in_output_folder(j, name);
    if (!path)
        return diag_no_memory(j->d);
    if (!is_file(path))
        return ECMA_OK;
    os_map map = OS_MAP_INIT;
    ecma_status status = os_map_file(&map, &j->files, path);
    if (status == ECMA_OK && may_list(map.content, base_name(j->output)))
        status = put_deps(j, map.content, path, path, true);
    os_unmap(&map);
    return status;
}

static ecma_status list_deps(job *j) {
    ilj_outputs *k = j->known;
    if (k->listed)
        return ECMA_OK;
    ecma_status status = os_visit_folder(&j->files, *k->folder ? k->folder : ".", deps_ending, add_deps, j);
    k->listed = status == ECMA_OK;
    return status;
}

static ecma_status put_all_deps(job *j) {
    const char *from = with_ending(j, j->input, deps_ending), *to = with_ending(j, j->output, deps_ending);
    const ilj_outputs *k = j->known;
    if (!from || !to)
        return diag_no_memory(j->d);
    ecma_status status = put_own_deps(j, from, to);
    if (status == ECMA_OK)
        status = list_deps(j);
    for (size_t i = 0; i < k->deps_count && status == ECMA_OK; i++)
        if (k->deps[i][sizeof deps_ending - 1] != 0 && strcmp(k->deps[i], base_name(to)) != 0)
            status = visit_deps(j, k->deps[i]);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

ecma_status beside_write(diag *d, ilj_outputs *known, const char *input, const char *output,
                         const beside_tracker *tracker) {
    ilj_outputs alone = {.memory = ARENA_INIT};
    job j = {.d = d,
             .arena = ARENA_INIT,
             .input = input,
             .output = output,
             .tracker = tracker,
             .known = known ? known : &alone};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    ecma_status status = turn_to_folder(&j);
    if (status == ECMA_OK)
        status = put_tracker(&j);
    if (status == ECMA_OK)
        status = put_native_clock(&j);
    if (status == ECMA_OK)
        j.known->tracker_stands = true;
    if (status == ECMA_OK)
        status =
            copy(&j, with_ending(&j, input, ".runtimeconfig.json"), with_ending(&j, output, ".runtimeconfig.json"));
    if (status == ECMA_OK)
        status = copy(&j, join(&j.arena, input, strlen(input), ".config"),
                      join(&j.arena, output, strlen(output), ".config"));
    if (status == ECMA_OK)
        status = put_all_deps(&j);
    if (status)
        beside_forget(j.known);
    arena_clear(&j.arena);
    arena_clear(&alone.memory);
    return status;
}

ecma_status beside_put(diag *d, const char *path, bytes content, const char *like) {
    job j = {.d = d};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    return put(&j, path, content, like);
}

ecma_status beside_prepare(diag *d, const char *path, bytes content, const char *like) {
    job j = {.d = d};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    return holds(path, content) ? os_settle_file(&j.files, path, false)
                                : os_prepare_file(&j.files, path, &content, 1, like);
}

ecma_status beside_settle(diag *d, const char *path, bool keep) {
    job j = {.d = d};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    return os_settle_file(&j.files, path, keep);
}

bool beside_try_managed_name(const char *input, char **name) {
    static const char launcher[] = ".exe", managed[] = ".dll";
    size_t length = strlen(input);
    if (length > 4 && strcasecmp(input + length - 4, launcher) == 0)
        length -= 4;
    char *path = malloc(length + sizeof managed);
    if (!path)
        return false;
    memcpy(path, input, length);
    memcpy(path + length, managed, sizeof managed);
    if (is_file(path) && !os_same_file(path, input)) {
        *name = path;
        return true;
    }
    free(path);
    return false;
}
