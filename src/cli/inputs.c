#include "inputs.h"

#include "archives.h"
#include "platform/path.h"

#include "platform/system.h"

#include <stdlib.h>
#include <string.h>

/* ---- Paths ------------------------------------------------------------------------------------------------------ */

/* The length of a path without the slashes at its end. */
static size_t bare_length(const char *path) {
    size_t length = strlen(path);
    while (length > 1 && path_is_separator(path[length - 1]))
        length--;
    return length;
}

static int out_of_memory(console *c) {
    console_error(c, "out of memory");
    return EXIT_FAILED;
}

/* ---- Where the operands go -------------------------------------------------------------------------------------- */

typedef struct target {
    const char *input, *output;
    bool is_folder, output_is_named;
    ilj_archive_kind archive;
    bool is_left_out;            /* comes with another one */
    size_t folder, folder_count; /* of the inputs: its own */
} target;

static int compare_outputs(const void *a, const void *b) {
    return path_compare(((const target *)a)->output, ((const target *)b)->output);
}

/* Two inputs that would become the same output. */
static int check_collisions(console *c, const command *of, const target *targets, size_t count) {
    target *sorted = calloc(count, sizeof *sorted);
    int value = sorted ? EXIT_DONE : out_of_memory(c);
    if (sorted) {
        memcpy(sorted, targets, count * sizeof *sorted);
        qsort(sorted, count, sizeof *sorted, compare_outputs);
    }
    for (size_t i = 1; sorted && i < count && value == EXIT_DONE; i++)
        if (path_compare(sorted[i - 1].output, sorted[i].output) == 0)
            value = usage_failure(c, of, "%s and %s would both become %s", sorted[i - 1].input, sorted[i].input,
                                  sorted[i].output);
    free(sorted);
    return value;
}

/* The last part of an operand's path; empty when that is no name. */
static const char *last_part(const char *path, size_t *size) {
    size_t end = bare_length(path), start = end;
    while (start > 0 && !path_is_separator(path[start - 1]) && !path_ends_at_drive(path, start))
        start--;
    *size = end - start;
    bool dots = (*size == 1 && path[start] == '.') || (*size == 2 && path[start] == '.' && path[start + 1] == '.');
    if (dots || path_is_separator(path[start]))
        *size = 0;
    return path + start;
}

static int choose_targets(inputs *in, console *c, const command *of, target *targets, size_t count,
                          const input_options *options) {
    const char *out = options->output;
    if (!out) {
        for (size_t i = 0; i < count; i++)
            targets[i].output = targets[i].input;
        return EXIT_DONE;
    }
    system_kind kind;
    int error = system_look(out, &kind);
    if (error) {
        console_error(c, "%s cannot be read: %s", out, strerror(error));
        return EXIT_FAILED;
    }
    bool is_folder = kind == SYSTEM_FOLDER, is_file = kind == SYSTEM_OTHER;
    if (count == 1 && (targets[0].is_folder || (!is_folder && !path_is_separator(out[strlen(out) - 1])))) {
        targets[0].output = out;
        if (targets[0].is_folder && is_file)
            return usage_failure(c, of, "%s is a file; a folder needs a folder to go to", out);
        return EXIT_DONE;
    }
    if (is_file)
        return usage_failure(c, of, "%s is a file; several inputs need a folder to go to", out);
    for (size_t i = 0; i < count; i++) {
        size_t size;
        const char *name = last_part(targets[i].input, &size);
        if (size == 0)
            return usage_failure(c, of, "%s has no name to go by; give it by one, or alone", targets[i].input);
        if (!(targets[i].output = inputs_joined(in, out, name, size)))
            return out_of_memory(c);
    }
    return check_collisions(c, of, targets, count);
}

/* An archive is only replaced when that is asked for. */
static int check_archives(console *c, const command *of, const target *targets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const target *t = &targets[i];
        if (t->archive && t->output != t->input && system_is_same_file(t->input, t->output))
            return usage_failure(c, of, "%s is input and output; --in-place replaces the input", t->input);
    }
    return EXIT_DONE;
}

/* A folder must not be read while it is written. */
static int check_nesting(console *c, const command *of, const target *targets, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const target *t = &targets[i];
        if (!t->is_folder || t->output == t->input)
            continue;
        if (system_is_within(t->output, t->input))
            return usage_failure(c, of, "the output %s is inside the folder %s; --in-place replaces what is in it",
                                 t->output, t->input);
        if (system_is_within(t->input, t->output))
            return usage_failure(c, of, "the folder %s is inside the output %s", t->input, t->output);
    }
    return EXIT_DONE;
}

