#include "report/mibc/source.h"

#include <stdlib.h>

#include "input/marker.h"
#include "metadata/types.h"
#include "platform/path.h"

/* ---- Types ------------------------------------------------------------------------------------------------------ */

static uint32_t type_of_def(source *s, uint32_t row, unsigned depth);
static uint32_t type_of_ref(source *s, uint32_t row, unsigned depth);

static uint32_t remember(uint32_t *slot, uint32_t id) {
    if (id != MAP_NONE)
        *slot = id + 1;
    return id;
}

static uint32_t type_of_def(source *s, uint32_t row, unsigned depth) {
    if (!md_row_exists(&s->md, MD_TABLE_TypeDef, row) || depth > TYPES_NESTING)
        return MAP_NONE;
    if (s->of_def[row])
        return s->of_def[row] - 1;
    uint32_t enclosing = md_enclosing_type(&s->index, row), scope = s->assembly;
    if (enclosing) {
        uint32_t outer = type_of_def(s, enclosing, depth + 1);
        if (outer == MAP_NONE)
            return MAP_NONE;
        scope = outer | TYPE_NESTED;
    }
    return remember(&s->of_def[row], type_names_id(s->names, scope, md_name(&s->md, MD_TypeDef_TypeNamespace, row),
                                                   md_name(&s->md, MD_TypeDef_TypeName, row)));
}

static uint32_t type_of_ref(source *s, uint32_t row, unsigned depth) {
    if (!md_row_exists(&s->md, MD_TABLE_TypeRef, row) || depth > TYPES_NESTING)
        return MAP_NONE;
    if (s->of_ref[row])
        return s->of_ref[row] - 1;
    md_token at = md_cell_token(&s->md, MD_TypeRef_ResolutionScope, row);
    uint32_t scope = MAP_NONE, in = md_token_row(at);
    if (md_token_table(at) == MD_TABLE_Module && in != 0) {
        scope = s->assembly;
    } else if (md_token_table(at) == MD_TABLE_AssemblyRef && md_row_exists(&s->md, MD_TABLE_AssemblyRef, in)) {
        const char *name = md_name(&s->md, MD_AssemblyRef_Name, in);
        scope = keep_id(&s->names->assemblies, bytes_of(name, strlen(name)));
    } else if (md_token_table(at) == MD_TABLE_TypeRef) {
        uint32_t outer = type_of_ref(s, in, depth + 1);
        scope = outer == MAP_NONE ? MAP_NONE : outer | TYPE_NESTED;
    }
    if (scope == MAP_NONE)
        return MAP_NONE;
    return remember(&s->of_ref[row], type_names_id(s->names, scope, md_name(&s->md, MD_TypeRef_TypeNamespace, row),
                                                   md_name(&s->md, MD_TypeRef_TypeName, row)));
}

uint32_t source_type(source *s, md_token type) {
    type = md_type_definition(&s->md, type);
    if (md_token_table(type) == MD_TABLE_TypeDef)
        return type_of_def(s, md_token_row(type), 0);
    return md_token_table(type) == MD_TABLE_TypeRef ? type_of_ref(s, md_token_row(type), 0) : MAP_NONE;
}

md_token source_named(void *user, md_token type) {
    uint32_t id = md_token_table(type) == MD_TABLE_TypeSpec ? MAP_NONE : source_type(user, type);
    return id == MAP_NONE ? 0 : md_token_of(MD_TABLE_TypeRef, id + 1);
}

/* ---- Files ------------------------------------------------------------------------------------------------------ */

static void close_source(source *s) {
    arena_clear(&s->memory);
    os_unmap(&s->map);
}

void sources_close(source *sources, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        close_source(&sources[i]);
}

