#define _GNU_SOURCE
#include "archives.h"

#include "platform/system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int out_of_memory(console *c) {
    console_error(c, "out of memory");
    return EXIT_FAILED;
}

/* ---- Opening ---------------------------------------------------------------------------------------------------- */

/* From here on a signal that ends the process has the folder removed first. */
static int make_temporary(inputs *in, console *c) {
    if (in->temporary)
        return EXIT_DONE;
    system_hold_signals();
    in->temporary = system_temporary_folder("ilinject-run");
    if (in->temporary)
        return EXIT_DONE;
    console_error(c, "no folder for unpacking can be made: %s; $TMPDIR says where", strerror(errno));
    return EXIT_FAILED;
}

static archived *add_archived(inputs *in) {
    archived **moved = realloc(in->archives, (in->archive_count + 1) * sizeof *moved);
    archived *made = moved ? calloc(1, sizeof *made) : NULL;
    if (moved)
        in->archives = moved;
    if (made && asprintf(&made->folder, "%s/%zu", in->temporary, in->archive_count) < 0) {
        free(made);
        made = NULL;
    }
    if (made)
        in->archives[in->archive_count++] = made;
    return made;
}

static bool add_alias(inputs *in, console *c, const char *path, const char *name) {
    console_alias *moved = realloc(in->aliases, (c->alias_count + 1) * sizeof *moved);
    if (!moved)
        return false;
    moved[c->alias_count++] = (console_alias){path, name};
    c->aliases = in->aliases = moved;
    return true;
}

static bool add_parts(inputs *in, console *c, const ilj_archive *archive) {
    for (size_t i = 0; i < archive->part_count; i++) {
        const ilj_archive_part *p = &archive->parts[i];
        if (!add_alias(in, c, p->from, p->path) || !add_alias(in, c, p->to, p->output) ||
            !inputs_add_folder(in, &(folder_result){p->path, p->output, p->counts}, NULL))
            return false;
    }
    return true;
}

int inputs_open_archive(inputs *in, console *c, ilj_context *context, const char *input, const char *output, bool all) {
    int value = make_temporary(in, c);
    if (value != EXIT_DONE)
        return value;
    archived *a = add_archived(in);
    if (!a)
        return out_of_memory(c);
    ilj_status status = ilj_archive_open(&a->archive, context, input, output, a->folder, all);
    system_end_if_told(in->temporary);
    if (status != ILJ_OK) {
        in->failed = true;
        system_remove_folder(a->folder);
        return EXIT_DONE;
    }
    return add_parts(in, c, a->archive) ? EXIT_DONE : out_of_memory(c);
}

bool inputs_is_part(const inputs *in, const char *path) {
    for (size_t i = 0; i < in->archive_count; i++) {
        const ilj_archive *archive = in->archives[i]->archive;
        for (size_t k = 1; archive && k < archive->part_count; k++)
            if (system_is_same_file(archive->parts[k].path, path))
                return true;
    }
    return false;
}

/* ---- Their files ------------------------------------------------------------------------------------------------ */

static bool add_file(inputs *in, archived *a, const ilj_archive_part *part, const char *name, size_t at) {
    size_t size = strlen(name);
    in->files[at] = (file_result){.in_folder = true,
                                  .archived = a,
                                  .input = inputs_joined(in, part->from, name, size),
                                  .output = inputs_joined(in, part->to, name, size),
                                  .input_name = inputs_joined(in, part->path, name, size),
                                  .output_name = inputs_joined(in, part->output, name, size)};
    return in->files[at].input && in->files[at].output && in->files[at].input_name && in->files[at].output_name;
}

size_t inputs_list_archive(inputs *in, size_t first, size_t *refused) {
    archived *a = NULL;
    for (size_t i = 0; i < in->archive_count; i++)
        if (in->archives[i]->archive && in->archives[i]->archive->parts[0].counts == in->folders[first].counts)
            a = in->archives[i];
    for (size_t i = 0; i < a->archive->part_count; i++) {
        const ilj_archive_part *part = &a->archive->parts[i];
        for (size_t k = 0; k < part->assembly_count; k++, a->left++)
            if (!add_file(in, a, part, part->assemblies[k], in->work++))
                return 0;
        for (size_t k = 0; k < part->refused_count; k++, a->refused++)
            if (!add_file(in, a, part, part->refused[k], --*refused))
                return 0;
    }
    return a->archive->part_count;
}

/* ---- Writing ---------------------------------------------------------------------------------------------------- */

/* The unpacked files are not needed any more; their names are. */
static void finish(inputs *in, console *c, ilj_context *context, archived *a, bool dry_run) {
    const char *output = a->archive->parts[0].output;
    if (a->failed > 0 || a->refused > 0) {
        console_error(c, "%s is not written: %zu of its assemblies cannot be instrumented%s", output,
                      a->failed + a->refused, a->refused == 0 ? "; --exclude leaves them as they are" : "");
    } else if (!dry_run && ilj_archive_write(a->archive, context) != ILJ_OK) {
        in->failed = true;
    }
    system_remove_folder(a->folder);
}

void inputs_begin_archives(inputs *in, console *c, ilj_context *context) {
    for (size_t i = 0; i < in->archive_count; i++)
        if (in->archives[i]->archive && in->archives[i]->left == 0)
            finish(in, c, context, in->archives[i], in->dry_run);
}

void inputs_file_done(inputs *in, console *c, ilj_context *context, const file_result *file, bool failed) {
    archived *a = file->archived;
    if (!in->temporary)
        return;
    system_end_if_told(in->temporary);
    if (!a)
        return;
    a->failed += failed;
    if (--a->left == 0)
        finish(in, c, context, a, in->dry_run);
    system_end_if_told(in->temporary);
}
