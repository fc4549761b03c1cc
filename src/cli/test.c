/* ilinject test */
#define _GNU_SOURCE
#include "platform/path.h"
#include "platform/system.h"
#include "run_copy.h"
#include "run_profile.h"
#include "selection.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct {
    common_settings common;
    bool all;
    int sort; /* an ilj_sort_key */
    unsigned top;
    const char *output;
    const char *html;
    const char *configuration;
    option_list tracker_settings;
    selection_settings selection;
} settings = {.selection = SELECTION_DEFAULTS, .top = 10};

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE",
     "the profile to write. Default: NAME.ilprof in the current folder, NAME being the tests' assembly"},
    {"html", 0, OPTION_TEXT, AT(html), 0, "FILE", "write the report as a page, too"},
    {"configuration", 'c', OPTION_TEXT, AT(configuration), 0, "NAME",
     "the configuration in which a project was built. Default: Debug"},
    {"sort", 0, OPTION_CHOICE, AT(sort), 0, ILJ_SORT_KEYS(FIRST_CHOICE, NEXT_CHOICE), "order of the tests"},
    {"top", 0, OPTION_NUMBER, AT(top), 0, "N", "only the first N tests; 0: all. Default: 10"},
    {"set", 0, OPTION_LIST, AT(tracker_settings), 0, "NAME=VALUE", "a setting of the tracker; can be repeated"},
    {"all", 0, OPTION_FLAG, AT(all), 0, NULL, "instrument every assembly beside the tests, those of packages, too"},
    SELECTION_ROWS(AT(selection)),
    LEAF_ROWS(AT(selection)),
    ROOT_ROWS(AT(selection)),
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

/* Which tests call a method is known though it is switched off for the price, or folded. */
static const char always[] = "covers=1";

/* Where no setting is given. It takes long to write a tree of a million nodes. */
static const char *const usual_settings[] = {"overhead=10%", "beat=60"};
#define USUAL_SETTINGS (sizeof usual_settings / sizeof *usual_settings)

/* Set where nothing else is asked for: how long VSTest waits after the last test until it ends its host; and that .NET
 * does not compile hot methods once more to count their branches, a third of the time of a large suite. */
static const struct {
    const char *name, *value;
} variables[] = {{"VSTEST_TESTHOST_SHUTDOWN_TIMEOUT", "120000"}, {"DOTNET_TieredPGO", "0"}};

typedef struct testing {
    console *console;
    ilj_context *context;
    char *folder; /* of this run alone */
    run_profile kept;
    const char **settings; /* of the tracker */
    size_t setting_count;
    char **hosted, **programs; /* copies: for VSTest, and that run their tests themselves */
    size_t hosted_count, program_count;
    char **beside; /* folders of copies that do not lie in `folder` */
    size_t beside_count;
    run_copy copies;
    char **arguments; /* of the runner */
    size_t argument_count;
} testing;

/* ---- Where the tests are ----------------------------------------------------------------------------------------- */

static const char project_ending[] = "proj", runtime_config[] = ".runtimeconfig.json";

static bool ends_in(const char *text, const char *ending) {
    size_t size = strlen(text), end = strlen(ending);
    return size > end && strcmp(text + size - end, ending) == 0;
}

/* The first line of a small file, for the caller to free; NULL: there is none. */
static char *first_line(const char *path) {
    char line[4096];
    FILE *file = system_open_file(path);
    bool read = file && fgets(line, sizeof line, file);
    if (file)
        fclose(file);
    line[read ? strcspn(line, "\r\n") : 0] = 0;
    return read && *line ? strdup(line) : NULL;
}

static void asks_project(void *user) {
    console_progress_time(user, "MSBuild says where the project's output is");
}