ecma_status source_open_bytes(source *s, bytes file, diag *d) {
    bytes metadata;
    ecma_status status = pe_image_open(&s->pe, file, &s->memory, d);
    if (status)
        return status;
    if (!pe_try_bytes(&s->pe, s->pe.cli.metadata.rva, s->pe.cli.metadata.size, &metadata))
        return diag_report(d, DIAG_CLI_HEADER, "CLI header: the metadata is not in the file (II.25.3.3)");
    if ((status = md_view_open(&s->md, metadata, &s->memory, d)))
        return status;
    s->of_def = arena_alloc_array(&s->memory, (size_t)md_row_count(&s->md, MD_TABLE_TypeDef) + 1, sizeof *s->of_def);
    s->of_ref = arena_alloc_array(&s->memory, (size_t)md_row_count(&s->md, MD_TABLE_TypeRef) + 1, sizeof *s->of_ref);
    const char *name = md_name(&s->md, MD_Assembly_Name, 1);
    s->assembly = keep_id(&s->names->assemblies, bytes_of(name, strlen(name)));
    bool ready = s->of_def && s->of_ref && s->assembly != MAP_NONE && md_index_build(&s->index, &s->md, &s->memory);
    return ready ? ECMA_OK : diag_no_memory(d);
}

static ecma_status open_file(source *s, const char *path, const diag *of) {
    diag d = *of;
    d.file = path;
    ecma_status status = os_read_file(&s->map, &d, path);
    return status ? status : source_open_bytes(s, s->map.content, &d);
}

/* The content of an embedded resource from its size on (II.24.2.4, II.22.24); empty: it is elsewhere. */
static bytes resource(const source *s, uint32_t row) {
    bytes all = {0}, content = {0};
    uint32_t offset = md_cell(&s->md, MD_ManifestResource_Offset, row);
    if (md_cell(&s->md, MD_ManifestResource_Implementation, row) == 0 &&
        pe_try_bytes(&s->pe, s->pe.cli.resources.rva, s->pe.cli.resources.size, &all) && offset < all.size)
        bytes_try_sub(all, offset, all.size - offset, &content);
    return content;
}

enum { NAMES_MVID_AT = 20, RESOURCE_SIZE_BYTES = 4, MVID_BYTES = 16 };

/* Is it the module with this MVID, or what instrumenting made of it? */
static bool fits(const source *s, const uint8_t mvid[MVID_BYTES]) {
    bytes guid;
    if (md_try_guid(&s->md, md_cell(&s->md, MD_Module_Mvid, 1), &guid) && memcmp(guid.data, mvid, MVID_BYTES) == 0)
        return true;
    for (uint32_t row = 1; row <= md_row_count(&s->md, MD_TABLE_ManifestResource); row++) {
        bytes content, found;
        if (!marker_is_names_resource(&s->md, row))
            continue;
        content = resource(s, row);
        if (bytes_try_sub(content, RESOURCE_SIZE_BYTES + NAMES_MVID_AT, MVID_BYTES, &found) &&
            memcmp(found.data, mvid, MVID_BYTES) == 0)
            return true;
    }
    return false;
}

static bool is_named(const report_module *m, const char *path) {
    const char *name = path_name(path);
    return m->module.size == strlen(name) && memcmp(m->module.data, name, m->module.size) == 0;
}

/* Opens a file for the modules that may be it: those of its name, or of any name. *taken: it is one of them. */
static ecma_status try_file(source *sources, const report *r, const char *path, bool any_name, bool *taken, diag *d) {
    const function_list *list = &r->sum->list;
    source opened = {.names = sources[0].names};
    ecma_status status = open_file(&opened, path, d);
    for (uint32_t i = 0; i < list->module_count && !status && !*taken; i++) {
        source *s = &sources[i];
        if (!list->modules[i].named || (!any_name && !is_named(&list->modules[i], path)))
            continue;
        if (!fits(&opened, list->modules[i].mvid)) {
            s->other |= !any_name || is_named(&list->modules[i], path);
            continue;
        }
        *taken = true;
        if (!s->wanted || s->found)
            continue;
        *s = opened;
        s->wanted = true;
        s->found = md_row_exists(&s->md, MD_TABLE_Assembly, 1); /* a netmodule is part of another file's assembly */
        opened = (source){0};
    }
    close_source(&opened);
    return status;
}

