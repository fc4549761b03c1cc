#include "input/image.h"

#include "input/hidden.h"
#include "input/launcher.h"

#include <stdlib.h>

static ilj_image *image_new(ilj_context *context, const char *path) {
    ilj_image *image = calloc(1, sizeof *image);
    if (!image)
        return NULL;
    size_t size = strlen(path) + 1;
    char *copy = arena_alloc(&image->arena, size);
    if (!copy) {
        free(image);
        return NULL;
    }
    memcpy(copy, path, size);
    image->context = context;
    image->path = copy;
    image->map = OS_MAP_INIT;
    image->diag = context_diag(context, copy);
    return image;
}

typedef struct reading {
    ilj_image *image;
    bytes file;
} reading;

/* Between the reader, which knows no paths, and the caller: what hides assemblies is reported as what it is, a native
 * launcher with the assembly to give instead. */
static void tell_launcher(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    const reading *r = user;
    ilj_image *image = r->image;
    bool is_other = code == DIAG_NATIVE_LAUNCHER || code == DIAG_NOT_MANAGED || code == DIAG_NOT_PE;
    hidden_kind hidden = is_other ? hidden_find(image->path, r->file, true) : HIDDEN_NONE;
    char *name;
    (void)file;
    (void)severity;
    if (hidden != HIDDEN_NONE) {
        hidden_report(hidden, &image->diag, 0);
    } else if ((code == DIAG_NATIVE_LAUNCHER || code == DIAG_NOT_MANAGED) &&
               launcher_try_managed_name(image->path, &name)) {
        diag_report(&image->diag, DIAG_NATIVE_LAUNCHER, "a native launcher: give %s instead", name);
        free(name);
    } else {
        diag_report(&image->diag, code, "%s", text);
    }
}

enum { A_METHOD_TAKES = 128 }; /* bytes of the arena, about */

static ecma_status open_metadata(ilj_image *image, bytes metadata) {
    ecma_status status = md_view_open(&image->metadata, metadata, &image->arena, &image->diag);
    if (status || image->index.method_type) /* a file that is opened again has the same rows */
        return status;
    arena_expect(&image->arena, md_row_count(&image->metadata, MD_TABLE_MethodDef) * (size_t)A_METHOD_TAKES);
    return md_index_build(&image->index, &image->metadata, &image->arena) ? ECMA_OK : diag_no_memory(&image->diag);
}

static ecma_status open_views(ilj_image *image, bytes file) {
    if (file.size >= 4 && memcmp(file.data, "BSJB", 4) == 0) {
        image->bare = true;
        return open_metadata(image, file);
    }
    reading r = {image, file};
    diag launcher = {.sink = tell_launcher, .user = &r, .file = image->path};
    ecma_status status = pe_image_open(&image->pe, file, &image->arena, &launcher);
    if (status)
        return status;
    bytes metadata;
    if (!pe_try_bytes(&image->pe, image->pe.cli.metadata.rva, image->pe.cli.metadata.size, &metadata))
        return diag_report(&image->diag, DIAG_CLI_HEADER, "CLI header: the metadata is not in the file (II.25.3.3)");
    return open_metadata(image, metadata);
}

static ilj_status open_image(ilj_image **image, ilj_context *context, const char *path, const bytes *file) {
    ilj_image *opened = image_new(context, path);
    if (!opened) {
        diag d = context_diag(context, path);
        return diag_no_memory(&d);
    }
    ecma_status status = file ? ECMA_OK : os_read_file(&opened->map, &opened->diag, path);
    if (status == ECMA_OK)
        status = open_views(opened, file ? *file : opened->map.content);
    if (status) {
        ilj_image_free(opened);
        return status;
    }
    *image = opened;
    return ILJ_OK;
}

ilj_status ilj_image_open(ilj_image **image, ilj_context *context, const char *path) {
    return open_image(image, context, path, NULL);
}

ilj_status image_open_bytes(ilj_image **image, ilj_context *context, const char *name, bytes file) {
    return open_image(image, context, name, &file);
}

ecma_status image_reopen(ilj_image *image, bytes file) {
    ecma_status status = open_views(image, file);
    if (!status)
        os_unmap(&image->map); /* nothing refers to them any more */
    return status;
}

/* True if neither metadata nor a method nor a field's data is there. */
static bool is_free(const ilj_image *image, uint64_t rva, uint64_t end) {
    static const md_column columns[] = {MD_MethodDef_RVA, MD_FieldRVA_RVA};
    const md_view *v = &image->metadata;
    const pe_directory metadata = image->pe.cli.metadata;
    bool free = metadata.rva >= end || metadata.rva + (uint64_t)metadata.size <= rva;
    for (unsigned i = 0; i < sizeof columns / sizeof columns[0]; i++)
        for (uint32_t row = 1; free && row <= md_row_count(v, md_columns[columns[i]].table); row++) {
            uint32_t at = md_cell(v, columns[i], row);
            free = at < rva || at >= end;
        }
    return free;
}

void image_measure_resources(ilj_image *image) {
    const md_view *v = &image->metadata;
    pe_directory *resources = &image->pe.cli.resources;
    bytes from;
    for (uint32_t row = 1; resources->rva && row <= md_row_count(v, MD_TABLE_ManifestResource); row++) {
        enum { SIZE_BYTES = 4 };
        uint64_t at = md_cell(v, MD_ManifestResource_Offset, row);
        if (md_cell(v, MD_ManifestResource_Implementation, row) || at > UINT32_MAX - resources->rva ||
            !pe_try_bytes(&image->pe, resources->rva + (uint32_t)at, SIZE_BYTES, &from))
            continue;
        uint64_t end = at + SIZE_BYTES + load_u32(from.data);
        if (end > resources->size && end <= UINT32_MAX &&
            pe_try_bytes(&image->pe, resources->rva, (uint32_t)end, &from) &&
            is_free(image, resources->rva + (uint64_t)resources->size, resources->rva + end))
            resources->size = (uint32_t)end;
    }
}

ecma_status image_check_assembly(ilj_image *image) {
    return image->bare ? diag_report(&image->diag, DIAG_NOT_PE, "a portable PDB, not an assembly; only dump reads it")
                       : ECMA_OK;
}

bool ilj_image_is_netmodule(const ilj_image *image) {
    return !image->bare && md_row_count(&image->metadata, MD_TABLE_Assembly) == 0;
}

void ilj_image_free(ilj_image *image) {
    if (!image)
        return;
    arena_clear(&image->arena);
    os_unmap(&image->map);
    free(image);
}