/* The assembly that a project builds, for the caller to free. */
static int find_output(char **assembly, testing *t, const char *project) {
    char *answer = NULL, *to = NULL, *configuration = NULL;
    int value = EXIT_FAILED, ended = 0, error = ENOMEM;
    static char dotnet[] = "dotnet", msbuild[] = "msbuild", property[] = "-getProperty:TargetPath", quiet[] = "-nologo";
    if (asprintf(&answer, "%s/target", t->folder) >= 0 && asprintf(&to, "-getResultOutputFile:%s", answer) >= 0 &&
        asprintf(&configuration, "-p:Configuration=%s", settings.configuration ? settings.configuration : "Debug") >=
            0) {
        char *path = strdup(project), *command[] = {dotnet, msbuild, path, property, to, configuration, quiet, NULL};
        const system_unseen unseen = {.still_runs = asks_project, .user = t->console};
        error = path ? system_run(command, &unseen, &ended) : ENOMEM;
        console_progress_end(t->console);
        free(path);
    }
    *assembly = error ? NULL : first_line(answer);
    if (error)
        console_error(t->console, "dotnet cannot be started: %s", strerror(error));
    else if (ended != 0 || !*assembly)
        console_error(t->console,
                      "%s: MSBuild does not say where its output is; a project of several frameworks needs "
                      "the path of one's assembly",
                      project);
    else if (!system_exists(*assembly))
        console_error(t->console, "%s is not there: 'dotnet build -c %s %s' makes it", *assembly,
                      settings.configuration ? settings.configuration : "Debug", project);
    else
        value = EXIT_DONE;
    free(answer);
    free(to);
    free(configuration);
    return value;
}

/* The one project of a folder, or the assembly that was built last in it or below. */
static int find_in_folder(char **assembly, testing *t, const char *folder) {
    enum { LEVELS = 2 }; /* bin/Release/net10.0 */
    char **projects = NULL, *config = NULL;
    size_t count = 0;
    int error = system_files(&projects, &count, folder, project_ending), value = EXIT_FAILED;
    if (!error && count == 1)
        value = find_output(assembly, t, projects[0]);
    else if (!error && count > 1)
        console_error(t->console, "%s has several projects: name one of them", folder);
    else if (!error)
        error = system_newest_within(&config, folder, LEVELS, runtime_config);
    if (error)
        console_error(t->console, "%s cannot be read: %s", folder, strerror(error));
    if (!error && count == 0 && !config)
        console_error(t->console, "%s has no project and no program that was built: expected a *%s beside its .dll",
                      folder, runtime_config);
    if (config && asprintf(assembly, "%.*s.dll", (int)(strlen(config) - strlen(runtime_config)), config) >= 0)
        value = EXIT_DONE;
    for (size_t i = 0; projects && i < count; i++)
        free(projects[i]);
    free(projects);
    free(config);
    return value;
}

static int find_assembly(char **assembly, testing *t, const char *operand) {
    *assembly = NULL;
    if (system_is_directory(operand))
        return find_in_folder(assembly, t, operand);
    if (!system_exists(operand)) {
        console_error(t->console, "%s is not there", operand);
        return EXIT_FAILED;
    }
    if (ends_in(operand, project_ending))
        return find_output(assembly, t, operand);
    *assembly = strdup(operand);
    return *assembly ? EXIT_DONE : EXIT_FAILED;
}

/* ---- The copies -------------------------------------------------------------------------------------------------- */

/* VSTest's host stands beside tests that need it. */
static bool is_hosted(const ilj_application *app) {
    char *host;
    bool is = asprintf(&host, "%s/testhost.dll", app->folder) >= 0;
    if (is) {
        is = system_exists(host);
        free(host);
    }
    return is;
}

/* Where a copy of the folder goes, for the caller to free; NULL: no memory. Beside the folder, where it can be made:
 * tests read files by paths that begin with `..` there. */
static char *place_of_copy(testing *t, const char *folder) {
    size_t size = strlen(folder), number = t->hosted_count + t->program_count;
    while (size > 1 && path_is_separator(folder[size - 1]))
        size--;
    char *beside = NULL, *within = NULL;
    if (asprintf(&beside, "%.*s.ilinject%s-%zu", (int)size, folder, strrchr(t->folder, '.'), number) < 0)
        return NULL;
    if (size > 1 && folder[size - 1] != '.' && system_make_directories(beside) == 0) {
        t->beside[t->beside_count++] = beside;
        return strdup(beside);
    }
    free(beside);
    return asprintf(&within, "%s/%zu", t->folder, number) < 0 ? NULL : within;
}

