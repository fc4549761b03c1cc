#define _GNU_SOURCE
#include "package/app_assemblies.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "input/image.h"
#include "input/marker.h"
#include "platform/path.h"

static assembly_facts facts_of(const ilj_image *image) {
    assembly_facts facts = {0};
    const md_view *v = &image->metadata;
    if (!image->bare && md_row_count(v, MD_TABLE_Assembly) > 0) {
        facts.managed = true;
        facts.starts = image->pe.cli.entry_point_token != 0;
        facts.instrumented = marker_instrumented_times(v) > 0;
        facts.satellite = !md_name_is(v, MD_Assembly_Culture, 1, "");
        facts.core_library = marker_is_core_library(v);
    } else if (!image->bare) {
        facts.module = true;
    }
    return facts;
}

ecma_status app_facts(assembly_facts *facts, diag *d, const char *path) {
    ilj_context silent = {0};
    ilj_image *image = NULL;
    os_map map = OS_MAP_INIT;
    *facts = (assembly_facts){0};
    ecma_status status = os_read_file(&map, d, path);
    if (status)
        return status;
    ilj_status opened = image_open_bytes(&image, &silent, path, map.content);
    if (opened == ILJ_OK) {
        *facts = facts_of(image);
        ilj_image_free(image);
    }
    os_unmap(&map);
    return opened == ILJ_NO_MEMORY ? diag_no_memory(d) : ECMA_OK;
}

bool app_is_tracker(const char *file_name) {
    return path_compare(file_name, "ProfileInfoTracker.dll") == 0 || path_compare(file_name, "ILInject.Spans.dll") == 0;
}

static bool is_framework_name(const char *name) {
    static const char *const starts[] = {"System.", "Microsoft.", "Mono.", "I18N.", "ProfileInfoTracker.", "ILInject."};
    static const char *const whole[] = {"mscorlib.dll",    "netstandard.dll",      "WindowsBase.dll",
                                        "FSharp.Core.dll", "PresentationCore.dll", "PresentationFramework.dll"};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++)
        if (strncasecmp(name, starts[i], strlen(starts[i])) == 0)
            return true;
    for (size_t i = 0; i < sizeof whole / sizeof whole[0]; i++)
        if (strcasecmp(name, whole[i]) == 0)
            return true;
    return false;
}

/* True if the name, without its ending, is what the pattern says. */
static bool is_like(const char *pattern, const char *name, size_t length) {
    size_t size = strlen(pattern);
    if (pattern[0] == '*')
        return length >= size - 1 && strncasecmp(name + length - (size - 1), pattern + 1, size - 1) == 0;
    if (pattern[size - 1] == '*')
        return length >= size - 1 && strncasecmp(name, pattern, size - 1) == 0;
    return length == size && strncasecmp(name, pattern, size) == 0;
}

static bool runs_tests(const char *name) {
    static const char *const runners[] = {
#define RUNNER(name, reason) name,
#include "package/runners.def"
    };
    const char *dot = strrchr(name, '.');
    for (size_t i = 0; dot && i < sizeof runners / sizeof runners[0]; i++)
        if (is_like(runners[i], name, (size_t)(dot - name)))
            return true;
    return false;
}

deps_owner app_owner(bytes deps, const char *name) {
    /* Reading JSON takes long; characters may be escaped, but hardly ever are. */
    if (!memmem(deps.data, deps.size, name, strlen(name)) && !memchr(deps.data, '\\', deps.size))
        return DEPS_OWNER_NONE;
    return deps_json_owner(deps, name);
}

bool app_is_own(deps_owner owner, bool has_deps, const char *name) {
    if (owner != DEPS_OWNER_NONE)
        return owner == DEPS_OWNER_PROJECT;
    return !runs_tests(name) && (has_deps || !is_framework_name(name));
}

typedef struct reading {
    app_rules *rules;
    diag *d;
    const char *folder;
} reading;

static ecma_status read_one(void *user, const char *name) {
    reading *r = user;
    app_rules *rules = r->rules;
    diag silent = {0};
    os_map map = OS_MAP_INIT;
    size_t size = strlen(r->folder) + strlen(name) + 2;
    os_map *more = realloc(rules->deps, (rules->count + 1) * sizeof *more);
    char *path = malloc(size);
    if (more)
        rules->deps = more;
    if (!more || !path) {
        free(path);
        return diag_no_memory(r->d);
    }
    memcpy(path, r->folder, strlen(r->folder));
    path[strlen(r->folder)] = '/';
    memcpy(path + strlen(r->folder) + 1, name, strlen(name) + 1);
    if (os_read_file(&map, &silent, path) == ECMA_OK && map.content.size > 0 && deps_json_is_usable(map.content))
        rules->deps[rules->count++] = map;
    else
        os_unmap(&map);
    free(path);
    return ECMA_OK;
}

ecma_status app_rules_read(app_rules *rules, diag *d, const char *folder, const app_rules *above) {
    reading r = {rules, d, folder};
    *rules = (app_rules){.above = above};
    return os_visit_folder(d, folder, ".deps.json", read_one, &r);
}

void app_rules_clear(app_rules *rules) {
    for (size_t i = 0; i < rules->count; i++)
        os_unmap(&rules->deps[i]);
    free(rules->deps);
    *rules = OWN_RULES_INIT;
}

bool app_rules_admit(const app_rules *rules, const char *name) {
    deps_owner owner = DEPS_OWNER_NONE;
    for (const app_rules *at = rules; at; at = at->above)
        for (size_t i = 0; i < at->count && owner != DEPS_OWNER_PACKAGE; i++) {
            deps_owner one = app_owner(at->deps[i].content, name);
            owner = one > owner ? one : owner;
        }
    return app_is_own(owner, rules->count > 0, name);
}
