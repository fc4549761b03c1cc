/* deps_json.h - the text of a deps.json, and nothing of files: one runtime asset more, every other byte as it was.
 *
 * The host gives the runtime only those assemblies that a runtime map of the target lists. The target is
 * targets[runtimeTarget.name] (older files: runtimeTarget is the name itself), its members are libraries, and a
 * library's "runtime" object has one member per assembly, named by its path. */
#ifndef ILINJECT_PACKAGE_DEPS_JSON_H
#define ILINJECT_PACKAGE_DEPS_JSON_H

#include "base/buffer.h"

typedef enum deps_json_outcome {
    DEPS_JSON_ADDED,      /* the new text was appended to *patched */
    DEPS_JSON_PRESENT,    /* the target lists the asset already */
    DEPS_JSON_NOT_LISTED, /* the target does not list the assembly that was asked for */
    DEPS_JSON_UNUSABLE,   /* *problem says what was expected and found */
    DEPS_JSON_NO_MEMORY,
} deps_json_outcome;

enum {
    DEPS_JSON_MAX_BYTES = 64 << 20, /* larger texts are not parsed: unusable */
    DEPS_JSON_PROBLEM_BYTES = 256,
};

typedef struct deps_json_options {
    const char *app;      /* the stem of the file's name: "app" for app.deps.json */
    const char *asset;    /* the file name to list: "ProfileInfoTracker.dll" */
    const char *assembly; /* list it only where this file name is listed; NULL: in any case */
    const char *rid;      /* list the asset's native form for this system, too ("linux-x64"); NULL: none */
} deps_json_options;

/* Where a native form lies, with two texts put in: the system's name and the asset's. */
#define DEPS_NATIVE_ASSET "runtimes/%s/lib/%s"

/* Lists options->asset, as `"name": {}`, in the runtime map of the app's own library: the one named `app`, else the
 * first project, else the one that lists `assembly`. The map is made when there is none. With `rid` both forms are in a
 * library of the asset's own, as a host takes either all portable assets of a library or all for its system; where that
 * library's name is taken, the portable form alone is listed. Byte order mark, indentation,
 * newlines, order and numbers stay. Both out-parameters are only touched as the outcomes say; problem has
 * DEPS_JSON_PROBLEM_BYTES. */
deps_json_outcome deps_json_add(buffer *patched, char *problem, bytes text, const deps_json_options *options);

/* True if the text has a target, so that deps_json_owner can answer. */
bool deps_json_is_usable(bytes text);

typedef enum deps_owner {
    DEPS_OWNER_NONE,      /* it is not listed, or the text is not usable */
    DEPS_OWNER_REFERENCE, /* by references to a file alone */
    DEPS_OWNER_PROJECT,   /* by a project; the SDK can list its file as a reference, too */
    DEPS_OWNER_PACKAGE,   /* by another library: a package, a runtime */
} deps_owner;

/* Says which libraries of the target bring this file name; of several kinds, the later one in the enumeration. */
deps_owner deps_json_owner(bytes text, const char *file_name);

/* True if both are JSON objects and `whole` has every member of `part` with an equal value; objects within them are
 * compared in the same way. */
bool deps_json_covers(bytes whole, bytes part);

#endif
