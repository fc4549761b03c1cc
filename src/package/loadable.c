#define _GNU_SOURCE
#include "package/loadable.h"

#include <string.h>
#include <strings.h>

#include "input/image.h"
#include "platform/path.h"

/* The length of an assembly's name in that of its file. */
static size_t stem(const char *name) {
    size_t size = strlen(name);
    return size > 4 && (strcasecmp(name + size - 4, ".dll") == 0 || strcasecmp(name + size - 4, ".exe") == 0) ? size - 4
                                                                                                              : size;
}

/* Is a text the assembly's name: "Name", "folder/Name.dll", "Name, Version=1.0.0.0 ...", "Type, Name"? */
static bool is_named(const char *text, const char *name) {
    size_t size = stem(name);
    for (const char *part = text; part;) {
        while (*part == ' ')
            part++;
        const char *end = strchr(part, ',');
        size_t length = end ? (size_t)(end - part) : strlen(part);
        const char *start = part;
        for (size_t i = 0; i < length; i++)
            if (part[i] == '/' || part[i] == '\\')
                start = part + i + 1;
        length -= (size_t)(start - part);
        if (length >= size && strncasecmp(start, name, size) == 0 &&
            (length == size || (length == size + 4 && strncasecmp(start, name, length) == 0)))
            return true;
        part = end ? end + 1 : NULL;
    }
    return false;
}

static void mark(loadables *l, size_t from, const char *text) {
    for (size_t i = 0; i < l->count; i++)
        if (i != from && is_named(text, l->list[i].name))
            l->list[from].loads[i] = true;
}

static void read_strings(loadables *l, size_t position, bytes heap) {
    enum { LONGEST = 1024 };
    char text[LONGEST + 1];
    for (size_t at = 0; at < heap.size;) {
        reader r = reader_of((bytes){heap.data + at, heap.size - at});
        uint32_t size = reader_compressed(&r);
        bytes entry = reader_bytes(&r, size);
        if (r.failed)
            return;
        size_t length = 0;
        for (; 2 * length + 1 < entry.size && length < LONGEST && entry.data[2 * length + 1] == 0; length++)
            text[length] = (char)entry.data[2 * length];
        text[length] = 0;
        if (2 * length + 1 >= entry.size)
            mark(l, position, text);
        at += reader_offset(&r);
    }
}

ecma_status loadables_read(loadables *l, size_t position, diag *d, const char *path) {
    ilj_context silent = {0};
    ilj_image *image = NULL;
    loadable *one = &l->list[position];
    one->loads = arena_alloc_array(&l->memory, l->count, sizeof *one->loads);
    if (!one->loads)
        return diag_no_memory(d);
    memset(one->loads, 0, l->count * sizeof *one->loads);
    ilj_status opened = ilj_image_open(&image, &silent, path);
    if (opened != ILJ_OK)
        return opened == ILJ_NO_MEMORY ? diag_no_memory(d) : ECMA_OK;
    const md_view *v = &image->metadata;
    one->starts = !image->bare && image->pe.cli.entry_point_token != 0;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_AssemblyRef); row++)
        mark(l, position, md_name(v, MD_AssemblyRef_Name, row));
    read_strings(l, position, v->user_strings);
    ilj_image_free(image);
    return ECMA_OK;
}

void loadables_name(loadables *l, bytes text, bool whole) {
    for (size_t i = 0; i < l->count; i++) {
        const char *name = l->list[i].name;
        if (whole ? is_named((const char *)text.data, name) : memmem(text.data, text.size, name, stem(name)) != NULL)
            l->list[i].is = true;
    }
}

static bool follow(loadables *l, size_t i) {
    const loadable *from = &l->list[i];
    bool changed = false;
    for (size_t k = 0; k < l->count; k++) {
        loadable *to = &l->list[k];
        if (to->is || !to->loads)
            continue;
        to->is = (from->loads && from->loads[k]) || (!to->starts && to->loads[i]);
        changed |= to->is;
    }
    return changed;
}

void loadables_follow(loadables *l) {
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < l->count; i++)
            changed |= l->list[i].is && follow(l, i);
    }
}
