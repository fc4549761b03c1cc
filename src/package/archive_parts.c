/* The zips that an archive is made of. */
#define _GNU_SOURCE
#include "package/archive.h"

#include <stdio.h>
#include <strings.h>

bool archive_ends_with(const char *name, const char *ending) {
    size_t size = strlen(name), length = strlen(ending);
    return size > length && strcasecmp(name + size - length, ending) == 0;
}

char *archive_joined(arena *a, const char *folder, const char *name) {
    size_t size = strlen(folder), length = strlen(name);
    char *path = arena_alloc(a, size + length + 2);
    if (!path)
        return NULL;
    memcpy(path, folder, size);
    path[size] = '/';
    memcpy(path + size + 1, name, length);
    return path;
}

ecma_status archive_add_part(opened_archive *a, diag *d, const char *path, const char *output) {
    archive_part *part = &a->parts[a->shown.part_count];
    ilj_archive_part *shown = &a->shown_parts[a->shown.part_count];
    diag own = *d;
    char names[2][16];
    own.file = path;
    snprintf(names[0], sizeof names[0], "in.%zu", a->shown.part_count);
    snprintf(names[1], sizeof names[1], "out.%zu", a->shown.part_count);
    *shown = (ilj_archive_part){.path = path,
                                .output = output,
                                .from = archive_joined(&a->memory, a->folder, names[0]),
                                .to = archive_joined(&a->memory, a->folder, names[1])};
    a->shown.part_count++;
    if (!shown->from || !shown->to)
        return diag_no_memory(d);
    ecma_status status = os_read_file(&part->map, &own, path);
    if (status == ECMA_OK)
        status = zip_read(&part->zip, &own, part->map.content);
    if (status)
        return status;
    part->left = zip_most_unpacked(&part->zip);
    part->wanted = arena_alloc_array(&a->memory, part->zip.count + 1, sizeof *part->wanted);
    return part->wanted ? ECMA_OK : diag_no_memory(d);
}
