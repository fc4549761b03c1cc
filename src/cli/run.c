/* ilinject run */
#define _GNU_SOURCE
#include "platform/path.h"
#include "platform/system.h"
#include "run_copy.h"
#include "run_end.h"
#include "run_input.h"
#include "run_profile.h"
#include "selection.h"
#include "views.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    common_settings common;
    bool all;
    bool counts, allocations, command_texts, once;
    int exits;          /* an ilj_exits, less 1 */
    int exceptions;     /* an ilj_exceptions, less 1 */
    int sort, view, by; /* an ilj_sort_key, an ilj_report_view, an ilj_report_by */
    unsigned top;
    const char *output;
    const char *html;
    option_list tracker_settings;
    selection_settings selection;
} settings = {.exits = -1, .exceptions = -1, .selection = SELECTION_DEFAULTS, .top = 20};

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE",
     "the profile to write. Default: NAME.ilprof in the current folder, NAME being the program's"},
    {"html", 0, OPTION_TEXT, AT(html), 0, "FILE", "write the report as a page, too"},
    {"view", 0, OPTION_CHOICE, AT(view), 0, VIEW_NAMES, "the part that the report shows, as for report"},
    {"by", 0, OPTION_CHOICE, AT(by), 0, BY_NAMES, "a row of the report's table stands for one of these"},
    {"sort", 0, OPTION_CHOICE, AT(sort), 0, ILJ_SORT_KEYS(FIRST_CHOICE, NEXT_CHOICE),
     "order of the report's function table"},
    {"top", 0, OPTION_NUMBER, AT(top), 0, "N", "only the first N functions; 0: all. Default: 20"},
    {"set", 0, OPTION_LIST, AT(tracker_settings), 0, "NAME=VALUE",
     "a setting of the tracker, for the program and those that it starts; can be repeated"},
    {"all", 0, OPTION_FLAG, AT(all), 0, NULL,
     "instrument every assembly beside it, those of packages and frameworks, too"},
    SELECTION_ROWS(AT(selection)),
    CAPTURE_ROWS(AT(selection)),
    LEAF_ROWS(AT(selection)),
    ROOT_ROWS(AT(selection)),
    PRICE_ROWS(AT(selection)),
    {"once", 0, OPTION_FLAG, AT(once), 0, NULL,
     "with --overhead and no --profile: do not run the program before, unseen, to count its calls"},
    {"counts", 0, OPTION_FLAG, AT(counts), 0, NULL,
     "count calls alone: nearly free, but no times and no tree of calls"},
    {"allocations", 0, OPTION_FLAG, AT(allocations), 0, NULL,
     "count the objects that methods allocate, too, by type and place"},
    {"command-texts", 0, OPTION_FLAG, AT(command_texts), 0, NULL,
     "with --leaves: keep calls of ADO.NET's commands apart by their texts, without the values in them"},
    {"exits", 0, OPTION_CHOICE, AT(exits), 0, "guarded|ret", "see methods that an exception leaves, or only returns"},
    {"exceptions", 0, OPTION_CHOICE, AT(exceptions), 0, "paths|full", "full: the search for a handler as well"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

/* Things that one run needs and leaves; all paths are in `folder`. */
typedef struct launch {
    console *console;
    ilj_context *context;
    char *folder;     /* of this run alone */
    char *copy;       /* the instrumented application; NULL: there is none yet */
    run_profile kept; /* `profiles` is owned */
    char *counted;    /* the application that only counts calls; NULL: there is none */
    char **counts;    /* its profiles; `count_files` of them, then NULL */
    size_t count_files;
    char **command;
    bool needs_tracker;    /* the program may not find it: it is a command, or was instrumented before */
    char *program;         /* path of what is started, when it is not among the arguments */
    const char **settings; /* of the tracker; in a copy they are baked in, and with them a clock's library */
    size_t setting_count;
} launch;

/* ---- The command ------------------------------------------------------------------------------------------------ */

static void ignored(void *user, const char *input, const ilj_summary *summary) {
    (void)user;
    (void)input;
    (void)summary;
}

/* *place: where a copy goes, in the folder of the run: `name` has that, and links to the original's surroundings. */
static int choose_place(char **place, const launch *l, const ilj_application *app, const char *name) {
    char *within;
    int error = asprintf(&within, "%s/%s", l->folder, name) < 0 ? ENOMEM : 0;
    if (!error) {
        error = system_make_directories(within);
        if (!error)
            error = system_surround(place, within, app->folder);
        free(within);
    }
    if (error)
        console_error(l->console, "no folder for the copy can be made: %s", strerror(error));
    return error ? EXIT_FAILED : EXIT_DONE;
}

static int stage(launch *l, const ilj_application *app) {
    run_copy copy = {l->console, l->context, 0, 0};
    const ilj_instrument_options wanted = {
        .size = sizeof wanted,
        .settings = l->settings,
        .setting_count = l->setting_count,
        .exits = (ilj_exits)(settings.exits + 1),
        .exceptions = (ilj_exceptions)(settings.exceptions + 1),
        .counts = settings.counts,
        .allocations = settings.allocations,
        .command_texts = settings.command_texts,
        .runs_here = app->host != ILJ_HOST_MONO,
    };
    int value = choose_place(&l->copy, l, app, "copy");
    if (value == EXIT_DONE)
        value = run_copy_make(&copy, app, l->copy, &settings.selection, &wanted);
    if (value == EXIT_DONE)
        run_copy_note(&copy);
    return value;
}

/* The same with a call at each head that counts, and nothing else. */
static int stage_counting(launch *l, const ilj_application *app) {
    ilj_selection *selection = NULL;
    selection_settings wanted = settings.selection;
    wanted.overhead = NULL;
    wanted.captures = wanted.masks = wanted.leaves = (option_list){NULL, 0};
    int value = selection_make(&selection, l->console, l->context, &wanted);
    if (value != EXIT_DONE)
        return value;
    const ilj_instrument_options options = {
        .size = sizeof options, .selection = selection, .counts = true, .runs_here = app->host != ILJ_HOST_MONO};
    value = choose_place(&l->counted, l, app, "counted");
    if (value == EXIT_DONE)
        value = run_make_folder(l->console, l->counted);
    if (value == EXIT_DONE && ilj_application_stage(app, l->context, l->counted, &options, ignored, l) != ILJ_OK)
        value = EXIT_FAILED;
    ilj_selection_free(selection);
    return value;
}

/* Puts host and program before the program's own arguments. */
static int choose_command(launch *l, const ilj_application *app, const char *folder, arguments operands) {
    static char mono[] = "mono", dotnet[] = "dotnet";
    size_t at = 0;
    if (asprintf(&l->program, "%s/%s", folder, app->entry) < 0)
        return EXIT_FAILED;
    if (app->host == ILJ_HOST_DOTNET || (app->host == ILJ_HOST_MONO && !system_can(SYSTEM_FRAMEWORK)))
        l->command[at++] = app->host == ILJ_HOST_MONO ? mono : dotnet;
    l->command[at++] = l->program;
    for (size_t i = 1; i < operands.count; i++)
        l->command[at++] = operands.items[i];
    return EXIT_DONE;
}

/* The program is as it is already: instrumenting it is not for this run to choose. */
static int instruments_nothing(launch *l) {
    if (!settings.counts && !settings.selection.overhead)
        return EXIT_DONE;
    if (!settings.counts && strcmp(settings.selection.overhead, "any") == 0)
        return EXIT_DONE;
    const char *option = settings.counts ? "counts" : "overhead";
    console_error(l->console, "--%s needs a program that is not instrumented yet; 'ilinject --%s' makes one", option,
                  option);
    return EXIT_FAILED;
}

/* A command may be the launcher of a program, as those of installed tools are. */
static ilj_status find_application(ilj_application **app, const launch *l, arguments operands) {
    char *path = system_command_path(operands.items[0]);
    ilj_status status = ilj_application_find(app, l->context, path ? path : operands.items[0],
                                             (const char *const *)operands.items + 1, operands.count - 1, settings.all);
    if (path && *app && (*app)->instrumented) {
        ilj_application_free(*app);
        *app = NULL;
    }
    free(path);
    return status;
}

static int prepare(launch *l, arguments operands) {
    ilj_application *app = NULL;
    int value = EXIT_DONE;
    for (size_t i = 0; i < operands.count; i++)
        l->command[i] = operands.items[i];
    l->needs_tracker = true;
    if (find_application(&app, l, operands) != ILJ_OK)
        return EXIT_FAILED;
    if (!app)
        return instruments_nothing(l);
    l->needs_tracker = app->instrumented;
    value = app->instrumented ? instruments_nothing(l) : stage(l, app);
    if (value == EXIT_DONE)
        value = choose_command(l, app, app->instrumented ? app->folder : l->copy, operands);
    ilj_application_free(app);
    return value;
}

/* ---- The command ------------------------------------------------------------------------------------------------ */

static int check_usage(console *c, arguments operands) {
    if (operands.count == 0)
        return usage_failure(c, &run_command, "no program is given; give one, or a command with its arguments");
    int value = selection_check(c, &run_command, &settings.selection);
    if (value != EXIT_DONE)
        return value;
    if (settings.once && (!settings.selection.overhead || settings.selection.profiles.count > 0))
        return usage_failure(c, &run_command, "--once is for --overhead without --profile");
    if (settings.counts && settings.selection.overhead)
        return usage_failure(c, &run_command, "--counts and --overhead exclude each other: counting has its own price");
    if (settings.counts && (settings.exits >= 0 || settings.exceptions >= 0))
        return usage_failure(c, &run_command, "--counts and --%s exclude each other: only calls are seen",
                             settings.exits >= 0 ? "exits" : "exceptions");
    if (settings.command_texts && !settings.selection.leaves.count && !settings.selection.configs.count)
        return usage_failure(c, &run_command, "--command-texts needs --leaves");
    if (settings.counts && settings.allocations)
        return usage_failure(c, &run_command, "--counts and --allocations exclude each other: only calls are seen");
    if (settings.counts && (settings.selection.captures.count || settings.selection.masks.count))
        return usage_failure(c, &run_command,
                             "--counts and --%s exclude each other: calls that are only counted have no values",
                             settings.selection.captures.count ? "capture" : "mask");
    if (settings.counts && settings.selection.leaves.count)
        return usage_failure(c, &run_command,
                             "--counts and --leaves exclude each other: only calls of methods are seen");
    if (settings.exceptions == 1 && settings.exits == 1)
        return usage_failure(c, &run_command, "--exceptions=full needs --exits=guarded");
    return run_check_settings(c, &run_command, &settings.tracker_settings);
}

static bool make_folders(launch *l) {
    l->folder = system_temporary_folder("ilinject-run");
    if (!l->folder) {
        console_error(l->console, "no folder for temporary files can be made: %s", strerror(errno));
        return false;
    }
    l->kept.profiles = run_profiles_folder(l->folder);
    return l->kept.profiles && run_make_folder(l->console, l->kept.profiles) == EXIT_DONE;
}

/* ---- The run before, that counts --------------------------------------------------------------------------------- */

static void counting_goes_on(void *user) {
    console_progress_time(user, "the program runs unseen, to count its calls");
}

/* Runs the program without a report; *ended is its exit value. Returns EXIT_DONE, what a signal made of it, or
 * EXIT_NOT_STARTED (reported). */
static int run_counting(int *ended, launch *l, const ilj_application *app, const char *profiles, arguments operands) {
    int value = stage_counting(l, app);
    if (value != EXIT_DONE || choose_command(l, app, l->counted, operands) != EXIT_DONE ||
        run_set_environment(&l->kept, profiles, false) != EXIT_DONE)
        return EXIT_NOT_STARTED;
    const system_unseen unseen = {.still_runs = counting_goes_on, .user = l->console};
    int error = system_run(l->command, &unseen, &value);
    console_progress_end(l->console);
    free(l->program);
    l->program = NULL;
    memset(l->command, 0, (operands.count + 3) * sizeof *l->command);
    if (error) {
        console_error(l->console, "%s cannot be started: %s", app->entry, strerror(error));
        return EXIT_NOT_STARTED;
    }
    const char *ending = system_ending();
    if (ending)
        console_error(l->console, "the run that counts calls was ended by %s", ending);
    *ended = value;
    return ending ? value : EXIT_DONE;
}

/* Its profiles become the ones that choose the methods. Nothing is said of a program that did not start: it says why
 * when it is run once more. */
static int take_counts(launch *l, const char *folder, int ended) {
    option_list *profiles = &settings.selection.profiles;
    int error = system_files(&l->counts, &l->count_files, folder, ".ilprof");
    if (error) {
        console_error(l->console, "%s cannot be listed: %s", folder, strerror(error));
        return EXIT_NOT_STARTED;
    }
    if (l->count_files > 0)
        profiles->items = calloc(l->count_files, sizeof *profiles->items);
    if (l->count_files > 0 && !profiles->items) {
        console_error(l->console, "out of memory");
        return EXIT_NOT_STARTED;
    }
    for (size_t i = 0; i < l->count_files; i++)
        profiles->items[profiles->count++].value = l->counts[i];
    if (l->count_files == 0 && run_did_not_start(ended))
        return EXIT_DONE;
    if (l->count_files == 0)
        console_warning(l->console, "the run that counts calls left no counts: methods are chosen by their code");
    else if (ended != 0)
        console_warning(l->console, "the run that counts calls ended with %d; its counts are used all the same", ended);
    if (!l->console->quiet)
        console_note(l->console, "calls counted in a run of its own, unseen; --once goes without");
    return EXIT_DONE;
}

/* With a price and nothing to choose by. A program that is not there, or instrumented already, is left to prepare. */
static int count_first(launch *l, arguments operands) {
    ilj_application *app = NULL;
    char *folder = NULL;
    int value = EXIT_DONE, ended = 0;
    const selection_settings *of = &settings.selection;
    if (!of->overhead || strcmp(of->overhead, "any") == 0 || of->profiles.count > 0 || settings.once)
        return EXIT_DONE;
    if (find_application(&app, l, operands) != ILJ_OK)
        return EXIT_NOT_STARTED;
    bool counts = app && !app->instrumented;
    if (counts)
        value = run_keep_input(&counts, l->console, l->folder);
    if (counts && value == EXIT_DONE) {
        value = EXIT_NOT_STARTED;
        int error = ENOMEM;
        if (asprintf(&folder, "%s/counts", l->folder) >= 0)
            error = system_make_directories(folder);
        if (error)
            console_error(l->console, "no folder for counts can be made: %s", strerror(error));
        else
            value = run_counting(&ended, l, app, folder, operands);
        if (value == EXIT_DONE)
            value = take_counts(l, folder, ended);
        if (l->counted)
            system_remove_folder(l->counted);
    }
    free(folder);
    ilj_application_free(app);
    return value;
}

static int start(launch *l, arguments operands) {
    int value = EXIT_NOT_STARTED;
    system_hold_signals();
    if (!make_folders(l))
        return EXIT_NOT_STARTED;
    int counted = count_first(l, operands);
    if (counted != EXIT_DONE)
        return counted;
    if (prepare(l, operands) != EXIT_DONE ||
        run_set_environment(&l->kept, l->kept.profiles, l->needs_tracker) != EXIT_DONE)
        return EXIT_NOT_STARTED;
    int error = system_run(l->command, NULL, &value);
    if (error) {
        console_error(l->console, "%s cannot be started: %s", l->command[0], strerror(error));
        return EXIT_NOT_STARTED;
    }
    const char *ending = system_ending();
    if (ending && !l->console->quiet)
        console_note(l->console, "%s was ended by %s", operands.items[0], ending);
    l->kept.is_copy = l->program != NULL;
    l->kept.given = run_given_program(operands);
    l->kept.counted = l->counts;
    l->kept.counted_count = l->count_files;
    int reported = run_keep_profile(&l->kept, operands.items[0], value);
    return value == EXIT_DONE ? reported : value;
}

static int run(console *c, ilj_context *context, arguments operands) {
    int value = check_usage(c, operands);
    if (value != EXIT_DONE)
        return value;
    if (!system_can(SYSTEM_PROCESSES)) {
        console_error(c, "%s is not run: this build of ilinject cannot start programs", operands.items[0]);
        return EXIT_NOT_STARTED;
    }
    c->passing = true;
    launch l = {.console = c,
                .context = context,
                .kept = {.console = c,
                         .context = context,
                         .output = settings.output,
                         .html = settings.html,
                         .tracker_settings = &settings.tracker_settings,
                         .sort = (ilj_sort_key)settings.sort,
                         .view = (ilj_report_view)settings.view,
                         .by = (ilj_report_by)settings.by,
                         .top = settings.top},
                .command = calloc(operands.count + 3, sizeof(char *)),
                .settings = option_values(&settings.tracker_settings),
                .setting_count = settings.tracker_settings.count};
    if (l.command && l.settings) {
        /* A user that asks for single calls, or for settings at all, gets what was asked for. */
        if (l.setting_count == 0 && !settings.selection.overhead && settings.selection.captures.count == 0 &&
            !settings.counts)
            l.settings[l.setting_count++] = USUAL_PRICE;
        value = start(&l, operands);
    } else {
        console_error(c, "out of memory");
        value = EXIT_NOT_STARTED;
    }
    if (l.folder)
        system_remove_folder(l.folder);
    free(l.folder);
    free(l.copy);
    free(l.counted);
    for (size_t i = 0; i < l.count_files; i++)
        free(l.counts[i]);
    free(l.counts);
    free(l.kept.profiles);
    free(l.program);
    free(l.settings);
    free(l.command);
    return value;
}

const command run_command = {
    .name = "run",
    .synopsis = "[OPTION...] [--] COMMAND [ARGUMENT...]",
    .summary = "run a program, then report",
    .text = "Runs COMMAND, collects its profiles, and reports on standard error when it\n"
            "has ended; the exit value is the command's. COMMAND may also be a program's assembly\n"
            "(.dll, .exe), its launcher, as that of an installed tool, or its folder, not\n"
            "instrumented yet: then ilinject instruments a copy in a temporary folder, and runs\n"
            "that with the host that fits.\n"
            "With --overhead the program runs twice: first unseen, to count its calls, then with\n"
            "the methods that the price allows. Without that and without --set, --capture and\n"
            "--counts the tracker keeps the price at 100%: it switches off methods that cost\n"
            "more than they show. --overhead=any records every call.\n"
            "Exit value: the command's, 128 + N when signal N has ended it, 125 when it was not\n"
            "started; 1 when it was 0 and no profile was written, or not where --output says.",
    .options = options,
    .settings = &settings,
    .end = OPTIONS_BEFORE_OPERANDS,
    .own_lists = true,
    .run = run,
};
