/* An archive opened: what of it is unpacked, and what is to be instrumented. The folders' code says what each file is.
 */
#define _GNU_SOURCE
#include "package/archive.h"

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "input/hidden.h"
#include "package/app_assemblies.h"

ilj_archive_kind ilj_archive_kind_of(const char *path) {
    if (os_is_directory(path))
        return ILJ_ARCHIVE_NONE;
    if (archive_ends_with(path, ".xap"))
        return ILJ_ARCHIVE_XAP;
    if (archive_ends_with(path, ".nupkg"))
        return ILJ_ARCHIVE_NUPKG;
    if (archive_ends_with(path, ".zip"))
        return ILJ_ARCHIVE_ZIP;
    diag silent = {0};
    os_map map = OS_MAP_INIT;
    bool is_zip = os_map_file(&map, &silent, path) == ECMA_OK && map.content.size >= 4 &&
                  load_u32(map.content.data) == 0x04034b50;
    os_unmap(&map);
    return is_zip ? ILJ_ARCHIVE_ZIP : ILJ_ARCHIVE_NONE;
}

/* ---- Entries that are looked at --------------------------------------------------------------------------------- */

static const char *base_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool is_image(const char *name) {
    return archive_ends_with(name, ".dll") || archive_ends_with(name, ".exe") || archive_ends_with(name, ".netmodule");
}

/* Files that the main job reads beside an assembly. */
static bool is_companion(const char *name) {
    return archive_ends_with(name, ".deps.json") || archive_ends_with(name, ".pdb") ||
           archive_ends_with(name, ".mdb") || archive_ends_with(name, ".dll.config") ||
           archive_ends_with(name, ".exe.config") || archive_ends_with(name, ".runtimeconfig.json");
}

/* A launcher of Unix has no extension, and may be a whole program. */
static bool may_be_launcher(const zip_entry *e) {
    enum { LEAST = 16384 };
    return !strchr(base_name(e->path), '.') && e->bytes >= LEAST;
}

static void want_all(archive_part *part) {
    for (size_t i = 0; i < part->zip.count; i++) {
        const zip_entry *e = &part->zip.entries[i];
        part->wanted[i] =
            !e->is_folder && !e->is_link &&
            (is_image(e->path) || is_companion(e->path) || may_be_launcher(e) || hidden_has_name(e->path));
    }
}

/* Where a NuGet package has what its users run. */
static bool is_packaged_for_use(const char *path) {
    if (strncasecmp(path, "lib/", 4) == 0)
        return true;
    if (strncasecmp(path, "runtimes/", 9) != 0)
        return false;
    const char *slash = strchr(path + 9, '/');
    return slash && strncasecmp(slash, "/lib/", 5) == 0;
}

static bool is_tool_package(const zip_view *z) {
    for (size_t i = 0; i < z->count; i++)
        if (strncasecmp(z->entries[i].path, "tools/", 6) == 0 &&
            strcasecmp(base_name(z->entries[i].path), "DotnetToolSettings.xml") == 0)
            return true;
    return false;
}

/* ---- Unpacking -------------------------------------------------------------------------------------------------- */

