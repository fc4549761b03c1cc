/* app_assemblies.h - which assemblies of a folder are the program's own, and which came with packages or frameworks;
 * and what kind of file each is. */
#ifndef ILINJECT_PACKAGE_APP_ASSEMBLIES_H
#define ILINJECT_PACKAGE_APP_ASSEMBLIES_H

#include "package/deps_json.h"
#include "platform/os.h"

typedef struct assembly_facts {
    bool managed; /* an assembly, not a mere module */
    bool module;  /* a module of an assembly with its manifest in another file */
    bool starts;  /* it has an entry point */
    bool instrumented;
    bool satellite;    /* it has a culture: resources, and no code */
    bool core_library; /* which the tracker itself runs on */
} assembly_facts;

/* All false, and nothing reported, for any other file. Returns ECMA_OK; ECMA_IO, ECMA_NO_MEMORY (reported) when the
 * file cannot be read. */
ecma_status app_facts(assembly_facts *facts, diag *d, const char *path);

/* True of a tracker's file name, that of profiles or that of spans: it stands beside what it is for. */
bool app_is_tracker(const char *file_name);

/* As deps_json_owner, at little cost where the name does not occur. */
deps_owner app_owner(bytes deps, const char *name);

/* True if this file name is the program's own. Not what a package brings, nor, unless a project does, what runs tests
 * (runners.def) and, without a deps.json, what has a framework's name. */
bool app_is_own(deps_owner owner, bool has_deps, const char *name);

/* The usable deps.json files of one folder. OWN_RULES_INIT, app_rules_read, app_rules_clear. */
typedef struct app_rules {
    const struct app_rules *above; /* of the folder that this one is in; NULL: none */
    os_map *deps;
    size_t count;
} app_rules;

#define OWN_RULES_INIT ((app_rules){0})

/* Reads those of `folder`; `above` is borrowed. Returns ECMA_OK, ECMA_IO, ECMA_NO_MEMORY; clear in any case. */
ecma_status app_rules_read(app_rules *rules, diag *d, const char *folder, const app_rules *above);
void app_rules_clear(app_rules *rules);

/* As app_is_own, by the deps.json files there and above; a framework's name is one where there is none in the folder
 * itself. */
bool app_rules_admit(const app_rules *rules, const char *name);

#endif
