#include "output/modules.h"

#include "platform/crypto.h"
#include "platform/path.h"
#include "tracker/references.h"

#include <stdio.h>

/* Where a module of the manifest `output` lies: its name after the folder of `output`, or NULL. A name that leads
 * elsewhere names no file. */
static char *module_path(arena *a, const char *output, const char *name) {
    const char *slash = path_last_separator(output);
    size_t folder = slash ? (size_t)(slash - output) + 1 : 0, size = folder + strlen(name) + 1;
    if (!*name || strpbrk(name, "/\\") || name[0] == '.')
        return NULL;
    char *path = arena_alloc(a, size);
    if (path)
        snprintf(path, size, "%.*s%s", (int)folder, output, name);
    return path;
}

/* Opens what may be an assembly's module without a word about it. */
static bool try_open(ilj_image **image, ilj_context *silent, const char *path, bytes file) {
    return image_open_bytes(image, silent, path, file) == ILJ_OK;
}

static bool is_instrumented(const char *path, bytes file) {
    ilj_context silent = {0};
    ilj_image *image;
    if (!try_open(&image, &silent, path, file))
        return false;
    bool is = marker_instrumented_times(&image->metadata) > 0;
    ilj_image_free(image);
    return is;
}

/* ---- Names ----------------------------------------------------------------------------------------------------- */

static bool has_resource(const md_view *v, const char *name) {
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_ManifestResource); row++)
        if (md_name_is(v, MD_ManifestResource_Name, row, name))
            return true;
    return false;
}

static void add_names(md_edit *edit, uint32_t file_row, const md_view *module) {
    enum { PRIVATE_RESOURCE = 2 };
    for (uint32_t row = 1; row <= md_row_count(module, MD_TABLE_ManifestResource); row++) {
        const char *name = md_name(module, MD_ManifestResource_Name, row);
        if (marker_is_names_resource(module, row) && !has_resource(edit->view, name))
            md_edit_row(edit, MD_TABLE_ManifestResource,
                        (uint32_t[]){md_cell(module, MD_ManifestResource_Offset, row), PRIVATE_RESOURCE,
                                     md_edit_string(edit, name),
                                     md_coded_encode(MD_CODED_Implementation, md_token_of(MD_TABLE_File, file_row))});
    }
}

ecma_status modules_add_names(md_edit *edit, const char *output, diag *d) {
    const md_view *v = edit->view;
    ilj_context silent = {0};
    arena a = ARENA_INIT;
    ecma_status status = ECMA_OK;
    for (uint32_t row = 1; !status && row <= md_row_count(v, MD_TABLE_File); row++) {
        char *path = module_path(&a, output, md_name(v, MD_File_Name, row));
        os_map map = OS_MAP_INIT;
        ilj_image *module;
        if (!path || !os_exists(path))
            continue;
        status = os_read_file(&map, d, path);
        if (!status && try_open(&module, &silent, path, map.content)) {
            add_names(edit, row, &module->metadata);
            ilj_image_free(module);
        }
        os_unmap(&map);
    }
    arena_clear(&a);
    return status;
}

/* ---- Hashes ---------------------------------------------------------------------------------------------------- */

/* The facts of one File row. */
typedef struct module_file {
    const char *name;
    uint32_t algorithm;
    bytes hash;   /* in the manifest */
    uint8_t *own; /* its place in the output */
} module_file;

static ecma_status renew(uint32_t *renewed, const module_file *m, bytes content, const char *path, diag *d) {
    uint8_t digest[CRYPTO_HASH_MOST_BYTES];
    size_t size = crypto_hash_bytes(m->algorithm);
    if (size == 0 || size != m->hash.size)
        return diag_report(d, DIAG_FILE_HASH,
                           "its hash of module %s has %zu bytes, unlike those of algorithm 0x%x; it stays", m->name,
                           m->hash.size, m->algorithm);
    ecma_status status = crypto_digest(digest, m->algorithm, content, d);
    if (status || memcmp(digest, m->hash.data, size) == 0)
        return status;
    if (!is_instrumented(path, content))
        return diag_report(d, DIAG_FILE_HASH, "its module %s beside the output is another one than its hash says",
                           m->name);
    memcpy(m->own, digest, size);
    ++*renewed;
    return ECMA_OK;
}

ecma_status modules_renew_hashes(uint32_t *renewed, const buffer *out, const char *output, diag *d) {
    arena a = ARENA_INIT;
    pe_image image;
    md_view view;
    bytes metadata = {0};
    uint32_t count = 0;
    ecma_status status = pe_image_open(&image, buffer_bytes(out), &a, d);
    if (!status && pe_try_bytes(&image, image.cli.metadata.rva, image.cli.metadata.size, &metadata))
        status = md_view_open(&view, metadata, &a, d);
    uint32_t algorithm = status || !metadata.size ? 0 : md_cell(&view, MD_Assembly_HashAlgId, 1);
    uint32_t rows = status || !metadata.size ? 0 : md_row_count(&view, MD_TABLE_File);
    for (uint32_t row = 1; !status && row <= rows; row++) {
        module_file m = {.name = md_name(&view, MD_File_Name, row), .algorithm = algorithm ? algorithm : CRYPTO_SHA1};
        char *path = module_path(&a, output, m.name);
        os_map map = OS_MAP_INIT;
        if (!path || !md_try_blob(&view, md_cell(&view, MD_File_HashValue, row), &m.hash) || m.hash.size == 0)
            continue;
        if (!os_exists(path)) {
            diag_report(d, DIAG_FILE_HASH,
                        "its module %s is not beside the output: copy it there, or instrument both into one folder",
                        m.name);
            continue;
        }
        m.own = out->data + (m.hash.data - out->data);
        status = os_read_file(&map, d, path);
        if (!status)
            status = renew(&count, &m, map.content, path, d);
        os_unmap(&map);
    }
    arena_clear(&a);
    if (!status)
        *renewed = count;
    return status;
}