static ecma_status make_folders_of(arena *memory, diag *d, const char *root, const char *path) {
    char *whole = archive_joined(memory, root, path);
    if (!whole)
        return diag_no_memory(d);
    for (char *slash = strchr(whole + strlen(root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = 0;
        ecma_status status = os_make_folder(d, whole);
        *slash = '/';
        if (status)
            return status;
    }
    return ECMA_OK;
}

static ecma_status unpack_entry(archive_part *part, const ilj_archive_part *shown, diag *d, const zip_entry *e) {
    arena memory = ARENA_INIT;
    buffer content = BUFFER_INIT;
    ecma_status status = make_folders_of(&memory, d, shown->from, e->path);
    const char *path = archive_joined(&memory, shown->from, e->path);
    if (status == ECMA_OK && !path)
        status = diag_no_memory(d);
    if (status == ECMA_OK)
        status = zip_unpack(&content, d, &part->zip, e, &part->left);
    if (status == ECMA_OK) {
        bytes whole = buffer_bytes(&content);
        status = os_write_file(d, path, &whole, 1, NULL);
    }
    buffer_clear(&content);
    arena_clear(&memory);
    return status;
}

static ecma_status unpack(archive_part *part, const ilj_archive_part *shown, diag *d) {
    ecma_status status = os_make_folder(d, shown->from);
    if (status == ECMA_OK)
        status = os_make_folder(d, shown->to);
    for (size_t i = 0; i < part->zip.count && status == ECMA_OK; i++)
        if (part->wanted[i])
            status = unpack_entry(part, shown, d, &part->zip.entries[i]);
    return status;
}

/* ---- Entries that are instrumented ------------------------------------------------------------------------------ */

/* Diagnostics about what was unpacked name the archive. */
typedef struct retelling {
    ilj_context *context;
    const ilj_archive_part *part;
    bool may_be_empty; /* that nothing is to be instrumented is no news, or not known yet */
} retelling;

static void retell(void *user, const ilj_diagnostic *d) {
    const retelling *r = user;
    size_t length = strlen(r->part->from);
    ilj_diagnostic told = *d;
    char name[4096];
    if (strncmp(d->file, r->part->from, length) == 0) {
        snprintf(name, sizeof name, "%s%s", r->part->path, d->file + length);
        told.file = name;
    }
    if (r->context->sink && !(r->may_be_empty && strcmp(d->code, "ILJ0466") == 0))
        r->context->sink(r->context->user, &told);
}

/* Returns ECMA_OK; ECMA_IO, ECMA_NO_MEMORY (reported). */
static ecma_status settle_kind(const opened_archive *a, diag *d, const ilj_entry *entry, const char *path, bool is_tool,
                               ilj_entry_kind *kind) {
    *kind = entry->kind;
    if (a->shown.kind != ILJ_ARCHIVE_NUPKG || a->all)
        return ECMA_OK;
    bool used = is_packaged_for_use(entry->name);
    if (entry->kind == ILJ_ENTRY_FOREIGN && used) { /* whatever its name: the package's */
        assembly_facts facts;
        ecma_status status = app_facts(&facts, d, path);
        if (status)
            return status;
        if (!facts.core_library)
            *kind = ILJ_ENTRY_ASSEMBLY;
    } else if (entry->kind == ILJ_ENTRY_ASSEMBLY && !used && !(is_tool && strncasecmp(entry->name, "tools/", 6) == 0)) {
        *kind = ILJ_ENTRY_FOREIGN;
    }
    return ECMA_OK;
}

/* Takes over what an entry is; what is not needed any more is removed. */
static ecma_status take_entry(opened_archive *a, diag *d, size_t number, const ilj_entry *entry, bool is_tool) {
    archive_part *part = &a->parts[number];
    ilj_archive_part *shown = &a->shown_parts[number];
    const char *path = archive_joined(&a->memory, shown->from, entry->name);
    const char *to = archive_joined(&a->memory, shown->to, entry->name);
    char *name = arena_alloc(&a->memory, strlen(entry->name) + 1);
    if (!path || !to || !name)
        return diag_no_memory(d);
    strcpy(name, entry->name);
    ilj_entry_kind kind;
    ecma_status status = settle_kind(a, d, entry, path, is_tool, &kind);
    if (status)
        return status;
    switch (kind) {
    case ILJ_ENTRY_FOLDER:
        return os_make_folder(d, to);
    case ILJ_ENTRY_ASSEMBLY:
        part->assemblies[shown->assembly_count++] = name;
        break;
    case ILJ_ENTRY_BUNDLE:
    case ILJ_ENTRY_UNREADABLE:
        part->refused[shown->refused_count++] = name;
        break;
    case ILJ_ENTRY_FILE: /* a deps.json is changed where it stands */
        if (archive_ends_with(name, ".deps.json"))
            return os_copy_file(d, path, to);
        if (is_companion(name) || (a->shown.kind != ILJ_ARCHIVE_XAP && app_is_tracker(base_name(name))))
            return ECMA_OK;
        return os_remove(d, path);
    case ILJ_ENTRY_FOREIGN:
    case ILJ_ENTRY_SATELLITE:
    case ILJ_ENTRY_LINK:
    case ILJ_ENTRY_KINDS:
        break;
    }
    shown->counts[kind]++;
    return kind == ILJ_ENTRY_ASSEMBLY ? ECMA_OK : os_remove(d, path);
}

static void count_files(archive_part *part, ilj_archive_part *shown) {
    size_t files = 0;
    for (size_t i = 0; i < part->zip.count; i++)
        files += !part->zip.entries[i].is_folder;
    shown->counts[ILJ_ENTRY_FOLDER] = part->zip.count - files;
    shown->counts[ILJ_ENTRY_FILE] = files - shown->counts[ILJ_ENTRY_ASSEMBLY] - shown->counts[ILJ_ENTRY_FOREIGN] -
                                    shown->counts[ILJ_ENTRY_SATELLITE] - shown->counts[ILJ_ENTRY_BUNDLE] -
                                    shown->counts[ILJ_ENTRY_UNREADABLE];
}

static ecma_status choose(opened_archive *a, ilj_context *context, diag *d, size_t number) {
    archive_part *part = &a->parts[number];
    ilj_archive_part *shown = &a->shown_parts[number];
    bool is_package = a->shown.kind == ILJ_ARCHIVE_NUPKG && !a->all;
    retelling r = {context, shown, is_package || number > 0};
    ilj_context retold = {.sink = retell, .user = &r};
    ilj_folder *folder = NULL;
    ecma_status status = ilj_folder_read(&folder, &retold, shown->from, a->all, false);
    if (status)
        return status;
    part->assemblies = arena_alloc_array(&a->memory, folder->entry_count + 1, sizeof *part->assemblies);
    part->refused = arena_alloc_array(&a->memory, folder->entry_count + 1, sizeof *part->refused);
    if (!part->assemblies || !part->refused)
        status = diag_no_memory(d);
    bool is_tool = is_tool_package(&part->zip);
    for (size_t i = 0; i < folder->entry_count && status == ECMA_OK; i++)
        status = take_entry(a, d, number, &folder->entries[i], is_tool);
    ilj_folder_free(folder);
    shown->assemblies = part->assemblies;
    shown->refused = part->refused;
    count_files(part, shown);
    if (status == ECMA_OK && is_package && shown->assembly_count == 0)
        diag_report(d, DIAG_NOTHING_OWN,
                    "no assembly to instrument in lib/ and runtimes/*/lib/; --all instruments all");
    return status;
}

/* ---- What is worth a word --------------------------------------------------------------------------------------- */

static void tell_nested(const archive_part *part, diag *d) {
    size_t count = 0;
    const char *first = NULL;
    for (size_t i = 0; i < part->zip.count; i++) {
        const zip_entry *e = &part->zip.entries[i];
        if (e->is_folder || !(archive_ends_with(e->path, ".zip") || archive_ends_with(e->path, ".xap") ||
                              archive_ends_with(e->path, ".nupkg")))
            continue;
        count++;
        if (!first)
            first = e->path;
    }
    if (count > 0)
        diag_report(d, DIAG_NESTED_ARCHIVE, "%zu archive%s in it (%.200s%s) %s copied as %s", count,
                    count == 1 ? "" : "s", first, count == 1 ? "" : ", ...", count == 1 ? "is" : "are",
                    count == 1 ? "it is" : "they are");
}

/* Users of a package get all assemblies of its folder, unless its .nuspec lists some. */
static ecma_status check_nuspec(opened_archive *a, diag *d) {
    archive_part *part = &a->parts[0];
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < part->zip.count && status == ECMA_OK; i++) {
        const zip_entry *e = &part->zip.entries[i];
        if (e->is_folder || strchr(e->path, '/') || !archive_ends_with(e->path, ".nuspec") || e->bytes > MANIFEST_BYTES)
            continue;
        buffer text = BUFFER_INIT;
        status = zip_unpack(&text, d, &part->zip, e, &part->left);
        if (status == ECMA_OK && text.size > 0 && memmem(text.data, text.size, "<references", 11) &&
            !memmem(text.data, text.size, "ProfileInfoTracker.dll", 22))
            diag_report(d, DIAG_NUSPEC_REFERENCES,
                        "%s lists <references>, and ProfileInfoTracker.dll is not among "
                        "them: who uses the package has to reference it",
                        e->path);
        buffer_clear(&text);
    }
    return status;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

static ecma_status open_all(opened_archive *a, ilj_context *context, diag *d, const char *path, const char *output) {
    ecma_status status = archive_add_part(a, d, path, output);
    if (status)
        return status;
    if (a->shown.kind == ILJ_ARCHIVE_XAP)
        status = xap_open(a, d);
    else
        want_all(&a->parts[0]);
    if (status == ECMA_OK)
        status = os_make_folder(d, a->folder);
    for (size_t i = 0; i < a->shown.part_count && status == ECMA_OK; i++) {
        diag own = *d;
        own.file = a->shown_parts[i].path;
        if (i > 0)
            want_all(&a->parts[i]);
        tell_nested(&a->parts[i], &own);
        status = unpack(&a->parts[i], &a->shown_parts[i], &own);
        if (status == ECMA_OK)
            status = choose(a, context, &own, i);
    }
    return status == ECMA_OK && a->shown.kind == ILJ_ARCHIVE_NUPKG ? check_nuspec(a, d) : status;
}

static char *copied(arena *a, const char *text) {
    char *copy = arena_alloc(a, strlen(text) + 1);
    return copy ? strcpy(copy, text) : NULL;
}

ilj_status ilj_archive_open(ilj_archive **archive, ilj_context *context, const char *path, const char *output,
                            const char *folder, bool all) {
    diag d = context_diag(context, path);
    opened_archive *a = calloc(1, sizeof *a);
    if (!a)
        return diag_no_memory(&d);
    a->memory = ARENA_INIT;
    a->all = all;
    a->shown.kind = ilj_archive_kind_of(path);
    a->parts = arena_alloc_array(&a->memory, ARCHIVE_MOST_PARTS, sizeof *a->parts);
    a->shown_parts = arena_alloc_array(&a->memory, ARCHIVE_MOST_PARTS, sizeof *a->shown_parts);
    a->folder = copied(&a->memory, folder);
    path = copied(&a->memory, path);
    const char *kept = output ? copied(&a->memory, output) : NULL;
    a->shown.parts = a->shown_parts;
    ecma_status status = a->parts && a->shown_parts && a->folder && path && (kept || !output)
                             ? open_all(a, context, &d, path, kept)
                             : diag_no_memory(&d);
    if (status)
        ilj_archive_free(&a->shown);
    else
        *archive = &a->shown;
    return status;
}

void ilj_archive_free(ilj_archive *archive) {
    if (!archive)
        return;
    opened_archive *a = (opened_archive *)archive;
    for (size_t i = 0; i < a->shown.part_count; i++) {
        zip_clear(&a->parts[i].zip);
        os_unmap(&a->parts[i].map);
    }
    manifest_clear(&a->manifest);
    buffer_clear(&a->manifest_text);
    arena_clear(&a->memory);
    free(a);
}
