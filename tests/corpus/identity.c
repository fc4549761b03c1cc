/* identity - decodes every method body of real images and encodes it again: the bytes must be the same.
 *
 *   identity FILE…             judges each file; prints a line for each body that differs and, at the end, the counts
 *   identity --il-only FILE…   prints the names of those that are IL-only managed images, and judges nothing
 *
 * A body that cannot be understood is counted and named, and is no failure: the instrumenter leaves it alone. */
#include "base/arena.h"
#include "il/edit.h"
#include "metadata/view.h"
#include "pe/image.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMPL_CODE_TYPE_MASK = 0x0003 };

typedef struct counts {
    unsigned long images, bodies, bytes, not_understood, differ, unreadable;
} counts;

typedef struct work {
    il_edit edit;
    buffer out;
    counts counts;
} work;

static bool read_file(const char *path, buffer *content) {
    FILE *file = fopen(path, "rb");
    if (!file)
        return false;
    uint8_t piece[65536];
    size_t size;
    while ((size = fread(piece, 1, sizeof piece, file)) > 0)
        buffer_append(content, piece, size);
    bool fine = !ferror(file) && !content->failed;
    fclose(file);
    return fine;
}

static void judge_body(work *w, const char *path, uint32_t row, bytes from) {
    il_body body;
    il_fault fault = {0};
    if (!il_body_try_read(&body, from, &fault) || il_edit_begin(&w->edit, &body, &fault)) {
        w->counts.not_understood++;
        printf("%s: method 0x06%06x is not understood: %s at %u\n", path, row, fault.what ? fault.what : "no memory",
               fault.offset);
        return;
    }
    w->out.size = 0;
    bool same = il_edit_encode(&w->edit, &w->out, &fault) == ECMA_OK && w->out.size == body.size &&
                memcmp(w->out.data, from.data, body.size) == 0;
    w->counts.bodies++;
    w->counts.bytes += body.size;
    if (!same) {
        w->counts.differ++;
        printf("%s: method 0x06%06x is encoded differently\n", path, row);
    }
}

static void judge_image(work *w, const char *path, const pe_image *image, const md_view *view) {
    w->counts.images++;
    for (uint32_t row = 1; row <= md_row_count(view, MD_TABLE_MethodDef); row++) {
        uint32_t rva = md_cell(view, MD_MethodDef_RVA, row);
        bytes from;
        if (rva == 0 || (md_cell(view, MD_MethodDef_ImplFlags, row) & IMPL_CODE_TYPE_MASK))
            continue;
        if (pe_try_bytes_from(image, rva, &from)) {
            judge_body(w, path, row, from);
        } else {
            w->counts.not_understood++;
            printf("%s: method 0x06%06x has no bytes\n", path, row);
        }
    }
}

static void judge_file(work *w, const char *path, bool only_list) {
    buffer content = BUFFER_INIT;
    arena memory = ARENA_INIT;
    diag quiet = {.file = path};
    pe_image image;
    md_view view;
    bytes metadata;
    if (!read_file(path, &content)) {
        w->counts.unreadable++;
        printf("%s: cannot be read\n", path);
    } else if (pe_image_open(&image, buffer_bytes(&content), &memory, &quiet) == ECMA_OK &&
               (image.cli.flags & PE_CLI_IL_ONLY) && image.cli.managed_native.rva == 0) {
        if (only_list) {
            puts(path);
        } else if (pe_try_bytes(&image, image.cli.metadata.rva, image.cli.metadata.size, &metadata) &&
                   md_view_open(&view, metadata, &memory, &quiet) == ECMA_OK) {
            judge_image(w, path, &image, &view);
        } else {
            w->counts.unreadable++;
            printf("%s: its metadata cannot be read\n", path);
        }
    }
    arena_clear(&memory);
    buffer_clear(&content);
}

int main(int argc, char **argv) {
    bool only_list = argc > 1 && strcmp(argv[1], "--il-only") == 0;
    if (argc < 2) {
        fputs("usage: identity [--il-only] FILE...\n", stderr);
        return 2;
    }
    work w = {0};
    il_edit_init(&w.edit);
    for (int i = only_list ? 2 : 1; i < argc; i++)
        judge_file(&w, argv[i], only_list);
    il_edit_clear(&w.edit);
    buffer_clear(&w.out);
    if (!only_list)
        printf("%lu images, %lu bodies of %lu bytes, %lu differ, %lu not understood, %lu unreadable\n", w.counts.images,
               w.counts.bodies, w.counts.bytes, w.counts.differ, w.counts.not_understood, w.counts.unreadable);
    return w.counts.differ || w.counts.unreadable;
}
