/* The outputs of an archive: what has changed in its folder, and the zip that is made of it. */
#include <stdlib.h>
#include <strings.h>

#include "package/archive.h"
#include "package/zip_write.h"

static const char package_signature[] = ".signature.p7s";

typedef struct change_list {
    zip_change *items;
    size_t count, capacity;
} change_list;

/* One output on its way. */
typedef struct collecting {
    opened_archive *a;
    diag *d;
    size_t part;
    arena memory;
    change_list changes;
    const char *tracker;      /* in an output of a XAP: a new .dll beside an assembly; NULL: none */
    const char *tracker_name; /* its file name */
} collecting;

static ecma_status add(collecting *c, const zip_change *change) {
    change_list *l = &c->changes;
    if (l->count == l->capacity) {
        size_t capacity = l->capacity ? 2 * l->capacity : 64;
        zip_change *moved = realloc(l->items, capacity * sizeof *moved);
        if (!moved)
            return diag_no_memory(c->d);
        l->items = moved;
        l->capacity = capacity;
    }
    l->items[l->count++] = *change;
    return ECMA_OK;
}

/* ---- Changes ---------------------------------------------------------------------------------------------------- */

static ecma_status have_equal_bytes(bool *equal, diag *d, const char *a, const char *b) {
    os_map first = OS_MAP_INIT, second = OS_MAP_INIT;
    ecma_status status = os_map_file(&first, d, a);
    if (status == ECMA_OK)
        status = os_map_file(&second, d, b);
    *equal = status == ECMA_OK && bytes_equal(first.content, second.content);
    os_unmap(&first);
    os_unmap(&second);
    return status;
}

/* The entry beside which a new one stands: the first of its folder that is a file. */
static const zip_entry *find_model(const zip_view *z, const char *name) {
    const char *slash = strrchr(name, '/');
    size_t folder = slash ? (size_t)(slash - name) + 1 : 0;
    for (size_t i = 0; i < z->count; i++) {
        const zip_entry *e = &z->entries[i];
        if (!e->is_folder && strncmp(e->path, name, folder) == 0 && !strchr(e->path + folder, '/'))
            return e;
    }
    return z->count ? &z->entries[0] : NULL; /* there was one, or nothing would be beside it */
}

static bool is_in_xap(const collecting *c) {
    return c->a->shown.kind == ILJ_ARCHIVE_XAP;
}

static ecma_status take_file(collecting *c, const char *name, const char *path) {
    const archive_part *part = &c->a->parts[c->part];
    const char *before = archive_joined(&c->memory, c->a->shown_parts[c->part].from, name);
    zip_change change = {.entry = zip_find(&part->zip, name), .content = path};
    const char *slash = strrchr(name, '/');
    bool equal = false;
    os_kind kind;
    if (!before)
        return diag_no_memory(c->d);
    ecma_status status = os_try_kind(&kind, c->d, before);
    if (status)
        return status;
    if (kind == OS_FILE) {
        status = have_equal_bytes(&equal, c->d, before, path);
        return status || equal ? status : add(c, &change);
    }
    if (is_in_xap(c)) { /* the tracker, once for all, or what no Silverlight can load */
        bool is_root = !slash;
        if (archive_ends_with(name, ".dll") && (!c->tracker || is_root)) {
            c->tracker = path;
            c->tracker_name = slash ? slash + 1 : name;
        }
        return ECMA_OK;
    }
    if (!change.entry) {
        change.model = find_model(&part->zip, name);
        change.name = slash ? slash + 1 : name;
    }
    return add(c, &change);
}

typedef struct level {
    collecting *c;
    const char *name; /* from the outermost folder; "" for that one */
} level;

static ecma_status visit(void *user, const char *entry) {
    const level *l = user;
    collecting *c = l->c;
    const char *name = l->name[0] ? archive_joined(&c->memory, l->name, entry) : entry;
    char *kept = name ? arena_alloc(&c->memory, strlen(name) + 1) : NULL;
    const char *path = name ? archive_joined(&c->memory, c->a->shown_parts[c->part].to, name) : NULL;
    if (!kept || !path)
        return diag_no_memory(c->d);
    strcpy(kept, name);
    level below = {c, kept};
    os_kind kind;
    ecma_status status = os_try_kind(&kind, c->d, path);
    if (status)
        return status;
    switch (kind) {
    case OS_FOLDER:
        return os_visit_folder(c->d, path, "", visit, &below);
    case OS_FILE:
        return os_is_unfinished(entry) ? ECMA_OK : take_file(c, kept, path);
    case OS_NOTHING:
    case OS_LINK:
    case OS_OTHER:
        break;
    }
    return ECMA_OK;
}

static ecma_status collect(collecting *c) {
    level outermost = {c, ""};
    return os_visit_folder(c->d, c->a->shown_parts[c->part].to, "", visit, &outermost);
}

/* ---- A XAP's tracker -------------------------------------------------------------------------------------------- */