static char *joined(const char *folder, size_t folder_bytes, bytes name) {
    char *path = malloc(folder_bytes + 1 + name.size + 1);
    if (!path)
        return NULL;
    size_t at = folder_bytes;
    memcpy(path, folder, at);
    if (path_takes_slash(folder, folder_bytes))
        path[at++] = '/';
    memcpy(path + at, name.data, name.size);
    path[at + name.size] = '\0';
    return path;
}

/* A module's own name, as a file's: without folders. */
static bool is_plain(bytes name) {
    for (size_t i = 0; i < name.size; i++)
        if (path_is_separator((char)name.data[i]) || name.data[i] == 0)
            return false;
    return name.size > 0;
}

static ecma_status try_folder(source *sources, const report *r, const char *folder, size_t folder_bytes, diag *d) {
    const function_list *list = &r->sum->list;
    ecma_status status = ECMA_OK;
    for (uint32_t i = 0; i < list->module_count && !status; i++) {
        const report_module *m = &list->modules[i];
        if (!sources[i].wanted || sources[i].found || !is_plain(m->module))
            continue;
        char *path = joined(folder, folder_bytes, m->module);
        bool taken = false;
        if (!path)
            return diag_no_memory(d);
        if (os_exists(path))
            status = try_file(sources, r, path, false, &taken, d);
        free(path);
    }
    return status;
}

static ecma_status report_missing(const source *sources, const report *r, diag *d) {
    const function_list *list = &r->sum->list;
    uint32_t found = 0;
    for (uint32_t i = 0; i < list->module_count; i++) {
        const bytes name = list->modules[i].module;
        found += sources[i].found;
        if (sources[i].wanted && !sources[i].found && sources[i].other)
            return diag_report(d, DIAG_MIBC_BUILD,
                               "%.*s is of another build than the one that was profiled, by its MVID: give the "
                               "assembly of that build with --assembly",
                               (int)name.size, (const char *)name.data);
    }
    for (uint32_t i = 0; i < list->module_count && found > 0; i++) {
        const bytes name = list->modules[i].module;
        if (sources[i].wanted && !sources[i].found)
            diag_report(d, DIAG_MIBC_LEFT_OUT,
                        "%.*s is not found, so its methods are left out: --assembly=DIR says where it is",
                        (int)name.size, (const char *)name.data);
    }
    for (uint32_t i = 0; i < list->module_count && found == 0; i++) {
        const bytes name = list->modules[i].module;
        if (sources[i].wanted)
            return diag_report(d, DIAG_MIBC_MISSING,
                               "%.*s is not found, nor any other assembly of the profile: --assembly=DIR says where "
                               "they are",
                               (int)name.size, (const char *)name.data);
    }
    return ECMA_OK;
}

ecma_status sources_open(source *sources, const report *r, type_names *names, diag *d) {
    ecma_status status = ECMA_OK;
    for (uint32_t i = 0; i < r->sum->list.module_count; i++)
        sources[i].names = names;
    for (size_t i = 0; i < r->options->assembly_count && !status; i++) {
        const char *path = r->options->assemblies[i];
        bool taken = false;
        if (os_is_directory(path)) {
            status = try_folder(sources, r, path, strlen(path), d);
            continue;
        }
        status = try_file(sources, r, path, true, &taken, d);
        diag of = *d;
        of.file = path;
        if (!status && !taken)
            status = diag_report(&of, DIAG_MIBC_BUILD,
                                 "no module of the profile has its MVID: it is of another "
                                 "build, or of another program");
    }
    for (size_t i = 0; i < r->profile_count && !status; i++) {
        const char *path = r->profiles[i].file, *end = path ? path_last_separator(path) : NULL;
        if (path && end)
            status = try_folder(sources, r, path, (size_t)(end - path) + (end == path), d);
        else if (path)
            status = try_folder(sources, r, "", 0, d);
    }
    return status ? status : report_missing(sources, r, d);
}
