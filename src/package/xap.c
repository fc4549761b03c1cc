/* The parts that make a zip a XAP: a manifest that names its assemblies, and zips beside it that it loads when they are
 * needed. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <strings.h>

#include "package/archive.h"
#include "platform/path.h"

static const char manifest_name[] = "AppManifest.xaml";

/* A Source is a relative URI: slashes of either kind, perhaps with %20. NULL: memory ran out. */
static char *path_of_source(arena *a, const char *source) {
    char *path = arena_alloc(a, strlen(source) + 1), *to = path;
    if (!path)
        return NULL;
    while (strncmp(source, "./", 2) == 0)
        source += 2;
    source += *source == '/';
    for (; *source; source++) {
        char digits[3] = {0};
        char *end = digits;
        if (*source == '%' && source[1] && source[2]) {
            memcpy(digits, source + 1, 2);
            *to = (char)strtoul(digits, &end, 16);
        }
        if (end == digits + 2 && *to)
            source += 2;
        else
            *to = *source == '\\' ? '/' : *source;
        to++;
    }
    return path;
}

static const zip_entry *find_source(const zip_view *z, arena *a, const char *source, bool *no_memory) {
    const char *path = path_of_source(a, source);
    *no_memory |= !path;
    return path ? zip_find_any_case(z, path) : NULL;
}

/* X.pdb and X.dll.mdb of X.dll. */
static ecma_status want_symbols(opened_archive *a, diag *d, const zip_entry *assembly) {
    archive_part *part = &a->parts[0];
    size_t size = strlen(assembly->path), stem = size - 4;
    char *path = arena_alloc(&a->memory, size + sizeof ".mdb");
    if (!path)
        return diag_no_memory(d);
    memcpy(path, assembly->path, size);
    memcpy(path + size, ".mdb", sizeof ".mdb");
    for (int i = 0; i < 2; i++) {
        const zip_entry *e = zip_find(&part->zip, path);
        if (e && !e->is_folder)
            part->wanted[e - part->zip.entries] = true;
        memcpy(path + stem, ".pdb", sizeof ".pdb");
    }
    return ECMA_OK;
}

static ecma_status want_parts(opened_archive *a, diag *d) {
    archive_part *part = &a->parts[0];
    const manifest *m = &a->manifest;
    bool no_memory = false;
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < m->part_count && status == ECMA_OK; i++) {
        const zip_entry *e = find_source(&part->zip, &a->memory, m->parts[i], &no_memory);
        if (no_memory)
            return diag_no_memory(d);
        if (!e || e->is_folder) {
            diag_report(d, DIAG_XAP_PART, "AppManifest.xaml names the part '%.200s', which is not in it", m->parts[i]);
        } else if (archive_ends_with(e->path, ".dll") || archive_ends_with(e->path, ".exe")) {
            part->wanted[e - part->zip.entries] = true;
            status = want_symbols(a, d, e);
        }
    }
    return status;
}

/* ---- ExtensionParts ---------------------------------------------------------------------------------------------- */

static char *beside(arena *a, const char *path, const char *name) {
    const char *slash = path_last_separator(path);
    size_t length = slash ? (size_t)(slash - path) + 1 : 0;
    char *made = arena_alloc(a, length + strlen(name) + 1);
    if (made) {
        memcpy(made, path, length);
        memcpy(made + length, name, strlen(name) + 1);
    }
    return made;
}

static ecma_status add_extension(opened_archive *a, diag *d, const char *source) {
    const ilj_archive_part *xap = &a->shown_parts[0];
    const char *name = path_of_source(&a->memory, source), *output = NULL;
    const char *path = name ? beside(&a->memory, xap->path, name) : NULL;
    if (path && xap->output)
        output = beside(&a->memory, xap->output, name);
    if (!path || (xap->output && !output))
        return diag_no_memory(d);
    if (strstr(source, "://") || strchr(name, '/') || zip_path_problem(name)) {
        diag_report(d, DIAG_XAP_PART, "the ExtensionPart '%.200s' is not beside it; it is not instrumented", source);
        return ECMA_OK;
    }
    for (size_t i = 1; i < a->shown.part_count; i++)
        if (strcmp(a->shown_parts[i].path, path) == 0)
            return ECMA_OK;
    if (os_kind_of(path) == OS_NOTHING) {
        diag_report(d, DIAG_XAP_PART, "the ExtensionPart '%.200s' is not there; it is not instrumented", path);
        return ECMA_OK;
    }
    if (output && os_same_file(path, output) && !os_same_file(xap->path, xap->output)) {
        diag_report(d, DIAG_XAP_PART,
                    "the ExtensionPart '%.200s' is not instrumented, since its output would take its "
                    "place; write to another folder, or --in-place",
                    path);
        return ECMA_OK;
    }
    if (a->shown.part_count == ARCHIVE_MOST_PARTS)
        return diag_report(d, DIAG_ZIP_LIMIT, "more than %d ExtensionParts", ARCHIVE_MOST_PARTS - 1);
    return archive_add_part(a, d, path, output);
}

/* ---- All of it ----------------------------------------------------------------------------------------------------
 */

ecma_status xap_open(opened_archive *a, diag *d) {
    archive_part *part = &a->parts[0];
    a->manifest_entry = zip_find_any_case(&part->zip, manifest_name);
    if (!a->manifest_entry)
        return diag_report(d, DIAG_XAP_MANIFEST,
                           "no AppManifest.xaml at its root: no XAP; a mere zip has the extension .zip");
    if (zip_find_any_case(&part->zip, "WMAppPRHeader.xml"))
        return diag_report(d, DIAG_XAP_PROTECTED,
                           "it came from the store, whose protection (WMAppPRHeader.xml) no other "
                           "program can read; give the XAP that the build made");
    ecma_status status = a->manifest_entry->bytes > MANIFEST_BYTES
                             ? diag_report(d, DIAG_XAP_MANIFEST, "AppManifest.xaml is larger than 1 MiB")
                             : zip_unpack(&a->manifest_text, d, &part->zip, a->manifest_entry, &part->left);
    if (status == ECMA_OK)
        status = manifest_read(&a->manifest, d, buffer_bytes(&a->manifest_text));
    if (status == ECMA_OK && a->manifest.place == 0)
        status = diag_report(d, DIAG_XAP_MANIFEST, "AppManifest.xaml has no Deployment.Parts");
    if (status == ECMA_OK)
        status = want_parts(a, d);
    for (size_t i = 0; i < a->manifest.extension_count && status == ECMA_OK; i++)
        status = add_extension(a, d, a->manifest.extensions[i]);
    return status;
}
