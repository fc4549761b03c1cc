/* ilinject instrument */
#include "archives.h"
#include "batch.h"
#include "compile_ahead.h"
#include "depfile.h"
#include "inputs.h"
#include "platform/path.h"
#include "platform/system.h"
#include "selection.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { NATIVE_COMPILE = ILJ_NATIVE_DROP }; /* after the choices of ilj_native: dropped, then compiled */

static struct {
    common_settings common;
    bool in_place;
    bool all;
    bool keep_mvid;
    bool force;
    bool dry_run;
    bool verbose;
    bool trace;
    bool strict;
    unsigned jobs; /* UINT_MAX: not given */
    int json;
    const char *output;
    const char *depfile;
    const char *depfile_target;
    const char *tracker;
    const char *tracker_type;
    bool counts, allocations, command_texts;
    int exits;      /* ilj_exits - 1 */
    int exceptions; /* ilj_exceptions - 1 */
    const char *key;
    const char *key_password_file;
    bool delay_sign;
    bool clear_signed_flag;
    option_list tracker_settings;
    int native_clock; /* an ilj_native_clock - 1 */
    int native;       /* an ilj_native - 1, or NATIVE_COMPILE */
    const char *crossgen2;
    selection_settings selection;
} settings = {
    .exits = -1, .exceptions = -1, .native_clock = -1, .native = -1, .jobs = UINT_MAX, .selection = SELECTION_DEFAULTS};

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "OUT",
     "the file to write; a folder when it is one, ends in /, the input is one, or there are several"},
    {"all", 0, OPTION_FLAG, AT(all), 0, NULL,
     "in a folder or archive, instrument also the assemblies of packages and frameworks"},
    {"in-place", 0, OPTION_FLAG, AT(in_place), 0, NULL, "replace the inputs"},
    {"dry-run", 0, OPTION_FLAG, AT(dry_run), 0, NULL, "do everything but write"},
    {"jobs", 'j', OPTION_NUMBER, AT(jobs), 0, "N",
     "work on N inputs at a time; default: the number of processors. The output is the same for every N"},
    SELECTION_ROWS(AT(selection)),
    PRICE_ROWS(AT(selection)),
    CAPTURE_ROWS(AT(selection)),
    LEAF_ROWS(AT(selection)),
    ROOT_ROWS(AT(selection)),
    SPANS_ROW(AT(selection)),
    {"depfile", 0, OPTION_TEXT, AT(depfile), 0, "FILE",
     "write the inputs of the outputs as a rule for make, ninja and CMake"},
    {"depfile-target", 0, OPTION_TEXT, AT(depfile_target), 0, "NAME", "the target of that rule; default: the outputs"},
    {"strict", 0, OPTION_FLAG, AT(strict), 0, NULL,
     "exit with 3 when something asked for was left out: a method that cannot be understood, an include without a "
     "match"},
    {"counts", 0, OPTION_FLAG, AT(counts), 0, NULL,
     "count calls alone: nearly free, but no times and no tree of calls"},
    {"allocations", 0, OPTION_FLAG, AT(allocations), 0, NULL,
     "count the objects that methods allocate, too, by type and place"},
    {"command-texts", 0, OPTION_FLAG, AT(command_texts), 0, NULL,
     "with --leaves: keep calls of ADO.NET's commands apart by their texts, without the values in them"},
    {"exits", 0, OPTION_CHOICE, AT(exits), 0, "guarded|ret",
     "see methods left by an exception, too (default), or call before each ret alone"},
    {"exceptions", 0, OPTION_CHOICE, AT(exceptions), 0, "paths|full",
     "which methods exceptions leave and which catch them (default), or the search for a handler as well"},
    {"tracker", 0, OPTION_TEXT, AT(tracker), 0, "FILE", "call this assembly instead of the built-in tracker"},
    {"tracker-type", 0, OPTION_TEXT, AT(tracker_type), 0, "NAME",
     "the tracker's type; default Instrumenter.ProfileInfoTracker"},
    {"set", 0, OPTION_LIST, AT(tracker_settings), 0, "NAME=VALUE",
     "a setting of the tracker, which the outputs bring with them; can be repeated (ilinject explain settings)"},
    {"native-clock", 0, OPTION_CHOICE, AT(native_clock), 0, "host|x64|arm64",
     "put libilinject_clock.so for this processor beside the outputs, even if no --set clock=... needs it"},
    {"native", 0, OPTION_CHOICE, AT(native), 0, "keep|drop|compile",
     "in ReadyToRun images, keep the native code of methods that are not instrumented, nor have inlined one that is "
     "(default), drop all of it, or compile all again, also what Mono had compiled ahead"},
    {"crossgen2", 0, OPTION_TEXT, AT(crossgen2), 0, "FILE",
     "with --native=compile: the compiler of ReadyToRun images; default: crossgen2 along $PATH"},
    {"keep-mvid", 0, OPTION_FLAG, AT(keep_mvid), 0, NULL, "keep the module's identity instead of a new one"},
    {"key", 0, OPTION_TEXT, AT(key), 0, "FILE",
     "sign strong-named outputs with this .snk or .pfx key; outputs of another key are not signed"},
    {"key-password-file", 0, OPTION_TEXT, AT(key_password_file), 0, "FILE",
     "its first line opens the .pfx; else ILINJECT_KEY_PASSWORD does"},
    {"delay-sign", 0, OPTION_FLAG, AT(delay_sign), 0, NULL,
     "reserve space for the signature and clear the signed flag"},
    {"clear-signed-flag", 0, OPTION_FLAG, AT(clear_signed_flag), 0, NULL,
     "clear the signed flag of outputs that are not signed"},
    {"force", 0, OPTION_FLAG, AT(force), 0, NULL,
     "also instrument instrumented assemblies, reference assemblies and Windows metadata"},
    {"format", 0, OPTION_CHOICE, AT(json), 0, "text|json", "how to write the summary"},
    {"json", 0, OPTION_SET, AT(json), 1, NULL, "short for --format=json"},
    {"verbose", 'v', OPTION_FLAG, AT(verbose), 0, NULL, "a second summary line, with exact figures"},
    {"trace", 0, OPTION_FLAG, AT(trace), 0, NULL,
     "name each pass on standard error, with its time and the memory held; works on one input at a time"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

/* ---- Options --------------------------------------------------------------------------------------------------- */

/* What --spans has nothing to do with: choices of a profile's. NULL: nothing of it is given. */
static const char *find_without_spans(void) {
    const selection_settings *s = &settings.selection;
    const struct {
        const char *name;
        bool given;
    } others[] = {{"tracker", settings.tracker},
                  {"tracker-type", settings.tracker_type},
                  {"counts", settings.counts},
                  {"allocations", settings.allocations},
                  {"command-texts", settings.command_texts},
                  {"set", settings.tracker_settings.count},
                  {"native-clock", settings.native_clock >= 0},
                  {"leaves", s->leaves.count},
                  {"capture", s->captures.count},
                  {"mask", s->masks.count},
                  {"root", s->roots.count},
                  {"overhead", s->overhead}};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (others[i].given)
            return others[i].name;
    for (size_t i = 0; i < s->rules.count; i++)
        if (s->rules.items[i].set == ILJ_RULE_INCLUDE)
            return "include";
    return NULL;
}

/* Refuses what this command line cannot mean. Returns EXIT_DONE or EXIT_USAGE. */
static int check_usage(console *c, arguments operands) {
    const command *me = &instrument_command;
    if (operands.count == 0)
        return usage_failure(c, me, "no input is given");
    if (settings.in_place && settings.output)
        return usage_failure(c, me, "--in-place and --output exclude each other");
    if (!settings.in_place && !settings.output && !settings.dry_run)
        return usage_failure(c, me, "where to write? Give -o OUT, or --in-place to replace the input");
    if (settings.crossgen2 && settings.native != NATIVE_COMPILE)
        return usage_failure(c, me, "--crossgen2 needs --native=compile");
    if (settings.native == NATIVE_COMPILE && settings.key)
        return usage_failure(c, me, "--native=compile and --key exclude each other: a signature is of what it changes");
    if (settings.native == NATIVE_COMPILE && !system_can(SYSTEM_PROCESSES))
        return usage_failure(c, me, "--native=compile starts compilers, which cannot be had here");
    if (settings.depfile && !settings.output)
        return usage_failure(c, me, "--depfile needs --output: a file that is its own input is always out of date");
    if (settings.depfile_target && !settings.depfile)
        return usage_failure(c, me, "--depfile-target needs --depfile");
    if (settings.jobs == 0 || (settings.jobs != UINT_MAX && settings.jobs > BATCH_MOST_WORKERS))
        return usage_failure(c, me, "--jobs is a number from 1 to %d", BATCH_MOST_WORKERS);
    if (settings.trace && settings.jobs != UINT_MAX && settings.jobs > 1)
        return usage_failure(c, me, "--trace needs --jobs=1: times beside other work mean nothing");
    if (settings.key_password_file && !settings.key)
        return usage_failure(c, me, "--key-password-file needs --key");
    if (settings.clear_signed_flag && (settings.key || settings.delay_sign))
        return usage_failure(c, me, "--clear-signed-flag and %s exclude each other",
                             settings.key ? "--key" : "--delay-sign");
    if (settings.counts && (settings.exits >= 0 || settings.exceptions >= 0))
        return usage_failure(c, me, "--counts and --%s exclude each other: only calls are seen",
                             settings.exits >= 0 ? "exits" : "exceptions");
    if (settings.command_texts && !settings.selection.leaves.count && !settings.selection.configs.count)
        return usage_failure(c, me, "--command-texts needs --leaves");
    if (settings.counts && settings.allocations)
        return usage_failure(c, me, "--counts and --allocations exclude each other: only calls are seen");
    if (settings.counts && (settings.selection.captures.count || settings.selection.masks.count))
        return usage_failure(c, me, "--counts and --%s exclude each other: calls that are only counted have no values",
                             settings.selection.captures.count ? "capture" : "mask");
    if (settings.counts && settings.selection.leaves.count)
        return usage_failure(c, me, "--counts and --leaves exclude each other: only calls of methods are seen");
    if (settings.exits + 1 == ILJ_EXITS_RET && settings.exceptions + 1 == ILJ_EXCEPTIONS_FULL)
        return usage_failure(c, me, "--exceptions=full needs --exits=guarded");
    const char *other = selection_has_spans(&settings.selection) ? find_without_spans() : NULL;
    if (other)
        return usage_failure(c, me, "--spans and --%s exclude each other: a run with spans makes no profile", other);
    for (size_t i = 0; i < settings.tracker_settings.count && !settings.tracker; i++) {
        char problem[ILJ_SETTING_PROBLEM];
        if (!ilj_setting_check(problem, settings.tracker_settings.items[i].value))
            return usage_failure(c, me, "--set: %s", problem);
    }
    return selection_check(c, me, &settings.selection);
}

/* ---- The work -------------------------------------------------------------------------------------------------- */

/* True if something was left out that was requested. */
static bool fell_short(const file_result *files, size_t count, uint32_t unmet) {
    for (size_t i = 0; i < count; i++)
        if (files[i].summary.left_out[ILJ_BAD_BODY] > 0)
            return true;
    return unmet > 0;
}

/* A set of files may have several keys: those assemblies are signed that the key fits. If it fits none, the caller
 * perhaps meant another key. */
static bool check_key(console *c, const file_result *files, size_t count) {
    bool instrumented = false;
    for (size_t i = 0; settings.key && i < count; i++) {
        if (files[i].summary.key_fits)
            return true;
        instrumented |= files[i].summary.outcome == ILJ_OUTCOME_INSTRUMENTED;
    }
    if (instrumented)
        console_note(c, "the key in %s is that of no assembly that was instrumented; none is signed", settings.key);
    return !instrumented;
}

enum { PASSWORD_BYTES = 1024 };

/* The password of the key file: the first line of the file that was named, else from the environment, else NULL. It is
 * kept in `line`. Returns EXIT_DONE or EXIT_USAGE. */
static int find_password(console *c, const char **password, char line[PASSWORD_BYTES]) {
    *password = settings.key ? system_variable("ILINJECT_KEY_PASSWORD") : NULL;
    if (!settings.key_password_file)
        return EXIT_DONE;
    FILE *file = system_open_file(settings.key_password_file);
    if (!file)
        return usage_failure(c, &instrument_command, "%s cannot be read: %s", settings.key_password_file,
                             strerror(errno));
    setvbuf(file, NULL, _IONBF, 0); /* no copy of it elsewhere */
    size_t size = fread(line, 1, PASSWORD_BYTES - 1, file);
    int error = ferror(file) ? errno : 0;
    fclose(file);
    line[size] = 0;
    size_t length = strcspn(line, "\r\n");
    if (error)
        return usage_failure(c, &instrument_command, "%s cannot be read: %s", settings.key_password_file,
                             strerror(error));
    if (length == PASSWORD_BYTES - 1)
        return usage_failure(c, &instrument_command, "%s: its first line is too long for a password",
                             settings.key_password_file);
    line[length] = 0;
    *password = line;
    return EXIT_DONE;
}

static void ignore(void *user, const ilj_diagnostic *diagnostic) {
    (void)user;
    (void)diagnostic;
}

/* Finds out which inputs are modules, with a manifest in another file. */
typedef struct search {
    const file_result *files;
    bool *is_module;
} search;

static void look(void *user, size_t index) {
    const search *s = user;
    ilj_context *silent;
    ilj_image *image;
    if (ilj_context_new(&silent, ignore, NULL) != ILJ_OK)
        return;
    if (ilj_image_open(&image, silent, s->files[index].input) == ILJ_OK) {
        s->is_module[index] = ilj_image_is_netmodule(image);
        ilj_image_free(image);
    }
    ilj_context_free(silent);
}

static size_t stem_length(const char *path) {
    const char *dot = strrchr(path_name(path), '.');
    return dot ? (size_t)(dot - path) : strlen(path);
}

/* By the outputs without their extensions, which name their symbols, then by the order of work. */
static int compare_stems(const void *a, const void *b) {
    const batch_item *const *x = a, *const *y = b;
    const char *first = (*x)->file->output, *second = (*y)->file->output;
    size_t length = stem_length(first), other = stem_length(second);
    int order = memcmp(first, second, length < other ? length : other);
    if (order == 0)
        order = (length > other) - (length < other);
    return order ? order : (*x > *y) - (*x < *y);
}

static bool same_stem(const batch_item *a, const batch_item *b) {
    size_t length = stem_length(a->file->output);
    return length == stem_length(b->file->output) && memcmp(a->file->output, b->file->output, length) == 0;
}

/* The name of the tracker's file beside the outputs. */
static const char *tracker_file(void) {
    if (settings.tracker)
        return path_name(settings.tracker);
    return selection_has_spans(&settings.selection) ? "ILInject.Spans.dll" : "ProfileInfoTracker.dll";
}

/* Marks what reads files that those before it write: app.dll after app.exe, which share the name of their symbols; the
 * tracker, which may lie beside the others, and be another one by then. */
static void mark_dependent(batch_item *items, const batch_item **sorted, size_t count) {
    const char *tracker = tracker_file();
    for (size_t i = 0; i < count; i++)
        sorted[i] = &items[i];
    qsort(sorted, count, sizeof *sorted, compare_stems);
    for (size_t i = 1; i < count; i++)
        if (same_stem(sorted[i - 1], sorted[i]))
            items[sorted[i] - items].after_all = true;
    for (size_t i = 0; i < count; i++)
        items[i].after_all |= path_compare(path_name(items[i].file->input), tracker) == 0;
}

/* Fills in the order of work: modules come before the manifests that hold their hashes. Returns EXIT_DONE or
 * EXIT_FAILED. */
static int choose_order(console *c, batch_item *items, file_result *files, size_t count, unsigned workers) {
    search s = {files, calloc(count + 1, sizeof *s.is_module)};
    const batch_item **sorted = calloc(count + 1, sizeof *sorted);
    size_t modules = 0, others = count;
    int value = EXIT_DONE;
    if (s.is_module && sorted) {
        if (count > 1)
            batch_each(count, workers, look, &s);
        for (size_t i = 0; i < count; i++)
            if (s.is_module[i])
                items[modules++].file = &files[i];
        for (size_t i = count; i-- > 0;)
            if (!s.is_module[i])
                items[--others].file = &files[i];
        mark_dependent(items, sorted, count);
        if (modules < count)
            items[modules].after_all = true;
    } else {
        console_error(c, "out of memory");
        value = EXIT_FAILED;
    }
    free(sorted);
    free(s.is_module);
    return value;
}

/* How the run goes. */
typedef struct run_state {
    console *console;
    ilj_context *context;
    inputs *in;
    summary_style style;
    bool told, failed, misused;
    size_t done, count;
} run_state;

static void done(void *user, file_result *file, ilj_status status) {
    run_state *r = user;
    r->misused |= status == ILJ_CONFIG;
    r->in->written += status == ILJ_OK;
    r->failed |= status != ILJ_OK && status != ILJ_CONFIG;
    if (r->told)
        summary_text(r->console, file, r->style);
    inputs_file_done(r->in, r->console, r->context, file, status != ILJ_OK);
    if (!r->told || !system_output_is_terminal())
        console_progress(r->console, "instrumenting", ++r->done, r->count);
}

/* For --trace: when the last pass ended. */
typedef struct stopwatch {
    console *console;
    uint64_t since;
} stopwatch;

static void trace(void *user, const char *input, const char *pass, uint64_t held_bytes) {
    stopwatch *w = user;
    uint64_t now = system_now_ns();
    if (pass)
        console_trace(w->console, input, "%9.3f ms %8" PRIu64 " KiB  %s", (double)(now - w->since) / 1e6,
                      held_bytes / 1024, pass);
    w->since = system_now_ns();
}

/* One after another, without threads. */
static void run_alone(run_state *r, ilj_context *context, const batch_item *items, size_t count,
                      const ilj_instrument_options *wanted) {
    for (size_t i = 0; i < count; i++) {
        file_result *file = items[i].file;
        uint64_t start = system_now_ns();
        ilj_status status = ilj_instrument(&file->summary, context, file->input, file->output, wanted);
        file->elapsed_ns = system_now_ns() - start;
        done(r, file, status);
    }
}

static bool compile_all(inputs *in, console *c, bool told) {
    const compile_ahead_choices choices = {settings.crossgen2, tracker_file(), told};
    return compile_ahead(c, in->files, in->count, &choices) == 0;
}

/* The choices of the command line, as they are used. */
typedef struct chosen_work {
    ilj_selection *selection;
    const batch_item *items; /* in->work */
    unsigned workers;
    const char *password;
    const char *const *baked_in; /* settings of the tracker */
} chosen_work;

static int instrument_all(console *c, ilj_context *context, inputs *in, const chosen_work *of) {
    ilj_outputs *outputs = NULL;
    (void)ilj_outputs_new(&outputs); /* without it everything is looked up again */
    stopwatch watch = {.console = c};
    const ilj_instrument_options wanted = {
        .size = sizeof wanted,
        .tracker = settings.tracker,
        .tracker_type = settings.tracker_type,
        .selection = of->selection,
        .exits = (ilj_exits)(settings.exits + 1),
        .exceptions = (ilj_exceptions)(settings.exceptions + 1),
        .counts = settings.counts,
        .allocations = settings.allocations,
        .command_texts = settings.command_texts,
        .settings = of->baked_in,
        .setting_count = settings.tracker_settings.count,
        .native_clock = (ilj_native_clock)(settings.native_clock + 1),
        .native = settings.native == NATIVE_COMPILE ? ILJ_NATIVE_DROP : (ilj_native)(settings.native + 1),
        .in_place = settings.in_place || !settings.output,
        .keep_mvid = settings.keep_mvid,
        .force = settings.force,
        .dry_run = settings.dry_run,
        .key = settings.key,
        .key_password = of->password,
        .key_where_it_fits = in->count > 1 || in->folder_count > 0,
        .delay_sign = settings.delay_sign,
        .clear_signed_flag = settings.clear_signed_flag,
        .outputs = outputs,
        .trace = settings.trace ? trace : NULL,
        .trace_user = &watch,
        .spans = selection_has_spans(&settings.selection),
    };
    const summary_style style = {wanted.in_place, wanted.dry_run, settings.verbose};
    run_state r = {.console = c,
                   .context = context,
                   .in = in,
                   .style = style,
                   .told = !settings.json && !c->quiet,
                   .count = in->work};
    uint64_t start = system_now_ns();
    if (of->workers > 1)
        system_return_memory();
    if (!settings.dry_run)
        inputs_copy_folders(in, c, context);
    for (size_t i = 0; r.told && i < in->folder_count; i++)
        summary_folder(c, &in->folders[i], style);
    inputs_begin_archives(in, c, context);
    const batch_order order = {of->items, in->work, of->workers, &wanted};
    if (of->workers == 1 || !batch_run(c, &order, done, &r))
        run_alone(&r, context, of->items, in->work, &wanted);
    ilj_outputs_free(outputs);
    console_progress_end(c);
    if (settings.native == NATIVE_COMPILE && !settings.dry_run && !r.failed)
        r.failed = !compile_all(in, c, r.told);
    if (settings.json)
        summary_json(c, in->files, in->count, in->folders, in->folder_count, style);
    else if (r.told && in->count > 1)
        summary_total(c, in->files, in->count, system_now_ns() - start);
    uint32_t unmet = ilj_selection_check(of->selection, context);
    unmet += !check_key(c, in->files, in->count);
    if (r.failed || in->failed || in->work < in->count)
        return EXIT_FAILED;
    if (r.misused)
        return EXIT_USAGE;
    return settings.strict && fell_short(in->files, in->count, unmet) ? EXIT_LEFT_OUT : EXIT_DONE;
}

static unsigned count_workers(console *c, size_t inputs) {
    if (inputs < 2 || settings.trace)
        return 1;
    unsigned wanted = settings.jobs != UINT_MAX ? settings.jobs : system_processors();
    if (wanted > 1 && !system_can(SYSTEM_THREADS)) {
        if (!c->quiet)
            console_note(c, "--jobs=%u: this build of ilinject works on one input at a time", wanted);
        return 1;
    }
    return wanted < inputs ? wanted : (unsigned)inputs;
}

static int write_depfile(console *c, ilj_context *context, const inputs *in, arguments operands) {
    const option_list *configs = &settings.selection.configs;
    const char *const always[] = {settings.tracker, settings.key, settings.key_password_file};
    enum { ALWAYS = sizeof always / sizeof always[0] };
    const char **others = calloc(configs->count + ALWAYS, sizeof *others);
    if (!others) {
        console_error(c, "out of memory");
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < configs->count; i++)
        others[i] = configs->items[i].value;
    memcpy(others + configs->count, always, sizeof always);
    const depfile_options wanted = {settings.depfile, settings.depfile_target, others, configs->count + ALWAYS,
                                    &settings.selection.profiles};
    int value = depfile_write(c, context, in, operands, &wanted);
    free(others);
    return value;
}

static int run(console *c, ilj_context *context, arguments operands) {
    int value = check_usage(c, operands);
    if (value != EXIT_DONE)
        return value;
    ilj_selection *selection = NULL;
    inputs in = {0};
    batch_item *items = NULL;
    const char **baked_in = calloc(settings.tracker_settings.count + 1, sizeof *baked_in);
    char line[PASSWORD_BYTES];
    const char *password;
    if (!baked_in) {
        console_error(c, "out of memory");
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < settings.tracker_settings.count; i++)
        baked_in[i] = settings.tracker_settings.items[i].value;
    if ((value = find_password(c, &password, line)) != EXIT_DONE)
        goto done;
    const input_options chosen = {settings.output, settings.all, settings.dry_run};
    value = inputs_make(&in, c, context, &instrument_command, operands, &chosen);
    unsigned workers = count_workers(c, in.work);
    settings.selection.compiled_again = settings.native == NATIVE_COMPILE;
    if (value == EXIT_DONE)
        value = selection_make(&selection, c, context, &settings.selection);
    if (value == EXIT_DONE && !(items = calloc(in.work + 1, sizeof *items))) {
        console_error(c, "out of memory");
        value = EXIT_FAILED;
    }
    if (value == EXIT_DONE)
        value = choose_order(c, items, in.files, in.work, workers);
    if (value == EXIT_DONE)
        value = instrument_all(c, context, &in, &(chosen_work){selection, items, workers, password, baked_in});
    if (value == EXIT_DONE && settings.depfile && !settings.dry_run)
        value = write_depfile(c, context, &in, operands);
done:
    /* A new folder without what it is for, or with only some of what belongs there, is taken for a program's. */
    if (value != EXIT_DONE && (in.written == 0 || in.copy_failed))
        inputs_remove_made(&in);
    ilj_selection_free(selection);
    free(baked_in);
    free(items);
    inputs_free(&in);
    c->alias_count = 0;
    return value;
}

const command instrument_command = {
    .name = "instrument",
    .synopsis = "IN... -o OUT [OPTION...]",
    .summary = "rewrite assemblies so that they measure themselves (the default)",
    .text = "Rewrites the assemblies IN (.dll, .exe): every method calls the tracker when it is\n"
            "entered and before it returns. The tracker is put beside the output; files that a\n"
            "host reads there are copied (runtimeconfig.json, .config) or changed (deps.json).\n"
            "An output appears whole or not at all; an input is only replaced with --in-place.\n"
            "IN may be a folder: the assemblies in and below it that are its own (of no package\n"
            "and no framework; --all: every one) are instrumented, all else is copied to OUT.\n"
            "IN may be a Silverlight XAP, a NuGet package or another zip: its own assemblies are\n"
            "instrumented, the tracker is added, every other byte of it stays.",
    .options = options,
    .settings = &settings,
    .run = run,
};
