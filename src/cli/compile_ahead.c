#define _GNU_SOURCE /* asprintf, vasprintf */
#include "compile_ahead.h"

#include "platform/path.h"
#include "platform/system.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_WORDS = 24 };

/* A compiler's command line, and what is freed with it. */
typedef struct command_words {
    char *items[MOST_WORDS + 1];
    size_t count;
    bool no_memory;
} command_words;

typedef struct compiling {
    console *console;
    const compile_ahead_choices *choices;
    char *folder;    /* for unfinished images; NULL: not made yet */
    char *tracker;   /* the last one that Mono has compiled */
    char shown[512]; /* for the progress line */
} compiling;

static void add(command_words *w, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void add(command_words *w, const char *format, ...) {
    char *word = NULL;
    va_list list;
    va_start(list, format);
    if (w->no_memory || w->count == MOST_WORDS || vasprintf(&word, format, list) < 0)
        w->no_memory = true;
    else
        w->items[w->count++] = word;
    va_end(list);
}

static void free_words(command_words *w) {
    while (w->count > 0)
        free(w->items[--w->count]);
}

/* The folder of a file, with its last separator; "./" for a bare name. For the caller to free; NULL: memory ran out. */
static char *folder_of(const char *path) {
    size_t length = (size_t)(path_name(path) - path);
    return length ? strndup(path, length) : strdup("./");
}

static void still_compiles(void *user) {
    compiling *w = user;
    console_progress_time(w->console, w->shown);
}

/* Runs a compiler, which is not seen. Returns true when it has ended well; else it is reported. */
static bool run(compiling *w, command_words *words, const char *output) {
    const system_unseen unseen = {.still_runs = still_compiles, .user = w, .without_input = true};
    int value = 0, error = words->no_memory ? ENOMEM : 0;
    snprintf(w->shown, sizeof w->shown, "%s compiles %s", path_name(words->count ? words->items[0] : ""),
             path_name(output));
    if (!error)
        error = system_run(words->items, &unseen, &value);
    console_progress_end(w->console);
    if (!error && value == 0)
        return true;
    if (error) {
        console_error(w->console, "%s is not compiled ahead: %s: %s", output, words->count ? words->items[0] : "",
                      strerror(error));
        return false;
    }
    char line[4096] = "";
    size_t at = 0;
    for (size_t i = 0; i < words->count && at < sizeof line; i++)
        at += (size_t)snprintf(line + at, sizeof line - at, " %s", words->items[i]);
    console_error(w->console, "%s is not compiled ahead: its compiler ended with %d (%s):%s", output, value,
                  system_ending() ? system_ending() : "its own words say why", line);
    return false;
}

/* ---- ReadyToRun -------------------------------------------------------------------------------------------------- */

/* The words of crossgen2 for the Machine of a ReadyToRun image: the processor's, with the system's XORed into it. */
static bool names_of_machine(const char **system, const char **processor, uint16_t machine) {
    static const struct {
        uint16_t mask;
        const char *name;
    } systems[] = {{0, "windows"}, {0x7B79, "linux"}, {0x4644, "osx"}, {0xADC4, "freebsd"}};
    static const struct {
        uint16_t plain;
        const char *name;
    } processors[] = {{0x8664, "x64"}, {0xAA64, "arm64"}, {0x01C4, "arm"}, {0x014C, "x86"}};
    for (size_t s = 0; s < sizeof systems / sizeof systems[0]; s++)
        for (size_t p = 0; p < sizeof processors / sizeof processors[0]; p++)
            if ((machine ^ systems[s].mask) == processors[p].plain) {
                *system = systems[s].name;
                *processor = processors[p].name;
                return true;
            }
    return false;
}

/* "MAJOR.MINOR." of the first version that a runtimeconfig.json in the folder names; empty: there is none. */
static void framework_version(char version[16], const char *folder) {
    char *name = NULL, *path = NULL, text[4096];
    size_t found = 0, size = 0;
    version[0] = 0;
    if (system_newest_file(&name, &found, folder, ".runtimeconfig.json", false) || !name)
        return;
    FILE *file = asprintf(&path, "%s%s", folder, name) < 0 ? NULL : system_open_file(path);
    if (file) {
        size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
    }
    text[size] = 0;
    unsigned major, minor;
    const char *at = strstr(text, "\"version\"");
    if (at && sscanf(at + strlen("\"version\""), " : \"%3u.%3u.", &major, &minor) == 2)
        snprintf(version, 16, "%u.%u.", major, minor);
    free(path);
    free(name);
}

/* The folder of a shared framework, in the newest patch of a version ("10.0."; empty: what was installed last). For the
 * caller to free; NULL: it is not there. */
static char *framework_folder(const char *root, const char *name, const char *version) {
    enum { HIGHEST_PATCH = 99 };
    char *path = NULL, *folder = NULL;
    if (asprintf(&path, "%sshared/%s", root, name) < 0)
        return NULL;
    for (int patch = HIGHEST_PATCH; *version && !folder && patch >= 0; patch--) {
        if (asprintf(&folder, "%s/%s%d/", path, version, patch) < 0)
            folder = NULL;
        if (folder && !system_is_directory(folder)) {
            free(folder);
            folder = NULL;
        }
    }
    char *newest = NULL;
    if (!*version && system_newest_within(&newest, path, 1, ".deps.json") == 0 && newest)
        folder = folder_of(newest);
    free(newest);
    free(path);
    return folder;
}

/* References to what stands beside the output, before the frameworks that it runs on. */
static bool add_references(compiling *w, command_words *words, const char *output) {
    static const char *const frameworks[] = {"Microsoft.NETCore.App", "Microsoft.AspNetCore.App",
                                             "Microsoft.WindowsDesktop.App"};
    char *folder = folder_of(output), *library = NULL, *dotnet = NULL, *root = NULL, version[16];
    bool found = folder && asprintf(&library, "%sSystem.Private.CoreLib.dll", folder) >= 0 && system_exists(library);
    add(words, "-r");
    add(words, "%s*.dll", folder ? folder : "");
    if (folder && !found) {
        const char *chosen = system_variable("DOTNET_ROOT");
        framework_version(version, folder);
        if (chosen && asprintf(&root, "%s/", chosen) < 0)
            root = NULL;
        else if (!chosen && (dotnet = system_command_path("dotnet")))
            root = folder_of(dotnet);
        for (size_t i = 0; root && i < sizeof frameworks / sizeof frameworks[0]; i++) {
            char *framework = framework_folder(root, frameworks[i], version);
            if (framework) {
                add(words, "-r");
                add(words, "%s*.dll", framework);
                found |= i == 0;
            }
            free(framework);
        }
        if (!found)
            console_error(w->console, "%s is not compiled ahead: no %s %s* below %s", output, frameworks[0], version,
                          root ? root : "$DOTNET_ROOT, nor dotnet along $PATH");
    }
    free(folder);
    free(library);
    free(dotnet);
    free(root);
    return found;
}

/* Puts a compiled image in its output's place. */
static bool put(compiling *w, const char *from, file_result *of) {
    char part[65536];
    result_file to;
    FILE *file = system_open_file(from);
    int error = file ? 0 : errno;
    if (!error && !(error = result_file_open(&to, of->output, of->output_is_named ? RESULT_FOLLOW : RESULT_REPLACE))) {
        size_t size;
        while (!error && (size = fread(part, 1, sizeof part, file)) > 0)
            error = result_file_write(&to, part, size);
        if (!error && ferror(file))
            error = errno;
        int closed = result_file_close(&to, !error);
        error = error ? error : closed;
    }
    if (file)
        fclose(file);
    if (error)
        console_error(w->console, "%s is not compiled ahead: it cannot be written: %s", of->output, strerror(error));
    return !error;
}

static bool by_crossgen(compiling *w, file_result *of) {
    const char *system, *processor, *compiler = w->choices->crossgen2 ? w->choices->crossgen2 : "crossgen2";
    const char *ending = strrchr(compiler, '.');
    command_words words = {0};
    char *made = NULL;
    if (!names_of_machine(&system, &processor, of->summary.ready_to_run)) {
        console_error(w->console, "%s is not compiled ahead: for machine 0x%x there is no crossgen2", of->output,
                      of->summary.ready_to_run);
        return false;
    }
    if (!w->folder && !(w->folder = system_temporary_folder("ilinject-native"))) {
        console_error(w->console, "no folder for temporary files can be made: %s", strerror(errno));
        return false;
    }
    if (asprintf(&made, "%s/%s", w->folder, path_name(of->output)) < 0) {
        console_error(w->console, "out of memory");
        return false;
    }
    if (ending && strcmp(ending, ".dll") == 0)
        add(&words, "dotnet");
    add(&words, "%s", compiler);
    add(&words, "%s", of->output);
    add(&words, "-o");
    add(&words, "%s", made);
    add(&words, "-O");
    add(&words, "--targetos=%s", system);
    add(&words, "--targetarch=%s", processor);
    bool done = add_references(w, &words, of->output) && run(w, &words, of->output) && put(w, made, of);
    if (done)
        of->summary.output_bytes = system_file_bytes(of->output);
    free_words(&words);
    free(made);
    return done;
}

/* ---- Mono -------------------------------------------------------------------------------------------------------- */

static bool exists(const char *folder, const char *name) {
    char *path = NULL;
    bool is_there = asprintf(&path, "%s%s.so", folder, name) >= 0 && system_exists(path);
    free(path);
    return is_there;
}

/* True if Mono has an image of the input: beside it or in the cache of the system's Mono. */
static bool mono_had(const char *input) {
    static const char *const caches[] = {"lib/mono/aot-cache/amd64/", "lib/mono/aot-cache/arm64/"};
    if (exists(input, ""))
        return true;
    char *mono = system_command_path("mono"), *folder = mono ? folder_of(mono) : NULL, *cache = NULL;
    bool had = false;
    for (size_t i = 0; folder && !had && i < sizeof caches / sizeof caches[0]; i++) {
        had = asprintf(&cache, "%s../%s", folder, caches[i]) >= 0 && exists(cache, path_name(input));
        free(cache);
        cache = NULL;
    }
    free(mono);
    free(folder);
    return had;
}

static bool run_mono(compiling *w, const char *output) {
    command_words words = {0};
    add(&words, "mono");
    add(&words, "--aot");
    add(&words, "%s", output);
    bool done = run(w, &words, output);
    free_words(&words);
    return done;
}

/* The tracker's image is made with the first output of a folder. */
static bool by_mono(compiling *w, const file_result *of) {
    char *folder = folder_of(of->output), *tracker = NULL;
    bool done = folder && asprintf(&tracker, "%s%s", folder, w->choices->tracker) >= 0;
    if (!done) {
        console_error(w->console, "out of memory");
    } else if ((done = run_mono(w, of->output)) && (!w->tracker || strcmp(w->tracker, tracker) != 0)) {
        done = !system_exists(tracker) || run_mono(w, tracker);
        free(w->tracker);
        w->tracker = tracker;
        tracker = NULL;
    }
    free(folder);
    free(tracker);
    return done;
}

/* ---- All of them ------------------------------------------------------------------------------------------------- */

size_t compile_ahead(console *c, file_result *files, size_t count, const compile_ahead_choices *choices) {
    compiling w = {.console = c, .choices = choices};
    size_t failed = 0;
    system_hold_signals();
    for (size_t i = 0; i < count && !system_ending(); i++) {
        file_result *of = &files[i];
        bool ready_to_run = of->summary.ready_to_run != 0;
        if (of->summary.outcome != ILJ_OUTCOME_INSTRUMENTED || of->archived || (!ready_to_run && !mono_had(of->input)))
            continue;
        uint64_t start = system_now_ns();
        if (!(ready_to_run ? by_crossgen(&w, of) : by_mono(&w, of)))
            failed++;
        else if (choices->told)
            console_printf(c, "%s: compiled ahead by %s in %.1f s\n", of->output, ready_to_run ? "crossgen2" : "mono",
                           (double)(system_now_ns() - start) / 1e9);
    }
    if (w.folder)
        system_remove_folder(w.folder);
    free(w.folder);
    free(w.tracker);
    return failed;
}