static int add_copy(testing *t, const char *operand) {
    char *assembly = NULL, *copy = NULL, *entry = NULL;
    ilj_application *app = NULL;
    int value = find_assembly(&assembly, t, operand);
    if (value == EXIT_DONE && ilj_application_find(&app, t->context, assembly, NULL, 0, settings.all) != ILJ_OK)
        value = EXIT_FAILED;
    if (value == EXIT_DONE && (!app || app->instrumented)) {
        console_error(t->console, app ? "%s is instrumented already: give the folder of the build" : "%s is no program",
                      assembly);
        value = EXIT_FAILED;
    }
    if (value == EXIT_DONE && system_is_within(t->folder, app->folder)) {
        console_error(t->console, "temporary files go to %s, which is within %s: set TMPDIR to another folder",
                      t->folder, app->folder);
        value = EXIT_FAILED;
    }
    if (value == EXIT_DONE &&
        (!(copy = place_of_copy(t, app->folder)) || asprintf(&entry, "%s/%s", copy, app->assembly) < 0))
        value = EXIT_FAILED;
    if (value == EXIT_DONE)
        value = run_copy_make(&t->copies, app, copy, &settings.selection,
                              &(ilj_instrument_options){.size = sizeof(ilj_instrument_options),
                                                        .settings = t->settings,
                                                        .setting_count = t->setting_count,
                                                        .runs_here = true});
    if (value == EXIT_DONE) {
        *(is_hosted(app) ? &t->hosted[t->hosted_count++] : &t->programs[t->program_count++]) = entry;
        entry = NULL;
    }
    ilj_application_free(app);
    free(assembly);
    free(copy);
    free(entry);
    return value;
}

/* ---- The run ----------------------------------------------------------------------------------------------------- */

/* Runs dotnet with `verb` (NULL: none), some assemblies and the runner's arguments. *value: what it ended with, unless
 * an earlier one failed. Returns EXIT_DONE or EXIT_NOT_STARTED (reported). */
static int run_dotnet(int *value, const testing *t, char *verb, char *const *assemblies, size_t count) {
    static char dotnet[] = "dotnet";
    char **command = calloc(count + t->argument_count + 3, sizeof *command);
    size_t at = 0;
    int ended = 0, error = ENOMEM;
    if (command) {
        command[at++] = dotnet;
        if (verb)
            command[at++] = verb;
        for (size_t i = 0; i < count; i++)
            command[at++] = assemblies[i];
        for (size_t i = 0; i < t->argument_count; i++)
            command[at++] = t->arguments[i];
        error = system_run(command, NULL, &ended);
    }
    free(command);
    if (error) {
        console_error(t->console, "dotnet cannot be started: %s", strerror(error));
        return EXIT_NOT_STARTED;
    }
    *value = *value ? *value : ended;
    return EXIT_DONE;
}

static int run_tests(int *value, const testing *t) {
    static char test[] = "test";
    int started = t->hosted_count > 0 ? run_dotnet(value, t, test, t->hosted, t->hosted_count) : EXIT_DONE;
    for (size_t i = 0; i < t->program_count && started == EXIT_DONE && !system_ending(); i++) {
        if (i > 0 || t->hosted_count > 0)
            system_run_another();
        started = run_dotnet(value, t, NULL, &t->programs[i], 1);
    }
    return started;
}

static int set_environment(const testing *t) {
    for (size_t i = 0; i < sizeof variables / sizeof *variables; i++)
        if (!system_variable(variables[i].name) && !system_set_variable(variables[i].name, variables[i].value))
            return EXIT_FAILED;
    return run_set_environment(&t->kept, t->kept.profiles, false);
}

static int test_all(testing *t, arguments operands) {
    int value = EXIT_DONE;
    t->folder = system_temporary_folder("ilinject-test");
    if (!t->folder || !(t->kept.profiles = run_profiles_folder(t->folder))) {
        console_error(t->console, "no folder for temporary files can be made: %s", strerror(errno));
        return EXIT_NOT_STARTED;
    }
    if (run_make_folder(t->console, t->kept.profiles) != EXIT_DONE)
        return EXIT_NOT_STARTED;
    for (size_t i = 0; i < operands.before_dashes; i++)
        if (add_copy(t, operands.items[i]) != EXIT_DONE)
            return EXIT_NOT_STARTED;
    run_copy_note(&t->copies);
    if (set_environment(t) != EXIT_DONE)
        return EXIT_NOT_STARTED;
    if (run_tests(&value, t) != EXIT_DONE)
        return EXIT_NOT_STARTED;
    char *name = t->hosted_count > 0 ? t->hosted[0] : t->programs[0];
    char *ending = strrchr(name, '.');
    if (ending) /* .dll */
        *ending = 0;
    t->kept.name = path_name(name);
    int reported = run_keep_profile(&t->kept, t->kept.name, value);
    return value == EXIT_DONE ? reported : value;
}

