/* Programs as they stand in a folder: which file starts, which assemblies are the program's own, and a copy of the
 * folder in which those are instrumented. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input/context.h"
#include "input/launcher.h"
#include "output/companions.h"
#include "package/app_assemblies.h"
#include "package/deps_json.h"
#include "package/loadable.h"
#include "platform/path.h"
#include "tracker/tracker.h"

typedef struct found_application {
    ilj_application shown; /* what the caller sees */
    arena memory;
    char **own;
    size_t capacity;
} found_application;

/* ---- Names ------------------------------------------------------------------------------------------------------ */

static bool ends_with(const char *name, const char *ending) {
    size_t size = strlen(name), length = strlen(ending);
    return size > length && strcasecmp(name + size - length, ending) == 0;
}

static char *joined(arena *a, const char *folder, const char *name, size_t name_size, const char *ending) {
    size_t folder_size = strlen(folder), ending_size = strlen(ending);
    char *path = arena_alloc(a, folder_size + 1 + name_size + ending_size + 1);
    if (!path)
        return NULL;
    memcpy(path, folder, folder_size);
    path[folder_size] = '/';
    memcpy(path + folder_size + 1, name, name_size);
    memcpy(path + folder_size + 1 + name_size, ending, ending_size + 1);
    return path;
}

static char *beside(arena *a, const ilj_application *app, const char *name) {
    return joined(a, app->folder, name, strlen(name), "");
}

/* X.ending beside X.dll. */
static char *by_stem(arena *a, const ilj_application *app, const char *assembly, const char *ending) {
    return joined(a, app->folder, assembly, strlen(assembly) - 4, ending);
}

/* ---- Kinds of files --------------------------------------------------------------------------------------------- */

static bool is_native_program(const char *path) {
    diag silent = {0};
    os_map map = OS_MAP_INIT;
    bool is = os_map_file(&map, &silent, path) == ECMA_OK && map.content.size > 4 &&
              memcmp(map.content.data,
                     "\x7F"
                     "ELF",
                     4) == 0;
    os_unmap(&map);
    return is;
}

/* A program that brings its runtime with it is started by its launcher alone. */
static bool brings_runtime(const char *runtime_config) {
    static const char mark[] = "\"includedFrameworks\"";
    diag silent = {0};
    os_map map = OS_MAP_INIT;
    bool found = os_map_file(&map, &silent, runtime_config) == ECMA_OK &&
                 memmem(map.content.data, map.content.size, mark, sizeof mark - 1) != NULL;
    os_unmap(&map);
    return found;
}

/* ---- Which assemblies are its own ------------------------------------------------------------------------------- */

typedef struct search {
    found_application *found;
    diag *d;
    bool all;                     /* every assembly is wanted */
    bool has_deps;                /* `packaged` is known */
    bytes deps;                   /* the text of the deps.json */
    const char *const *arguments; /* of the program */
    size_t argument_count;
    loadables loadables;
    char *first, *more; /* programs of a folder: the first, and another one */
} search;

static bool is_own(const search *s, const char *name) {
    const ilj_application *app = &s->found->shown;
    if (path_compare(name, app->assembly) == 0 || s->all)
        return true;
    deps_owner owner = s->has_deps ? app_owner(s->deps, name) : DEPS_OWNER_NONE;
    return app_is_own(owner, s->has_deps, name);
}

/* The kind of a file of the program; an assembly that cannot be read is reported. Returns ECMA_OK, ECMA_IO,
 * ECMA_NO_MEMORY.
 */
static ecma_status facts_of(search *s, const char *path, assembly_facts *facts) {
    bool is_there = os_exists(path) && (ends_with(path, ".dll") || ends_with(path, ".exe"));
    diag silent = {0};
    ecma_status status = app_facts(facts, is_there ? s->d : &silent, path);
    if (status == ECMA_NO_MEMORY && !is_there)
        diag_no_memory(s->d);
    return status == ECMA_IO && !is_there ? ECMA_OK : status;
}

/* The program may do without one that cannot be read. */
static ecma_status only_memory(ecma_status status) {
    return status == ECMA_NO_MEMORY ? status : ECMA_OK;
}

