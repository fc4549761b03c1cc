/* ilinject report */
#define _GNU_SOURCE
#include "command.h"
#include "lists.h"
#include "platform/path.h"
#include "platform/system.h"
#include "result.h"
#include "selection.h"
#include "views.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static struct {
    common_settings common;
    bool verbose;
    bool raw_names;
    bool physical;
    bool threads;
    bool async;
    int format; /* an ilj_report_format */
    int sort;   /* an ilj_sort_key */
    int offset; /* an ilj_offset */
    unsigned top;
    unsigned width;
    const char *output;
    const char *html;
    const char *post;
    option_list before;
    const char *suggest;
    const char *overhead;
    const char *columns;
    int weight; /* an ilj_weight */
    int view;   /* an ilj_report_view */
    int by;     /* an ilj_report_by */
    bool helpers;
    bool idle;
    bool compact;
    option_list filter;
    option_list source;
    option_list assembly;
    option_list where;
    bool lines, with_source;
    option_list tests, covers, changes;
    const char *slower;
    const char *value;
    bool thrown;
} settings = {.width = UINT32_MAX, .top = UINT32_MAX};

enum { DEFAULT_TOP = 40 }; /* rows of a table that is looked at */

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"format", 0, OPTION_CHOICE, AT(format), 0, ILJ_REPORT_FORMATS(FIRST_CHOICE, NEXT_CHOICE), "the output's format"},
    {"html", 0, OPTION_TEXT, AT(html), 0, "FILE",
     "a page with flame graph and tables; short for --format=html -o FILE"},
    {"before", 0, OPTION_LIST, AT(before), 0, "FILE",
     "a page compares with this profile; can be repeated: they are merged"},
    {"json", 0, OPTION_SET, AT(format), ILJ_REPORT_JSON, NULL, "short for --format=json"},
    {"compact", 0, OPTION_FLAG, AT(compact), 0, NULL,
     "with --json: the nodes of call trees in columns, version 2: a fifth of the bytes"},
    {"sort", 0, OPTION_CHOICE, AT(sort), 0, ILJ_SORT_KEYS(FIRST_CHOICE, NEXT_CHOICE), "order of the table"},
    {"view", 0, OPTION_CHOICE, AT(view), 0, VIEW_NAMES,
     "the part that the text shows: callers from below, hot the path that took most of the time, calls those of "
     "--capture, objects those of --allocations, brief what dominates, in twelve "
     "lines at most, never the methods that were not called in any of the profiles"},
    {"never", 0, OPTION_SET, AT(view), ILJ_VIEW_NEVER, NULL, "short for --view=never"},
    {"calls", 0, OPTION_SET, AT(view), ILJ_VIEW_CALLS, NULL, "short for --view=calls"},
    {"slower", 0, OPTION_TEXT, AT(slower), 0, "TIME", "show only calls that took at least TIME: 500us, 1ms, 2s"},
    {"value", 0, OPTION_TEXT, AT(value), 0, "TEXT", "show only calls that have TEXT in their line"},
    {"thrown", 0, OPTION_FLAG, AT(thrown), 0, NULL, "show only calls that an exception left"},
    {"by", 0, OPTION_CHOICE, AT(by), 0, BY_NAMES,
     "a row of the table stands for one of these; part: what leaves are about (--leaves), and the methods' own code; "
     "test: a test, with all that it called"},
    {"test", 0, OPTION_LIST, AT(tests), 0, "NAME",
     "the report is about tests that have NAME in their names, or that the pattern NAME names, alone; can be repeated"},
    {"covers", 0, OPTION_LIST, AT(covers), 0, "PATTERN",
     "only the names of the tests that ran a method that PATTERN names; can be repeated"},
    {"tests-of", 0, OPTION_LIST, AT(changes), 0, "DIFF",
     "only the names of the tests that ran a method which the unified diff in the file DIFF changes"},
    {"filter", 0, OPTION_LIST, AT(filter), 0, "PATTERN",
     "show only functions that PATTERN names, as for --include; in the tree, the paths to and below them"},
    {"columns", 0, OPTION_TEXT, AT(columns), 0, "LIST",
     "columns of the table, as calls,exclusive,max,p99; ilinject explain columns lists them"},
    {"helpers", 0, OPTION_FLAG, AT(helpers), 0, NULL, "also show methods that only compilers made"},
    {"idle", 0, OPTION_FLAG, AT(idle), 0, NULL,
     "also show what only waits while others work, as the Main of a service"},
    {"suggest", 0, OPTION_TEXT, AT(suggest), 0, "FILE",
     "also write a configuration that leaves out the methods that cost the most to record"},
    {"overhead", 0, OPTION_TEXT, AT(overhead), 0, "N%",
     "with --suggest: by counts of calls, all that have to be left out so that the rest cost at most N percent"},
    {"lines", 0, OPTION_FLAG, AT(lines), 0, NULL,
     "file and line after each name; in more than 120 columns without it, too, where the whole name leaves room"},
    {"source", 0, OPTION_LIST, AT(source), 0, "FROM=DIR",
     "sources whose paths begin with FROM, as the compiler had them (/_/), stand in DIR; can be repeated"},
    {"with-source", 0, OPTION_FLAG, AT(with_source), 0, NULL,
     "the page has the source around each method, of files that are here or where --source says"},
    {"assembly", 0, OPTION_LIST, AT(assembly), 0, "PATH",
     "--format=mibc finds the assemblies that were profiled in this folder, or is given one; can be repeated. Default: "
     "beside the profiles"},
    {"where", 0, OPTION_LIST, AT(where), 0, "NAME=VALUE",
     "only profiles whose runs have this label, as release=1.42; can be repeated: all of them"},
    {"top", 0, OPTION_NUMBER, AT(top), 0, "N",
     "only the first N functions; 0: all. Default: 40 of the text, all otherwise"},
    {"weight", 0, OPTION_CHOICE, AT(weight), 0, ILJ_WEIGHTS(FIRST_CHOICE, NEXT_CHOICE),
     "--format=collapsed weighs stacks by own time, by the bytes (setting alloc) or objects (--allocations) that were "
     "allocated there, or by collections or their pause (setting collections)"},
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE", "write to FILE instead of standard output"},
    {"post", 0, OPTION_TEXT, AT(post), 0, "URL",
     "send --format=otlp to a collector of OpenTelemetry, as http://127.0.0.1:4318, instead of writing it"},
    {"raw", 0, OPTION_SET, AT(offset), ILJ_OFFSET_NONE, NULL, "times as recorded; short for --offset=none"},
    {"offset", 0, OPTION_CHOICE, AT(offset), 0, "calibrated|none|article",
     "the cost of recording that is taken off the times: by calibration, none, or two clock readings for "
     "each call below"},
    {"raw-names", 0, OPTION_FLAG, AT(raw_names), 0, NULL, "names as they stand in the metadata"},
    {"physical", 0, OPTION_FLAG, AT(physical), 0, NULL,
     "show the code after an await below the code that completed it, as it ran; default: below the call of its "
     "async method"},
    {"threads", 0, OPTION_FLAG, AT(threads), 0, NULL, "a call tree of each thread instead of one of all"},
    {"async", 0, OPTION_FLAG, AT(async), 0, NULL, "also the calls of async methods as a tree: who awaited whom"},
    {"width", 0, OPTION_NUMBER, AT(width), 0, "N",
     "columns to fit to; 0: no limit. Default: the terminal's, else $COLUMNS, else 120"},
    {"verbose", 'v', OPTION_FLAG, AT(verbose), 0, NULL,
     "the whole head (machine, clock, probes, governor), ranges of times, and which profile is read"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

typedef struct question {
    ilj_context *context;
    result_inputs profiles;
    const ilj_report_options *wanted;
} question;

static ilj_status write_report(void *user, ilj_write_fn *write, void *to) {
    const question *of = user;
    return ilj_report(of->context, of->profiles.paths, of->profiles.count, of->wanted, write, to);
}

static uint64_t slower_ns;
static unsigned overhead; /* percent; 0: not given */

static bool try_time(const char *text, uint64_t *ns) {
    static const struct {
        const char *name;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", 1000000}, {"s", 1000000000}};
    char *unit;
    unsigned long long number = strtoull(text, &unit, 10);
    if (*text < '0' || *text > '9' || unit - text > 9)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) {
            *ns = number * units[i].ns;
            return true;
        }
    return false;
}

/* Also refuses options that would change nothing. Returns EXIT_DONE or EXIT_USAGE. */
static int check_usage(console *c) {
    if (settings.html && settings.output)
        return usage_failure(c, &report_command, "--html and --output both say where to write");
    if (settings.html) {
        settings.format = ILJ_REPORT_HTML;
        settings.output = settings.html;
    }
    if (settings.post && settings.output)
        return usage_failure(c, &report_command, "--post sends the report, and --output or --html writes one");
    if (settings.post && settings.format != ILJ_REPORT_TEXT && settings.format != ILJ_REPORT_OTLP)
        return usage_failure(c, &report_command, "--post is for --format=otlp");
    if (settings.post)
        settings.format = ILJ_REPORT_OTLP;
    if (settings.before.count > 0 && settings.format != ILJ_REPORT_HTML)
        return usage_failure(c, &report_command, "--before needs --html or --format=html");
    if (settings.with_source && settings.format != ILJ_REPORT_HTML)
        return usage_failure(c, &report_command, "--with-source is for --html or --format=html");
    const char *binary = settings.format == ILJ_REPORT_PPROF  ? "pprof"
                         : settings.format == ILJ_REPORT_MIBC ? "mibc"
                         : settings.format == ILJ_REPORT_OTLP ? "otlp"
                                                              : NULL;
    if (binary && !settings.output && !settings.post && system_output_is_terminal())
        return usage_failure(c, &report_command, "%s is binary: --output says where to write, or a pipe where it goes",
                             binary);
    if (settings.assembly.count > 0 && settings.format != ILJ_REPORT_MIBC)
        return usage_failure(c, &report_command, "--assembly is for --format=mibc");
    if (settings.compact && settings.format != ILJ_REPORT_JSON)
        return usage_failure(c, &report_command, "--compact is for --format=json");
    bool text = settings.format == ILJ_REPORT_TEXT;
    bool table = text && (settings.view == ILJ_VIEW_DEFAULT || settings.view == ILJ_VIEW_FUNCTIONS);
    if (!text && settings.lines)
        return usage_failure(c, &report_command, "--lines is for the text format");
    if (!text && settings.view != ILJ_VIEW_DEFAULT)
        return usage_failure(c, &report_command, "--view is for the text format");
    if (!table && settings.by != ILJ_BY_FUNCTION)
        return usage_failure(c, &report_command, "--by is for the table of the text format");
    if (!table && settings.columns)
        return usage_failure(c, &report_command, "--columns is for the table of the text format");
    if (!text && settings.helpers)
        return usage_failure(c, &report_command, "--helpers is for the text format");
    if (!text && settings.format != ILJ_REPORT_CALLTREE && settings.filter.count > 0)
        return usage_failure(c, &report_command, "--filter is for the text and calltree formats");
    if ((settings.slower || settings.value || settings.thrown) && settings.view != ILJ_VIEW_CALLS)
        return usage_failure(c, &report_command, "--slower, --value and --thrown are for --calls");
    if (settings.slower && !try_time(settings.slower, &slower_ns))
        return usage_failure(c, &report_command, "--slower is a time as 500us, 1ms or 2s, found '%.40s'",
                             settings.slower);
    if (settings.weight != ILJ_WEIGHT_TIME && settings.format != ILJ_REPORT_COLLAPSED)
        return usage_failure(c, &report_command, "--weight is for --format=collapsed");
    if (settings.overhead && !settings.suggest && settings.format != ILJ_REPORT_SUGGESTIONS)
        return usage_failure(c, &report_command, "--overhead is for --suggest");
    if (settings.overhead && (!selection_try_percent(settings.overhead, &overhead) || overhead == 0))
        return usage_failure(c, &report_command, "--overhead is a percentage from 1%% to 1000%%, found '%.40s'",
                             settings.overhead);
    for (size_t i = 0; i < settings.source.count; i++)
        if (settings.source.items[i].value[0] == '=' || !strchr(settings.source.items[i].value, '='))
            return usage_failure(c, &report_command, "--source is FROM=DIR, found '%.80s'",
                                 settings.source.items[i].value);
    bool asks = settings.covers.count + settings.changes.count > 0;
    if (asks && (!text || settings.view != ILJ_VIEW_DEFAULT || settings.by != ILJ_BY_FUNCTION))
        return usage_failure(c, &report_command, "--covers and --tests-of are for the text format, without a view");
    bool tests = settings.by == ILJ_BY_TEST || settings.tests.count > 0 || asks;
    if (tests && (settings.physical || settings.raw_names))
        return usage_failure(c, &report_command,
                             "tests and --%s exclude each other: code after an await is a part of "
                             "its test where it stands in logical order",
                             settings.physical ? "physical" : "raw-names");
    if (settings.tests.count > 0 &&
        (settings.format == ILJ_REPORT_JSON || settings.format == ILJ_REPORT_CHROME ||
         settings.format == ILJ_REPORT_CALLLOG || settings.format == ILJ_REPORT_SUGGESTIONS))
        return usage_failure(c, &report_command, "--test is not for this format, which is about whole profiles");
    if (settings.by == ILJ_BY_TEST && settings.columns)
        return usage_failure(c, &report_command, "--columns is not for --by=test");
    if (settings.by == ILJ_BY_THREAD && settings.filter.count > 0)
        return usage_failure(c, &report_command, "--by=thread and --filter exclude each other");
    return EXIT_DONE;
}

/* The tracker writes to the temporary folder what it may not write to the current one. */
static int tell_none(console *c) {
    static const char none[] =
        "no profile is given and no *.ilprof stands in the current folder, nor one newer than its "
        "build below it";
    size_t found;
    const char *place = system_temporary_place();
    char *here = system_current_folder(), *newest, *text = NULL;
    bool is_told = system_newest_file(&newest, &found, place, ".ilprof", true) == 0 && newest;
    if (is_told && asprintf(&text, "%s; the newest in the temporary folder is %s%s%s", none, place,
                            path_takes_slash(place, strlen(place)) ? "/" : "", newest) < 0)
        text = NULL;
    console_diagnostic(c, &(ilj_diagnostic){here ? here : ".", ILJ_ERROR, "ILJ0604", text ? text : none});
    free(here);
    free(newest);
    free(text);
    return EXIT_FAILED;
}

/* The newest profile of the current folder and those below it, for the caller to free; *value says how the command ends
 * without one. */
static char *newest_profile(console *c, int *value) {
    size_t found = 0;
    char *newest = NULL;
    int error = system_newest_file(&newest, &found, ".", ".ilprof", false);
    if (error) {
        console_error(c, "the newest profile of the current folder cannot be found: %s", strerror(error));
        *value = EXIT_FAILED;
        return NULL;
    }
    char *below = NULL;
    error = system_newest_below(&below, newest, ".ilprof");
    if (error) {
        console_error(c, "the folders below the current one cannot be searched: %s", strerror(error));
        free(newest);
        *value = EXIT_FAILED;
        return NULL;
    }
    if (below) {
        if (!c->quiet)
            console_note(c, "reading %s%s", below, newest ? ", which is newer than those here" : "");
        free(newest);
        return below;
    }
    if (!newest)
        *value = tell_none(c);
    else if (settings.verbose)
        console_note(c, "reading %s, the newest of %zu *.ilprof here", newest, found);
    return newest;
}

static ilj_report_options options_wanted(const console *c, const char *const *before, const char *const *patterns,
                                         const char *const *sources, const char *const *assemblies,
                                         const char *const *where, const ilj_test_questions *tests) {
    return (ilj_report_options){
        .size = sizeof(ilj_report_options),
        .format = (ilj_report_format)settings.format,
        .sort = (ilj_sort_key)settings.sort,
        .top = settings.top != UINT32_MAX           ? settings.top
               : settings.format == ILJ_REPORT_TEXT ? DEFAULT_TOP
                                                    : 0,
        .width = settings.width != UINT32_MAX ? settings.width : system_width(),
        .color = c->color_out,
        .raw_names = settings.raw_names,
        .physical = settings.physical,
        .offset = (ilj_offset)settings.offset,
        .threads = settings.threads,
        .before = before,
        .before_count = settings.before.count,
        .async = settings.async || settings.view == ILJ_VIEW_ASYNC,
        .view = (ilj_report_view)settings.view,
        .by = (ilj_report_by)settings.by,
        .helpers = settings.helpers,
        .idle = settings.idle,
        .compact = settings.compact,
        .columns = settings.columns,
        .verbose = settings.verbose,
        .weight = (ilj_weight)settings.weight,
        .patterns = patterns,
        .pattern_count = settings.filter.count,
        .slower_ns = slower_ns,
        .value = settings.value,
        .thrown = settings.thrown,
        .overhead = overhead,
        .sources = sources,
        .source_count = settings.source.count,
        .lines = settings.lines,
        .assemblies = assemblies,
        .assembly_count = settings.assembly.count,
        .where = where,
        .where_count = settings.where.count,
        .tests = tests,
        .with_source = settings.with_source,
    };
}

/* Writes the configuration that --suggest asks for, then the report. */
static int write_wanted(console *c, ilj_context *context, const char *const *profiles, size_t count,
                        ilj_report_options *wanted) {
    /* Names of methods are no secret: a project keeps suggestions among its sources. */
    static const result_inputs public[2] = {{0}};
    const result_inputs all = {profiles, count}, both[2] = {all, {wanted->before, wanted->before_count}};
    int value = EXIT_DONE;
    if (settings.suggest) {
        ilj_report_options suggestions = *wanted;
        suggestions.format = ILJ_REPORT_SUGGESTIONS;
        value = result_make(c, settings.suggest, public, write_report, &(question){context, all, &suggestions});
    }
    if (value != EXIT_DONE)
        return value; /* the profile's fault has been reported */
    if (settings.post) {
        const ilj_post_options to = {
            .size = sizeof to, .url = settings.post, .headers = system_variable("OTEL_EXPORTER_OTLP_HEADERS")};
        return exit_of(ilj_post(context, profiles, count, wanted, &to));
    }
    if (settings.output)
        wanted->color = settings.common.color == COLOR_ALWAYS;
    return result_make(c, settings.output, wanted->format == ILJ_REPORT_SUGGESTIONS ? public : both, write_report,
                       &(question){context, all, wanted});
}

static int report_all(console *c, ilj_context *context, const char *const *profiles, size_t count) {
    int value = EXIT_FAILED;
    const char **before = option_values(&settings.before), **patterns = option_values(&settings.filter),
               **sources = option_values(&settings.source), **assemblies = option_values(&settings.assembly),
               **where = option_values(&settings.where), **tests = option_values(&settings.tests),
               **covers = option_values(&settings.covers), **changes = option_values(&settings.changes);
    if (before && patterns && sources && assemblies && where && tests && covers && changes) {
        const ilj_test_questions asked = {tests,   settings.tests.count,  covers, settings.covers.count,
                                          changes, settings.changes.count};
        ilj_report_options wanted = options_wanted(c, before, patterns, sources, assemblies, where, &asked);
        value = write_wanted(c, context, profiles, count, &wanted);
    } else {
        console_error(c, "memory ran out");
    }
    free(before);
    free(patterns);
    free(sources);
    free(assemblies);
    free(where);
    free(settings.where.items);
    free(settings.tests.items);
    free(settings.covers.items);
    free(settings.changes.items);
    free(tests);
    free(covers);
    free(changes);
    free(settings.filter.items);
    free(settings.source.items);
    free(settings.assembly.items);
    return value;
}

static int run(console *c, ilj_context *context, arguments operands) {
    name_list names = {0};
    const char *failed = NULL;
    int value = check_usage(c);
    if (value != EXIT_DONE)
        return value;
    int error = name_list_of_files(&names, &failed, &operands, ".ilprof");
    if (error == ENOENT) {
        console_diagnostic(c, &(ilj_diagnostic){failed, ILJ_ERROR, "ILJ0604", "no *.ilprof stands in this folder"});
        value = EXIT_FAILED;
    } else if (error) {
        console_error(c, "%s cannot be read: %s", failed, strerror(error));
        value = EXIT_FAILED;
    } else if (names.count == 0) {
        char *newest = newest_profile(c, &value);
        if (newest)
            value = report_all(c, context, (const char *const *)&newest, 1);
        free(newest);
    } else {
        value = report_all(c, context, (const char *const *)names.items, names.count);
    }
    name_list_free(&names);
    return value;
}

const command report_command = {
    .name = "report",
    .synopsis = "[FILE...] [OPTION...]",
    .summary = "show profiles: function table and call tree",
    .text = "Merges the profiles FILE and shows them: which function was called how often, how\n"
            "long its calls took with all they called (inclusive) and without (exclusive), what\n"
            "exceptions did, how long async methods ran and waited, and the tree of calls.\n"
            "A folder stands for the *.ilprof in it. Without FILE: the newest *.ilprof of the\n"
            "current folder and those below it (one level, and bin/*/*); below, one that is older\n"
            "than the assemblies beside it does not count.",
    .options = options,
    .settings = &settings,
    .run = run,
};
