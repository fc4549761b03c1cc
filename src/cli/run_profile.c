/* The environment of a program that is instrumented, and what becomes of its profiles: of `run` and `test`. */
#define _GNU_SOURCE
#include "run_profile.h"

#include "platform/path.h"
#include "platform/system.h"
#include "run_end.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int run_make_folder(console *c, const char *path) {
    int error = system_make_directories(path);
    if (error)
        console_error(c, "%s cannot be made: %s", path, strerror(error));
    return error ? EXIT_FAILED : EXIT_DONE;
}

char *run_profiles_folder(const char *folder) {
    char *path;
    return asprintf(&path, "%s/profiles", folder) < 0 ? NULL : path;
}

/* ---- The environment -------------------------------------------------------------------------------------------- */

static bool set_setting(const char *setting) {
    char name[64] = "ILINJECT_";
    size_t at = strlen(name);
    const char *equals = strchr(setting, '=');
    for (const char *p = setting; p < equals && at + 1 < sizeof name; p++)
        name[at++] = *p >= 'a' && *p <= 'z' ? (char)(*p - 'a' + 'A') : *p;
    name[at] = 0;
    return system_set_variable(name, equals + 1);
}

/* A startup hook that is the tracker itself: then .NET finds the tracker, whatever the deps.json says. */
static bool set_hook(const run_profile *l) {
    static const char name[] = "DOTNET_STARTUP_HOOKS";
    const char *before = system_variable(name);
    char *tracker = NULL, *hooks = NULL;
    bool set =
        asprintf(&tracker, "%s/ProfileInfoTracker.dll", l->profiles) >= 0 &&
        ilj_tracker_write(l->context, tracker) == ILJ_OK &&
        asprintf(&hooks, "%s%s%s", before ? before : "", before && *before ? PATH_LIST_SEPARATOR : "", tracker) >= 0 &&
        system_set_variable(name, hooks);
    free(hooks);
    free(tracker);
    return set;
}

int run_set_environment(const run_profile *l, const char *folder, bool hook) {
    char *out = NULL;
    bool set = asprintf(&out, "%s/%%n.%%p.ilprof", folder) >= 0 && system_set_variable("ILINJECT_OUT", out) &&
               (!hook || set_hook(l));
    for (size_t i = 0; i < l->tracker_settings->count && set; i++)
        set = set_setting(l->tracker_settings->items[i].value);
    free(out);
    if (!set)
        console_error(l->console, "the program's environment cannot be set");
    return set ? EXIT_DONE : EXIT_FAILED;
}

/* ---- Its profile ------------------------------------------------------------------------------------------------ */

static int write_error_stream(void *user, const char *text, size_t length) {
    (void)user;
    return system_put(SYSTEM_ERROR, text, length);
}

static ilj_status copy_profile(const run_profile *l, const char *from, result_file *to) {
    char block[65536];
    FILE *file = system_open_file(from);
    if (!file) {
        console_error(l->console, "%s cannot be read: %s", from, strerror(errno));
        return ILJ_IO;
    }
    for (size_t size; (size = fread(block, 1, sizeof block, file)) > 0;)
        result_file_write(to, block, size);
    bool read = !ferror(file);
    if (!read)
        console_error(l->console, "%s cannot be read", from);
    fclose(file);
    return read ? ILJ_OK : ILJ_IO;
}

static ilj_status merge_profiles(const run_profile *l, char *const *profiles, size_t count, result_file *to) {
    ilj_merge *sum = NULL;
    ilj_status status = ilj_merge_new(&sum, l->context);
    for (size_t i = 0; i < count && status == ILJ_OK; i++)
        status = ilj_merge_add(sum, profiles[i]);
    if (status == ILJ_OK)
        status = ilj_merge_write(sum, result_file_write, to);
    ilj_merge_free(sum);
    return status;
}

/* One profile as it is, those of several processes merged; those whom the tracker kept from reading one do not read the
 * outcome. Returns 0 or the errno of the file at `path`; *status is that of reading the others. */
