/* app_assemblies.h - which assemblies of a folder are somebody's own, and which came with packages or frameworks; and
 * what a file is at all. */
#ifndef ILINJECT_PACKAGE_APP_ASSEMBLIES_H
#define ILINJECT_PACKAGE_APP_ASSEMBLIES_H

#include "platform/os.h"

typedef struct assembly_facts {
    bool managed; /* an assembly, not a mere module */
    bool module;  /* a module of an assembly whose manifest is in another file */
    bool starts;  /* it has an entry point */
    bool instrumented;
    bool satellite;    /* it has a culture: resources, and no code */
    bool core_library; /* which the tracker itself runs on */
} assembly_facts;

/* All false for a file that is something else, of which nothing is told. Returns ECMA_OK; ECMA_IO, ECMA_NO_MEMORY
 * (told) when the file cannot be read. */
ecma_status app_facts(assembly_facts *facts, diag *d, const char *path);

/* Is it a file name of an assembly that a framework brings? */
bool app_is_framework_name(const char *name);

/* Does the text of a deps.json, which is usable, say that a package or runtime brings this file name? As
 * deps_json_packages, but at little cost where the name does not occur. */
bool app_is_packaged(bytes deps, const char *name);

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

/* A file name of that folder: not what a package brings as a deps.json there or above says; where there is none in the
 * folder itself, not what has a framework's name either. */
bool app_rules_admit(const app_rules *rules, const char *name);

#endif