static ecma_status put_manifest(collecting *c, const char *stem) {
    buffer made = BUFFER_INIT;
    const char *path = archive_joined(&c->memory, c->a->folder, "AppManifest.xaml");
    ecma_status status = path ? manifest_add(&made, c->d, &c->a->manifest, stem) : diag_no_memory(c->d);
    if (status == ECMA_OK) {
        bytes text = buffer_bytes(&made);
        status = os_write_file(c->d, path, &text, 1, NULL);
    }
    buffer_clear(&made);
    return status ? status : add(c, &(zip_change){.entry = c->a->manifest_entry, .content = path});
}

/* Adds `tracker` to the XAP's root, and to its manifest what is not there yet. */
static ecma_status put_tracker(collecting *c, const char *tracker, const char *name) {
    const zip_view *z = &c->a->parts[0].zip;
    zip_change change = {.entry = zip_find_any_case(z, name), .content = tracker};
    if (!change.entry) {
        change.model = c->a->manifest_entry;
        change.name = name;
        change.at_root = true;
    }
    ecma_status status = add(c, &change);
    if (status || manifest_has(&c->a->manifest, name))
        return status;
    size_t stem = strlen(name) - 4;
    char *without = arena_alloc(&c->memory, stem + 1);
    if (!without)
        return diag_no_memory(c->d);
    memcpy(without, name, stem);
    return put_manifest(c, without);
}

/* ---- Signatures ------------------------------------------------------------------------------------------------- */

static bool is_signature(const char *path) {
    bool in_meta = strncasecmp(path, "META-INF/", 9) == 0;
    return archive_ends_with(path, ".p7s") || archive_ends_with(path, ".p7x") || archive_ends_with(path, ".psm") ||
           (in_meta && (archive_ends_with(path, ".rsa") || archive_ends_with(path, ".sf")));
}

static ecma_status drop_signatures(collecting *c) {
    const zip_view *z = &c->a->parts[c->part].zip;
    ecma_status status = ECMA_OK;
    if (z->behind.size > 0)
        diag_report(c->d, DIAG_ARCHIVE_SIGNATURE,
                    "the %zu bytes after the archive, a signature, are left out: it is "
                    "no longer signed",
                    z->behind.size);
    if (z->signature.size > 0)
        diag_report(c->d, DIAG_ARCHIVE_SIGNATURE,
                    "the central directory's signature is left out: it is no longer "
                    "signed");
    for (size_t i = 0; i < z->count && status == ECMA_OK; i++) {
        const zip_entry *e = &z->entries[i];
        bool dropped = c->a->shown.kind == ILJ_ARCHIVE_NUPKG && strcasecmp(e->path, package_signature) == 0;
        if (dropped)
            status = add(c, &(zip_change){.entry = e});
        if (dropped || is_signature(e->path))
            diag_report(c->d, DIAG_ARCHIVE_SIGNATURE, "the signature %.200s %s", e->path,
                        dropped ? "is left out: the package is no longer signed" : "is not that of the output");
    }
    return status;
}

/* ---- All of it -------------------------------------------------------------------------------------------------- */

static ecma_status put(collecting *c) {
    const ilj_archive_part *shown = &c->a->shown_parts[c->part];
    if (c->changes.count == 0)
        return os_same_file(shown->path, shown->output) ? ECMA_OK : os_copy_file(c->d, shown->path, shown->output);
    ecma_status status = drop_signatures(c);
    return status ? status
                  : zip_write(&c->a->parts[c->part].zip, c->d, shown->output, shown->path, c->changes.items,
                              c->changes.count);
}

/* The XAP last: until it is there, nothing asks for the others. */
static ecma_status put_all(collecting *c, size_t count) {
    const char *tracker = NULL, *name = NULL;
    bool changed = false;
    ecma_status status = ECMA_OK;
    for (size_t i = 0; i < count && status == ECMA_OK; i++) {
        status = collect(&c[i]);
        changed = changed || c[i].changes.count > 0;
        if (!tracker) {
            tracker = c[i].tracker;
            name = c[i].tracker_name;
        }
    }
    if (status == ECMA_OK && changed && tracker)
        status = put_tracker(&c[0], tracker, name);
    for (size_t i = count; i-- > 0 && status == ECMA_OK;)
        status = put(&c[i]);
    return status;
}

ilj_status ilj_archive_write(const ilj_archive *archive, ilj_context *context) {
    opened_archive *a = (opened_archive *)(uintptr_t)archive;
    size_t count = archive->part_count;
    diag *diags = calloc(count, sizeof *diags);
    collecting *c = calloc(count, sizeof *c);
    diag d = context_diag(context, archive->parts[0].path);
    ecma_status status = diags && c ? ECMA_OK : diag_no_memory(&d);
    for (size_t i = 0; i < count && status == ECMA_OK; i++) {
        diags[i] = context_diag(context, archive->parts[i].path);
        c[i] = (collecting){.a = a, .d = &diags[i], .part = i, .memory = ARENA_INIT};
    }
    if (status == ECMA_OK)
        status = put_all(c, count);
    for (size_t i = 0; c && i < count; i++) {
        arena_clear(&c[i].memory);
        free(c[i].changes.items);
    }
    free(c);
    free(diags);
    return status;
}