static int check_usage(console *c, arguments operands) {
    if (operands.before_dashes == 0)
        return usage_failure(c, &test_command, "no tests are given: a project, its assembly or its folder");
    int value = run_check_settings(c, &test_command, &settings.tracker_settings);
    return value == EXIT_DONE ? selection_check(c, &test_command, &settings.selection) : value;
}

static void clear(testing *t) {
    if (t->folder)
        system_remove_folder(t->folder);
    for (size_t i = 0; i < t->beside_count; i++) {
        system_remove_folder(t->beside[i]);
        free(t->beside[i]);
    }
    for (size_t i = 0; i < t->hosted_count; i++)
        free(t->hosted[i]);
    for (size_t i = 0; i < t->program_count; i++)
        free(t->programs[i]);
    free(t->hosted);
    free(t->programs);
    free(t->beside);
    free(t->settings);
    free(t->kept.profiles);
    free(t->folder);
}

/* The tracker's: those that are given come last. False: no memory. */
static bool choose_settings(testing *t, const option_list *given) {
    t->settings = calloc(1 + USUAL_SETTINGS + given->count, sizeof *t->settings);
    if (!t->settings)
        return false;
    t->settings[t->setting_count++] = always;
    for (size_t i = 0; i < USUAL_SETTINGS && given->count == 0; i++)
        t->settings[t->setting_count++] = usual_settings[i];
    for (size_t i = 0; i < given->count; i++)
        t->settings[t->setting_count++] = given->items[i].value;
    return true;
}

static int run(console *c, ilj_context *context, arguments operands) {
    int value = check_usage(c, operands);
    if (value != EXIT_DONE)
        return value;
    if (!system_can(SYSTEM_PROCESSES)) {
        console_error(c, "no tests are run: this build of ilinject cannot start programs");
        return EXIT_NOT_STARTED;
    }
    c->passing = true;
    system_hold_signals();
    testing t = {.console = c,
                 .context = context,
                 .copies = {c, context, 0, 0},
                 .kept = {.console = c,
                          .context = context,
                          .output = settings.output,
                          .html = settings.html,
                          .tracker_settings = &settings.tracker_settings,
                          .sort = (ilj_sort_key)settings.sort,
                          .by = ILJ_BY_TEST,
                          .top = settings.top,
                          .is_copy = true},
                 .hosted = calloc(operands.count + 1, sizeof(char *)),
                 .programs = calloc(operands.count + 1, sizeof(char *)),
                 .beside = calloc(operands.count + 1, sizeof(char *)),
                 .arguments = operands.items + operands.before_dashes,
                 .argument_count = operands.count - operands.before_dashes};
    if (choose_settings(&t, &settings.tracker_settings) && t.hosted && t.programs && t.beside) {
        value = test_all(&t, operands);
    } else {
        console_error(c, "out of memory");
        value = EXIT_NOT_STARTED;
    }
    clear(&t);
    return value;
}

const command test_command = {
    .name = "test",
    .synopsis = "[OPTION...] TESTS... [-- ARGUMENT...]",
    .summary = "run tests, then report which are slow, and why",
    .text = "TESTS are projects that are built, their assemblies, or folders of these. ilinject\n"
            "instruments copies beside them for a while, runs 'dotnet test' on them, or the tests'\n"
            "own programs where they have runners in them, and shows the tests with all that they\n"
            "called. ARGUMENTs go to the runner. xunit, NUnit, MSTest and TUnit are known, and\n"
            "what --root names.\n"
            "Exit value: the runner's, 128 + N when signal N has ended it, 125 when it was not\n"
            "started; 1 when it was 0 and no profile was written, or not where --output says.",
    .options = options,
    .settings = &settings,
    .end = OPTIONS_ANYWHERE,
    .run = run,
};