static ecma_status keep_own(void *user, const char *name) {
    search *s = user;
    found_application *found = s->found;
    if ((!ends_with(name, ".dll") && !ends_with(name, ".exe")) || app_is_tracker(name) || !is_own(s, name))
        return ECMA_OK;
    char *path = beside(&found->memory, &found->shown, name);
    if (!path)
        return diag_no_memory(s->d);
    assembly_facts facts;
    ecma_status status = facts_of(s, path, &facts);
    if (status || !facts.managed)
        return only_memory(status);
    if (found->shown.own_count == found->capacity) {
        size_t capacity = found->capacity ? 2 * found->capacity : 16;
        char **moved = realloc(found->own, capacity * sizeof *moved);
        if (!moved)
            return diag_no_memory(s->d);
        found->own = moved;
        found->capacity = capacity;
    }
    found->own[found->shown.own_count++] = path + strlen(found->shown.folder) + 1;
    return ECMA_OK;
}

/* The texts that name assemblies: the program's own, and its settings. */
static ecma_status read_settings(void *user, const char *name) {
    search *s = user;
    const ilj_application *app = &s->found->shown;
    size_t stem = strlen(app->assembly) - 4;
    bool own = strlen(name) > stem + 4 && strncasecmp(name, app->assembly, stem) == 0 &&
               (strcasecmp(name + stem, ".deps.json") == 0 || strcasecmp(name + stem + 4, ".config") == 0);
    if (!own && !(strncasecmp(name, "appsettings", 11) == 0 && ends_with(name, ".json")))
        return ECMA_OK;
    diag silent = {0};
    os_map map = OS_MAP_INIT;
    char *path = beside(&s->found->memory, app, name);
    if (!path)
        return diag_no_memory(s->d);
    if (os_map_file(&map, &silent, path) == ECMA_OK)
        loadables_name(&s->loadables, map.content, false);
    os_unmap(&map);
    return ECMA_OK;
}

/* Keeps those of the program's own that it can load: other programs may stand in its folder. */
static ecma_status keep_loadable(search *s) {
    found_application *found = s->found;
    ilj_application *app = &found->shown;
    loadables *l = &s->loadables;
    l->count = app->own_count;
    l->list = arena_alloc_array(&l->memory, l->count + 1, sizeof *l->list);
    if (!l->list)
        return diag_no_memory(s->d);
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < l->count; i++)
        l->list[i] = (loadable){.name = found->own[i], .is = path_compare(found->own[i], app->assembly) == 0};
    for (size_t i = 0; i < l->count && status == ECMA_OK; i++) {
        const char *path = beside(&found->memory, app, found->own[i]);
        status = path ? loadables_read(l, i, s->d, path) : diag_no_memory(s->d);
    }
    for (size_t i = 0; i < s->argument_count; i++)
        loadables_name(l, bytes_of((const uint8_t *)s->arguments[i], strlen(s->arguments[i])), true);
    if (status == ECMA_OK)
        status = os_visit_folder(s->d, app->folder, "", read_settings, s);
    if (status == ECMA_OK)
        loadables_follow(l);
    size_t kept = 0;
    for (size_t i = 0; i < l->count && status == ECMA_OK; i++)
        if (l->list[i].is)
            found->own[kept++] = found->own[i];
    app->own_count = kept;
    arena_clear(&l->memory);
    return status;
}

static ecma_status find_own(search *s) {
    found_application *found = s->found;
    ilj_application *app = &found->shown;
    diag silent = {0};
    os_map map = OS_MAP_INIT;
    char *deps = by_stem(&found->memory, app, app->assembly, ".deps.json");
    if (!deps)
        return diag_no_memory(s->d);
    s->has_deps = os_map_file(&map, &silent, deps) == ECMA_OK && deps_json_is_usable(map.content);
    s->deps = map.content;
    ecma_status status = os_visit_folder(s->d, app->folder, "", keep_own, s);
    os_unmap(&map);
    if (status == ECMA_OK && !s->all)
        status = keep_loadable(s);
    app->own = (const char *const *)found->own;
    return status;
}

/* ---- Entry points ----------------------------------------------------------------------------------------------- */