static int write_profile(ilj_status *status, const run_profile *l, char *const *profiles, size_t count,
                         const char *path) {
    result_file file;
    int error = result_file_open(&file, path, l->output ? RESULT_FOLLOW : RESULT_REPLACE);
    *status = ILJ_OK;
    if (!error) {
        for (size_t i = 0; i < count; i++)
            result_file_within(&file, profiles[i]);
        *status = count == 1 ? copy_profile(l, profiles[0], &file) : merge_profiles(l, profiles, count, &file);
        error = result_file_close(&file, *status == ILJ_OK);
    }
    return error;
}

/* False: what was asked for could not be shown, which is reported. */
static bool show(const run_profile *l, const char *profile) {
    ilj_status status = ILJ_OK;
    ilj_report_options wanted = {
        .size = sizeof wanted,
        .sort = l->sort,
        .top = l->top,
        .width = system_width(),
        .color = l->console->color_err,
        .view = l->view,
        .by = l->by,
        .counted = (const char *const *)l->counted,
        .counted_count = l->counted_count,
    };
    if (!l->console->quiet)
        status = ilj_report(l->context, &profile, 1, &wanted, write_error_stream, NULL);
    if (!l->html)
        return status == ILJ_OK;
    result_file file;
    int error = result_file_open(&file, l->html, RESULT_FOLLOW);
    if (!error) {
        result_file_within(&file, profile);
        wanted.format = ILJ_REPORT_HTML;
        wanted.view = ILJ_VIEW_DEFAULT;
        wanted.by = ILJ_BY_FUNCTION;
        status = ilj_report(l->context, &profile, 1, &wanted, result_file_write, &file);
        error = result_file_close(&file, status == ILJ_OK);
    }
    if (error)
        console_error(l->console, "%s cannot be written: %s", l->html, strerror(error));
    return error == 0 && status == ILJ_OK;
}

/* In a new folder for temporary files, as its place cannot be written: a run may have been long. *output becomes its
 * path. */
static bool try_elsewhere(char **output, const run_profile *l, char *const *profiles, size_t count, int error) {
    ilj_status status;
    const char *reason = strerror(error);
    char *folder = system_temporary_folder("ilinject-profile"), *there = NULL;
    bool kept = folder && asprintf(&there, "%s/%s", folder, path_name(*output)) >= 0 &&
                write_profile(&status, l, profiles, count, there) == 0 && status == ILJ_OK;
    if (kept && l->output)
        console_error(l->console, "%s cannot be written: %s; the profile is %s", *output, reason, there);
    else if (kept)
        console_warning(l->console, "%s cannot be written here: %s; the profile is %s", *output, reason, there);
    else
        console_error(l->console, "%s cannot be written: %s", *output, reason);
    if (kept) {
        free(*output);
        *output = there;
    } else {
        if (folder)
            system_remove_folder(folder);
        free(there);
    }
    free(folder);
    return kept;
}

/* Returns EXIT_DONE when the profile is where it was wanted, and is shown. */
int run_keep_profile(const run_profile *l, const char *command, int value) {
    size_t count;
    char **profiles;
    int unlisted = system_files(&profiles, &count, l->profiles, ".ilprof");
    char *output = NULL;
    bool there = false, kept = false, shown = false; /* where it was wanted, or at all */
    if (unlisted) {
        console_error(l->console, "%s cannot be listed: %s", l->profiles, strerror(unlisted));
    } else if (count == 0) {
        run_says_none_written(l, command, value);
    } else {
        output = l->output ? strdup(l->output)
                           : run_usual_output(profiles, l->name ? 0 : count, l->name ? l->name : command);
        ilj_status status = ILJ_OK;
        int error = output ? write_profile(&status, l, profiles, count, output) : ENOMEM;
        there = error == 0 && status == ILJ_OK;
        kept = there || (output && error && try_elsewhere(&output, l, profiles, count, error));
        if (kept) {
            (void)system_flush();
            shown = show(l, output);
            if (!l->console->quiet && there)
                console_note(l->console, "the profile is %s", output);
        }
    }
    for (size_t i = 0; profiles && i < count; i++)
        free(profiles[i]);
    free(profiles);
    free(output);
    return shown && (there || !l->output) ? EXIT_DONE : EXIT_FAILED;
}