/* Makes a folder, and remembers the outermost one that was not there. */
static int make_folder(inputs *in, console *c, const char *folder) {
    const char **moved = realloc(in->made, (in->made_count + 1) * sizeof *moved);
    if (!moved)
        return out_of_memory(c);
    in->made = moved;
    for (size_t end = 1; end <= strlen(folder); end++) {
        if (folder[end] && !path_is_separator(folder[end]))
            continue;
        const char *part = inputs_joined(in, "", folder, end);
        if (!part)
            return out_of_memory(c);
        if (!system_exists(part)) {
            in->made[in->made_count++] = part;
            break;
        }
    }
    int error = system_make_directories(folder);
    if (error)
        console_error(c, "the folder %s cannot be made: %s", folder, strerror(error));
    return error ? EXIT_FAILED : EXIT_DONE;
}

void inputs_remove_made(const inputs *in) {
    for (size_t i = 0; i < in->made_count; i++)
        system_remove_folder(in->made[i]);
}

/* The folder that a file is to stand in; NULL: the current one, or memory ran out. */
static const char *folder_of(inputs *in, const char *path) {
    const char *slash = path_last_separator(path);
    return slash && slash > path && *slash != ':' ? inputs_joined(in, "", path, (size_t)(slash - path)) : NULL;
}

/* Makes the folder that an output stands in, or is. */
static int make_folders(inputs *in, console *c, const target *targets, size_t count, const input_options *options) {
    if (!options->output || options->dry_run)
        return EXIT_DONE;
    for (size_t i = 0; i < count; i++) {
        const target *t = &targets[i];
        const char *folder = t->is_folder                   ? t->output
                             : t->output != options->output ? options->output
                                                            : folder_of(in, t->output);
        int value = folder && !system_is_directory(folder) ? make_folder(in, c, folder) : EXIT_DONE;
        if (value != EXIT_DONE)
            return value;
    }
    return EXIT_DONE;
}

/* ---- Their kinds ------------------------------------------------------------------------------------------------ */

static int read_folder(inputs *in, console *c, ilj_context *context, const target *t, bool all) {
    ilj_folder *folder = NULL;
    if (ilj_folder_read(&folder, context, t->input, all, t->output == t->input) != ILJ_OK) {
        in->failed = true;
        return EXIT_DONE;
    }
    if (inputs_add_folder(in, &(folder_result){t->input, t->output, folder->counts}, folder))
        return EXIT_DONE;
    ilj_folder_free(folder);
    return out_of_memory(c);
}

/* XAPs before other archives, which may be parts of them. */
static int read_all(inputs *in, console *c, ilj_context *context, target *targets, size_t count, bool all) {
    int value = EXIT_DONE;
    for (int pass = 0; pass < 2; pass++)
        for (size_t i = 0; i < count && value == EXIT_DONE; i++) {
            target *t = &targets[i];
            size_t before = in->folder_count, archives = in->archive_count;
            bool is_early = t->archive == ILJ_ARCHIVE_XAP;
            if (is_early != (pass == 0))
                continue;
            if (t->is_folder)
                value = read_folder(in, c, context, t, all);
            else if (t->archive && (t->is_left_out = inputs_is_part(in, t->input)))
                continue;
            else if (t->archive)
                value = inputs_open_archive(in, c, context, t->input, t->output, all);
            if (in->archive_count > archives)
                in->archives[in->archive_count - 1]->output_is_named = t->output_is_named;
            t->folder = before;
            t->folder_count = in->folder_count - before;
        }
    return value;
}

static bool add_entry(inputs *in, const folder_result *folder, const char *name, size_t at) {
    file_result *file = &in->files[at];
    file->in_folder = true;
    file->input = inputs_joined(in, folder->input, name, strlen(name));
    file->output =
        folder->output == folder->input ? file->input : inputs_joined(in, folder->output, name, strlen(name));
    return file->input && file->output;
}

static bool add_folder(inputs *in, size_t number, size_t *refused) {
    const ilj_folder *folder = in->read[number];
    bool fine = true;
    for (size_t i = 0; i < folder->entry_count && fine; i++) {
        const ilj_entry *entry = &folder->entries[i];
        if (entry->kind == ILJ_ENTRY_ASSEMBLY)
            fine = add_entry(in, &in->folders[number], entry->name, in->work++);
        else if (entry->kind == ILJ_ENTRY_BUNDLE || entry->kind == ILJ_ENTRY_UNREADABLE)
            fine = add_entry(in, &in->folders[number], entry->name, --*refused);
    }
    return fine;
}