/* Settles how X.dll or X.exe is started. */
static ecma_status settle(search *s, const char *assembly, const char *launcher) {
    arena *a = &s->found->memory;
    ilj_application *app = &s->found->shown;
    char *config = by_stem(a, app, assembly, ".runtimeconfig.json");
    char *own_launcher = joined(a, app->folder, assembly, strlen(assembly) - 4, "");
    if (!config || !own_launcher)
        return diag_no_memory(s->d);
    app->assembly = assembly;
    app->entry = assembly;
    app->host = os_exists(config) ? ILJ_HOST_DOTNET : ILJ_HOST_MONO;
    if (app->host == ILJ_HOST_DOTNET && is_native_program(own_launcher) && (launcher || brings_runtime(config))) {
        app->host = ILJ_HOST_LAUNCHER;
        app->entry = own_launcher + strlen(app->folder) + 1;
    }
    char *path = beside(a, app, assembly);
    if (!path)
        return diag_no_memory(s->d);
    assembly_facts facts;
    ecma_status status = facts_of(s, path, &facts);
    app->instrumented = facts.instrumented;
    return status;
}

/* Programs of .NET have a runtimeconfig.json, those of Mono an entry point in an .exe. */
static ecma_status look_for_program(void *user, const char *name) {
    search *s = user;
    static const char config[] = ".runtimeconfig.json";
    arena *a = &s->found->memory;
    const ilj_application *app = &s->found->shown;
    char *path = NULL;
    if (ends_with(name, config))
        path = joined(a, app->folder, name, strlen(name) - (sizeof config - 1), ".dll");
    else if (ends_with(name, ".exe"))
        path = beside(a, app, name);
    else
        return ECMA_OK;
    if (!path)
        return diag_no_memory(s->d);
    assembly_facts facts;
    ecma_status status = facts_of(s, path, &facts);
    if (status || !facts.managed || !facts.starts)
        return only_memory(status);
    if (s->first)
        s->more = path;
    else
        s->first = path;
    return ECMA_OK;
}

static ecma_status find_in_folder(search *s) {
    const char *folder = s->found->shown.folder;
    ecma_status status = os_visit_folder(s->d, folder, "", look_for_program, s);
    if (status != ECMA_OK)
        return status;
    if (!s->first)
        return diag_report(s->d, DIAG_NO_PROGRAM,
                           "no program stands in this folder: expected NAME.runtimeconfig.json with "
                           "NAME.dll, or an assembly NAME.exe");
    if (s->more)
        return diag_report(s->d, DIAG_NO_PROGRAM, "several programs stand in this folder; name one: %s, %s", s->first,
                           s->more);
    return settle(s, s->first + strlen(folder) + 1, NULL);
}

/* The current folder of a drive ("C:") becomes "C:.", which a slash may follow. */
static bool set_folder(found_application *found, const char *path, size_t size) {
    char *folder = arena_alloc(&found->memory, size + sizeof ".");
    if (!folder)
        return false;
    memcpy(folder, path, size);
    folder[size] = 0;
    if (path_ends_at_drive(path, size))
        strcpy(folder + size, ".");
    found->shown.folder = folder;
    return true;
}

/* The folder of a path, and its last part. */
static bool split(found_application *found, const char *path, const char **name) {
    const char *slash = path_last_separator(path);
    *name = slash ? slash + 1 : path;
    size_t size = slash == path ? 1 : slash ? (size_t)(slash - path) : 1;
    return set_folder(found, slash ? path : ".", slash && *slash == ':' ? size + 1 : size);
}

/* *is_program: whether the path is one. */
static ecma_status find(search *s, const char *path, bool *is_program) {
    found_application *found = s->found;
    const char *name;
    char *managed = NULL;
    *is_program = true;
    if (os_is_directory(path)) {
        size_t size = strlen(path);
        while (size > 1 && path_is_separator(path[size - 1]))
            size--;
        return set_folder(found, path, size) ? find_in_folder(s) : diag_no_memory(s->d);
    }
    char *kept = arena_alloc(&found->memory, strlen(path) + 1);
    if (!kept || !split(found, strcpy(kept, path), &name))
        return diag_no_memory(s->d);
    assembly_facts facts;
    ecma_status status = facts_of(s, path, &facts);
    if (status)
        return status;
    if (facts.managed) {
        if (!facts.starts)
            return diag_report(s->d, DIAG_NO_PROGRAM, "the assembly has no entry point: it is no program");
        return settle(s, name, NULL);
    }
    *is_program = false;
    if (!os_exists(path) || !launcher_try_managed_name(path, &managed))
        return ECMA_OK;
    status = facts_of(s, managed, &facts);
    char *copy = arena_alloc(&found->memory, strlen(managed) + 1);
    if (copy)
        strcpy(copy, managed);
    free(managed);
    if (!copy && status == ECMA_OK)
        status = diag_no_memory(s->d);
    if (status || !facts.managed || !facts.starts)
        return status;
    *is_program = true;
    return split(found, copy, &name) ? settle(s, path_name(copy), name) : diag_no_memory(s->d);
}

