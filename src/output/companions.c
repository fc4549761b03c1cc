#define _GNU_SOURCE
#include "output/companions.h"

#include "base/arena.h"
#include "base/pages.h"
#include "output/deps_folder.h"
#include "package/deps_json.h"
#include "platform/os.h"
#include "platform/path.h"
#include "tracker/native_clock.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

struct ilj_outputs {
    bool tracker_stands;  /* in the outputs' folder */
    bool compiled_stands; /* and it has native code */
    bool anew;            /* that folder held nothing, so no output replaces a file in it */
    deps_folder there;    /* where the outputs go */
    deps_folder origin;   /* where the inputs are */
};

typedef struct job {
    diag *d;     /* the caller's */
    diag files;  /* for what os.h reports: goes to `d` as DIAG_BESIDE */
    arena arena; /* of the paths */
    const char *input;
    const char *output;
    const companion_tracker *tracker;
    os_links links; /* of what this output needs */
    ilj_outputs *known;
    companions_made *made; /* NULL: nothing is taken back */
} job;

static void tell(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    job *j = user;
    (void)file;
    (void)severity;
    diag_report(j->d, code == DIAG_NO_MEMORY ? code : DIAG_BESIDE, "%s", text);
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static size_t folder_length(const char *path) {
    const char *slash = path_last_separator(path);
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

/* ---- Knowledge from the output before -------------------------------------------------------------------------- */

ilj_status ilj_outputs_new(ilj_outputs **outputs) {
    ilj_outputs *made = calloc(1, sizeof *made);
    if (!made)
        return ILJ_NO_MEMORY;
    *outputs = made;
    return ILJ_OK;
}

static void forget(ilj_outputs *known) {
    deps_folder_clear(&known->there);
    deps_folder_clear(&known->origin);
    known->tracker_stands = known->compiled_stands = false;
}

void ilj_outputs_free(ilj_outputs *outputs) {
    if (outputs)
        forget(outputs);
    free(outputs);
}

void companions_forget(ilj_outputs *known) {
    if (known)
        forget(known);
}

static ecma_status see_one(void *user, const char *name) {
    (void)name;
    *(bool *)user = false;
    return ECMA_IO; /* one is enough */
}

/* From here on it is the folders of this output and this input that are spoken of. */
static ecma_status turn_to_folders(job *j) {
    bool turned = false;
    diag silent = {0};
    const deps_folder *there = &j->known->there;
    ecma_status status = deps_folder_turn(&j->known->there, j->output, &turned, j->d);
    if (status == ECMA_OK && turned) {
        j->known->tracker_stands = j->known->compiled_stands = false;
        j->known->anew = true;
        (void)os_visit_folder(&silent, *there->folder ? there->folder : ".", "", see_one, &j->known->anew);
    }
    j->links = os_exists(j->output) ? OS_NEEDED : OS_REPLACE;
    return status ? status : deps_folder_turn(&j->known->origin, j->input, NULL, j->d);
}

/* ---- Writing what is not there yet ----------------------------------------------------------------------------- */

static bool holds(const char *path, bytes content) {
    diag quiet = {.file = path};
    os_map map = OS_MAP_INIT;
    bool same = is_file(path) && os_map_file(&map, &quiet, path) == ECMA_OK && map.content.size == content.size;
    if (same && content.size >= PAGES_WORTH_ASKING) {
        pages_read(map.content.data, content.size);
        pages_read(content.data, content.size);
    }
    same = same && bytes_equal(map.content, content);
    os_unmap(&map);
    return same;
}

/* A file that was put there. */
typedef struct change {
    char *path;
    os_map old;   /* what stood there, */
    bool stood;   /* if anything did */
    bool is_done; /* the file has been put there */
} change;

/* Remembers what stands at the path, before anything is put there. */
static ecma_status remember(job *j, const char *path) {
    change c = {0};
    c.old = OS_MAP_INIT;
    c.stood = is_file(path);
    size_t size = strlen(path) + 1;
    ecma_status status = c.stood ? os_read_file(&c.old, &j->files, path) : ECMA_OK;
    if (status)
        return status;
    if ((c.path = malloc(size)))
        memcpy(c.path, path, size);
    if (c.path && buffer_reserve(&j->made->list, sizeof c)) {
        buffer_append(&j->made->list, &c, sizeof c);
        return ECMA_OK;
    }
    free(c.path);
    os_unmap(&c.old);
    return diag_no_memory(j->d);
}

static ecma_status place(job *j, const char *path, bytes content, const char *like, os_links links) {
    if (holds(path, content))
        return ECMA_OK;
    ecma_status status = j->made ? remember(j, path) : ECMA_OK;
    if (!status)
        status = os_place_file(&j->files, path, &content, 1, like, links);
    if (!status && j->made)
        ((change *)(void *)(j->made->list.data + j->made->list.size))[-1].is_done = true;
    return status;
}

static ecma_status put(job *j, const char *path, bytes content, const char *like) {
    return place(j, path, content, like, j->links);
}

/* Puts what all outputs in the folder need. */
static ecma_status put_shared(job *j, const char *path, bytes content) {
    return place(j, path, content, j->input, j->known->anew ? OS_REPLACE : OS_NEEDED);
}

static size_t change_count(const companions_made *made) {
    return made->list.size / sizeof(change);
}

void companions_keep(companions_made *made) {
    change *all = (change *)(void *)made->list.data;
    for (size_t i = 0; i < change_count(made); i++) {
        free(all[i].path);
        os_unmap(&all[i].old);
    }
    buffer_clear(&made->list);
}

void companions_take_back(companions_made *made, ilj_outputs *known) {
    const change *all = (const change *)(const void *)made->list.data;
    diag silent = {0};
    for (size_t i = change_count(made); i-- > 0;) {
        const change *c = &all[i];
        if (!c->is_done)
            continue;
        if (!c->stood)
            (void)os_remove(&silent, c->path);
        else if (!holds(c->path, c->old.content))
            (void)os_place_file(&silent, c->path, &c->old.content, 1, c->path, OS_REPLACE);
    }
    companions_keep(made);
    companions_forget(known);
}

/* ---- The tracker's native form --------------------------------------------------------------------------------- */

/* The systems that there are native forms for. */
static const char *const native_systems[] = {"linux-x64", "linux-arm64"};

static char *native_path(job *j, const char *rid) {
    int size = snprintf(NULL, 0, DEPS_NATIVE_ASSET, rid, j->tracker->file_name) + 1;
    char *path = arena_alloc(&j->arena, (size_t)size);
    if (path)
        snprintf(path, (size_t)size, DEPS_NATIVE_ASSET, rid, j->tracker->file_name);
    return path;
}

static ecma_status make_folders(job *j, const char *path) {
    ecma_status status = ECMA_OK;
    for (const char *slash = strchr(path, '/'); slash && status == ECMA_OK; slash = strchr(slash + 1, '/')) {
        char *name = join(&j->arena, path, (size_t)(slash - path), "");
        char *folder = name ? in_output_folder(j, name) : NULL;
        status = folder ? os_make_folder(&j->files, folder) : diag_no_memory(j->d);
    }
    return status;
}

static ecma_status put_native_form(job *j, const char *rid, const char *path) {
    bool own = j->tracker->rid && strcmp(rid, j->tracker->rid) == 0;
    char *full = in_output_folder(j, path);
    if (!full)
        return diag_no_memory(j->d);
    ecma_status status = make_folders(j, path);
    return status ? status : put_shared(j, full, own ? j->tracker->native : j->tracker->image);
}

/* A host loads what such a place holds: for each that the text of a deps.json names, or (no text) that holds one. */
static ecma_status put_native_forms(job *j, const bytes *text) {
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < sizeof native_systems / sizeof native_systems[0] && status == ECMA_OK; i++) {
        const char *path = native_path(j, native_systems[i]), *full = path ? in_output_folder(j, path) : NULL;
        if (!full)
            return diag_no_memory(j->d);
        if (text ? text->size > 0 && memmem(text->data, text->size, path, strlen(path)) : is_file(full))
            status = put_native_form(j, native_systems[i], path);
    }
    return status;
}

static ecma_status put_tracker(job *j) {
    const char *name = j->tracker->file_name;
    const char *path = in_output_folder(j, name);
    if (!path)
        return diag_no_memory(j->d);
    if (path_compare(base_name(j->output), name) == 0 || os_same_file(path, j->output) || os_same_file(path, j->input))
        return diag_report(j->d, DIAG_BESIDE, "the tracker belongs beside the output as %s, which is the %s itself",
                           path, os_same_file(path, j->input) ? "input" : "output");
    if (j->known->tracker_stands && (j->known->compiled_stands || !j->tracker->compiled))
        return ECMA_OK;
    ecma_status status = put_native_forms(j, NULL);
    return status ? status : put_shared(j, path, j->tracker->image);
}

static ecma_status put_native_clock(job *j) {
    if (j->tracker->native_clock.size == 0 || j->known->tracker_stands)
        return ECMA_OK;
    const char *path = in_output_folder(j, NATIVE_CLOCK_FILE);
    return path ? put_shared(j, path, j->tracker->native_clock) : diag_no_memory(j->d);
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

static const char deps_ending[] = DEPS_ENDING, config_ending[] = ".runtimeconfig.json";

/* Writes the text, after what it names of the tracker. */
static ecma_status put_deps_text(job *j, bytes text, const char *from, const char *to) {
    ecma_status status = put_native_forms(j, &text);
    return status ? status : put(j, to, text, from);
}

/* Writes `text`, read at `from`, to `to` with the tracker in it. A file that only has to be changed when it lists the
 * output (`listing`) is else left alone. Only beside what a host starts is a native form named: it lies in a folder,
 * which the files of a library alone would be copied without. */
static ecma_status put_deps(job *j, bytes text, const char *from, const char *to, bool listing) {
    const char *name = base_name(to), *assembly = base_name(j->output);
    char *app = join(&j->arena, name, strlen(name) - (sizeof deps_ending - 1), "");
    char *config = join(&j->arena, to, strlen(to) - (sizeof deps_ending - 1), config_ending);
    if (!app || !config)
        return diag_no_memory(j->d);
    const deps_json_options options = {app, j->tracker->file_name, listing ? assembly : NULL,
                                       is_file(config) ? j->tracker->rid : NULL};
    buffer patched = BUFFER_INIT;
    char problem[DEPS_JSON_PROBLEM_BYTES];
    ecma_status status = ECMA_OK;
    switch (deps_json_add(&patched, problem, text, &options)) {
    case DEPS_JSON_ADDED:
        status = put_deps_text(j, buffer_bytes(&patched), from, to);
        break;
    case DEPS_JSON_PRESENT:
        status = put_deps_text(j, text, from, to);
        break;
    case DEPS_JSON_NOT_LISTED:
        break;
    case DEPS_JSON_UNUSABLE:
        /* Its host takes this program's file no better, and the tracker cannot be listed: no output would start. */
        if (!listing) {
            status =
                diag_report(j->d, DIAG_DEPS_JSON_OWN, "%s: %s; the program would not start: %s cannot be listed there",
                            from, problem, j->tracker->file_name);
            break;
        }
        /* Another program's file is only worth a word when it speaks of this assembly. */
        if (text.size == 0 || !memmem(text.data, text.size, assembly, strlen(assembly)))
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
    if (status == ECMA_OK && j->known->there.listed && (has_source || has_target))
        status = deps_folder_add(&j->known->there, base_name(to), j->d);
    os_unmap(&source);
    os_unmap(&target);
    return status;
}

/* For another assembly's file, which may list this output, too. */
static ecma_status visit_deps(job *j, const char *name) {
    const char *path = in_output_folder(j, name);
    if (!path)
        return diag_no_memory(j->d);
    if (!is_file(path))
        return ECMA_OK;
    os_map map = OS_MAP_INIT;
    ecma_status status = os_map_file(&map, &j->files, path);
    if (status == ECMA_OK && deps_may_list(map.content, base_name(j->output)))
        status = put_deps(j, map.content, path, path, true);
    os_unmap(&map);
    return status;
}

/* True if the program of this deps.json stands there. Otherwise it is put together later. */
static bool has_program(job *j, const char *deps) {
    static const char *const endings[] = {".dll", ".exe"};
    size_t folder = folder_length(j->output);
    for (size_t i = 0; i < sizeof endings / sizeof endings[0]; i++) {
        char *path = join(&j->arena, deps, strlen(deps) - (sizeof deps_ending - 1), endings[i]);
        path = path ? join(&j->arena, j->output, folder, path) : NULL;
        if (path && is_file(path))
            return true;
    }
    return false;
}

/* A program's deps.json beside the input, which may list this library: the rest of the program is perhaps copied
 * around the output later. One that stands there already is the program's own. */
static ecma_status bring_deps(job *j, const char *name) {
    char *from = join(&j->arena, j->input, folder_length(j->input), name), *to = in_output_folder(j, name);
    if (!from || !to)
        return diag_no_memory(j->d);
    if (os_exists(to) || !is_file(from))
        return ECMA_OK;
    os_map map = OS_MAP_INIT;
    ecma_status status = os_map_file(&map, &j->files, from);
    if (status == ECMA_OK && deps_may_list(map.content, base_name(j->output)))
        status = put_deps(j, map.content, from, to, true);
    os_unmap(&map);
    if (status != ECMA_OK || !is_file(to))
        return status;
    if (!has_program(j, name))
        diag_report(j->d, DIAG_DEPS_BROUGHT,
                    "%s was written, too, with %s in it: keep it when the rest of %.*s is copied there", to,
                    j->tracker->file_name, (int)(folder_length(j->input) ? folder_length(j->input) : 2),
                    folder_length(j->input) ? j->input : "./");
    return deps_folder_add(&j->known->there, name, j->d);
}

static ecma_status put_all_deps(job *j) {
    const char *from = with_ending(j, j->input, deps_ending), *to = with_ending(j, j->output, deps_ending);
    const deps_folder *there = &j->known->there, *origin = &j->known->origin;
    if (!from || !to)
        return diag_no_memory(j->d);
    ecma_status status = put_own_deps(j, from, to);
    if (status == ECMA_OK)
        status = deps_folder_list(&j->known->there, false, &j->files);
    for (size_t i = 0; i < there->count && status == ECMA_OK; i++)
        if (path_compare(there->names[i], base_name(to)) != 0)
            status = visit_deps(j, there->names[i]);
    if (status == ECMA_OK)
        status = deps_folder_list(&j->known->origin, true, &j->files);
    for (size_t i = 0; i < origin->count && status == ECMA_OK; i++)
        if (path_compare(origin->names[i], base_name(from)) != 0)
            status = bring_deps(j, origin->names[i]);
    return status;
}

/* ---- All of it ------------------------------------------------------------------------------------------------- */

ecma_status companions_write(diag *d, ilj_outputs *known, const char *input, const char *output,
                             const companion_tracker *tracker, companions_made *made) {
    ilj_outputs alone = {.there = {.memory = ARENA_INIT}, .origin = {.memory = ARENA_INIT}};
    job j = {.d = d,
             .arena = ARENA_INIT,
             .input = input,
             .output = output,
             .tracker = tracker,
             .known = known ? known : &alone,
             .made = made};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    ecma_status status = turn_to_folders(&j);
    if (status == ECMA_OK)
        status = put_tracker(&j);
    if (status == ECMA_OK)
        status = put_native_clock(&j);
    if (status == ECMA_OK)
        j.known->tracker_stands = true, j.known->compiled_stands |= tracker->compiled;
    if (status == ECMA_OK)
        status = copy(&j, with_ending(&j, input, config_ending), with_ending(&j, output, config_ending));
    if (status == ECMA_OK)
        status = copy(&j, join(&j.arena, input, strlen(input), ".config"),
                      join(&j.arena, output, strlen(output), ".config"));
    if (status == ECMA_OK)
        status = put_all_deps(&j);
    if (status)
        companions_forget(j.known);
    arena_clear(&j.arena);
    forget(&alone);
    return status;
}

ecma_status companions_put(diag *d, const char *path, bytes content, const char *like) {
    job j = {.d = d, .links = OS_REPLACE};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    return put(&j, path, content, like);
}

ecma_status companions_prepare(diag *d, const char *path, bytes content, const char *like) {
    job j = {.d = d};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    return holds(path, content) ? os_settle_file(&j.files, path, false)
                                : os_prepare_file(&j.files, path, &content, 1, like);
}

ecma_status companions_settle(diag *d, const char *path, bool keep) {
    job j = {.d = d};
    j.files = (diag){.sink = tell, .user = &j, .file = d->file};
    return os_settle_file(&j.files, path, keep);
}