static int list_files(inputs *in, console *c, const target *targets, size_t count) {
    for (size_t i = 0; i < count; i++)
        in->count += !targets[i].is_folder && !targets[i].archive;
    for (size_t i = 0; i < in->folder_count; i++)
        in->count += in->folders[i].counts[ILJ_ENTRY_ASSEMBLY] + in->folders[i].counts[ILJ_ENTRY_BUNDLE] +
                     in->folders[i].counts[ILJ_ENTRY_UNREADABLE];
    in->files = calloc(in->count + 1, sizeof *in->files);
    if (!in->files)
        return out_of_memory(c);
    size_t refused = in->count;
    for (size_t i = 0; i < count; i++) {
        const target *t = &targets[i];
        bool fine = true;
        if (!t->is_folder && !t->archive)
            in->files[in->work++] =
                (file_result){.input = t->input, .output = t->output, .output_is_named = t->output_is_named};
        else if (t->is_folder && t->folder_count > 0)
            fine = add_folder(in, t->folder, &refused);
        else if (t->folder_count > 0)
            fine = inputs_list_archive(in, t->folder, &refused) > 0;
        if (!fine)
            return out_of_memory(c);
    }
    return EXIT_DONE;
}

int inputs_make(inputs *in, console *c, ilj_context *context, const command *of, arguments operands,
                const input_options *options) {
    *in = (inputs){.dry_run = options->dry_run};
    size_t count = operands.count;
    target *targets = calloc(count, sizeof *targets);
    if (!targets)
        return out_of_memory(c);
    for (size_t i = 0; i < count; i++)
        targets[i] = (target){.input = operands.items[i],
                              .is_folder = system_is_directory(operands.items[i]),
                              .archive = ilj_archive_kind_of(operands.items[i])};
    int value = choose_targets(in, c, of, targets, count, options);
    if (value == EXIT_DONE)
        value = check_nesting(c, of, targets, count);
    for (size_t i = 0; i < count; i++)
        targets[i].output_is_named = targets[i].output == targets[i].input || targets[i].output == options->output;
    if (value == EXIT_DONE)
        value = check_archives(c, of, targets, count);
    if (value == EXIT_DONE)
        value = read_all(in, c, context, targets, count, options->all);
    if (value == EXIT_DONE)
        value = list_files(in, c, targets, count);
    if (value == EXIT_DONE)
        value = make_folders(in, c, targets, count, options);
    free(targets);
    return value;
}

static void show_progress(void *user, size_t done, size_t count) {
    console_progress(user, "copying", done, count);
}

static void tidy_folder_of(const char *output) {
    const char *slash = path_last_separator(output);
    char *folder = strndup(output, slash ? (size_t)(slash - output) + (slash == output || *slash == ':') : 0);
    if (folder)
        ilj_output_tidy(folder);
    free(folder);
}

/* Removes what runs that were killed have left where single files go, once for a row of outputs in one folder. */
static void tidy_outputs(const inputs *in) {
    const char *last = NULL;
    size_t last_size = 0;
    for (size_t i = 0; i < in->work; i++) {
        const char *output = in->files[i].output, *slash = path_last_separator(output);
        size_t size = slash ? (size_t)(slash - output) + (slash == output || *slash == ':') : 0;
        if (in->files[i].in_folder || (last && size == last_size && memcmp(output, last, size) == 0))
            continue;
        tidy_folder_of(output);
        last = output;
        last_size = size;
    }
}

/* With single files, a link at an output is followed only where the user named it. */
static void drop_links(const inputs *in) {
    for (size_t i = 0; i < in->work; i++)
        if (!in->files[i].in_folder && !in->files[i].output_is_named)
            system_drop_link(in->files[i].output);
    for (size_t i = 0; i < in->archive_count; i++)
        if (in->archives[i]->archive && !in->archives[i]->output_is_named)
            system_drop_link(in->archives[i]->archive->parts[0].output);
}

void inputs_copy_folders(inputs *in, console *c, ilj_context *context) {
    tidy_outputs(in);
    drop_links(in);
    for (size_t i = 0; i < in->folder_count; i++) {
        const folder_result *f = &in->folders[i];
        if (!in->read[i]) {
            tidy_folder_of(f->output);
            continue;
        }
        ilj_status status = f->output == f->input ? ilj_folder_tidy(in->read[i], context)
                                                  : ilj_folder_copy(in->read[i], context, f->output, show_progress, c);
        in->copy_failed |= status != ILJ_OK;
    }
    in->failed |= in->copy_failed;
    console_progress_end(c);
}

void inputs_free(inputs *in) {
    for (size_t i = 0; i < in->folder_count; i++)
        ilj_folder_free(in->read[i]);
    for (size_t i = 0; i < in->owned_count; i++)
        free(in->owned[i]);
    for (size_t i = 0; i < in->archive_count; i++) {
        ilj_archive_free(in->archives[i]->archive);
        free(in->archives[i]->folder);
        free(in->archives[i]);
    }
    if (in->temporary) {
        system_remove_folder(in->temporary);
        system_end_if_told(NULL);
    }
    free(in->temporary);
    free(in->archives);
    free(in->aliases);
    free(in->owned);
    free(in->made);
    free(in->read);
    free(in->folders);
    free(in->files);
}