ilj_status ilj_application_find(ilj_application **app, ilj_context *context, const char *path,
                                const char *const *arguments, size_t argument_count, bool all) {
    diag d = context_diag(context, path);
    found_application *found = calloc(1, sizeof *found);
    *app = NULL;
    if (!found)
        return diag_no_memory(&d);
    found->memory = ARENA_INIT;
    search s = {.found = found,
                .d = &d,
                .all = all,
                .arguments = arguments,
                .argument_count = argument_count,
                .loadables = {.memory = ARENA_INIT}};
    bool is_program = false;
    ecma_status status = find(&s, path, &is_program);
    if (status == ECMA_OK && is_program)
        status = find_own(&s);
    if (status == ECMA_OK && is_program)
        *app = &found->shown;
    else
        ilj_application_free(&found->shown);
    return status;
}

void ilj_application_free(ilj_application *app) {
    if (!app)
        return;
    found_application *found = (found_application *)app;
    free(found->own);
    arena_clear(&found->memory);
    free(found);
}

/* ---- The copy --------------------------------------------------------------------------------------------------- */

typedef struct staging {
    const ilj_application *app;
    diag *d;
    arena *memory;
    const char *folder;
    char *from; /* the application's folder, absolute */
} staging;

/* Files that the copy does not have yet are second names: a program may look at a file's length and kind, and a
 * symbolic link has its own. Where there can be none, assemblies are copied and others are symbolic links. The launcher
 * is copied, as it looks for its files where it really stands. */
static ecma_status link_rest(void *user, const char *name) {
    staging *s = user;
    char *to = joined(s->memory, s->folder, name, strlen(name), "");
    char *from = joined(s->memory, s->from, name, strlen(name), "");
    if (!to || !from)
        return diag_no_memory(s->d);
    if (os_exists(to))
        return ECMA_OK;
    if (s->app->host == ILJ_HOST_LAUNCHER && path_compare(name, s->app->entry) == 0)
        return os_copy_file(s->d, from, to);
    if (os_kind_of(from) == OS_FILE) {
        if (os_try_hard_link(from, to))
            return ECMA_OK;
        if (ends_with(name, ".dll") || ends_with(name, ".exe"))
            return os_copy_file(s->d, from, to);
    }
    return os_link(s->d, from, to);
}

ilj_status ilj_application_stage(const ilj_application *app, ilj_context *context, const char *folder,
                                 const ilj_instrument_options *options, ilj_staged_fn *staged, void *user) {
    diag d = context_diag(context, app->folder);
    arena memory = ARENA_INIT;
    staging s = {.app = app, .d = &d, .memory = &memory, .folder = folder};
    ilj_instrument_options own;
    ecma_status status = options_copy(&own, options, sizeof own, "ilj_instrument_options", context);
    for (size_t i = 0; i < app->own_count && status == ECMA_OK; i++) {
        char *input = joined(&memory, app->folder, app->own[i], strlen(app->own[i]), "");
        char *output = joined(&memory, folder, app->own[i], strlen(app->own[i]), "");
        ilj_summary summary = {0};
        if (!input || !output)
            status = diag_no_memory(&d);
        else if (ilj_instrument(&summary, context, input, output, &own) == ILJ_NO_MEMORY)
            status = ECMA_NO_MEMORY;
        else
            staged(user, input, &summary);
    }
    if (status == ECMA_OK)
        status = os_full_path(&d, app->folder, &s.from);
    if (status == ECMA_OK)
        status = os_visit_folder(&d, app->folder, "", link_rest, &s);
    free(s.from);
    arena_clear(&memory);
    return status;
}

ilj_status ilj_tracker_write(ilj_context *context, const char *path) {
    diag d = context_diag(context, path);
    bytes image = tracker_built_in();
    return os_write_file(&d, path, &image, 1, NULL);
}
