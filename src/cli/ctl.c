/* ilinject ctl */
#include "command.h"
#include "platform/path.h"
#include "platform/process.h"
#include "platform/system.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { LONGEST_WAIT_MS = 5000, LONGEST_TURN_MS = 60000, MOST_NAME = 200, MOST_ANSWER = 1 << 20 };

static struct {
    common_settings common;
    const char *output;
} settings;

#define AT(field) offsetof(__typeof__(settings), field)
static const option_row options[] = {
    {"output", 'o', OPTION_TEXT, AT(output), 0, "FILE",
     "the file or folder that snapshot writes to, instead of the current folder"},
    {NULL, 0, 0, 0, 0, NULL, NULL},
};
#undef AT

static const struct verb {
    const char *name;
    const char *done; /* what is said of a profile; NULL: its path alone, that of the snapshot, or what was answered */
    const char *wanted; /* what stands after it; NULL: nothing */
    bool several;       /* one or more of these */
    bool tells;         /* the answer is text */
} verbs[] = {
    {"start", "recording", NULL, false, false}, {"stop", "stopped", NULL, false, false},
    {"status", NULL, NULL, false, true},        {"reset", "begun anew", NULL, false, false},
    {"snapshot", NULL, NULL, false, false},     {"flush", NULL, NULL, false, false},
    {"off", NULL, "PATTERN", true, true},       {"on", NULL, "PATTERN", true, true},
    {"only", NULL, "PATTERN", true, true},      {"below", NULL, "PATTERN", true, true},
    {"depth", NULL, "N", false, true},          {"longer", NULL, "TIME", false, true},
    {"all", NULL, NULL, false, true},
};
enum { VERBS = sizeof verbs / sizeof verbs[0] };
#define VERB_NAMES "status, start, stop, reset, snapshot, flush, off, on, only, below, depth, longer or all"

static const struct verb *verb_named(const char *name) {
    for (size_t i = 0; i < VERBS; i++)
        if (strcmp(verbs[i].name, name) == 0)
            return &verbs[i];
    return NULL;
}

static int unknown_verb(console *c, const char *name) {
    const char *names[VERBS + 1] = {NULL};
    for (size_t i = 0; i < VERBS; i++)
        names[i] = verbs[i].name;
    const char *near = nearest_name(name, names);
    if (near)
        return usage_failure(c, &ctl_command, "'%.60s' is unknown; did you mean '%s'?", name, near);
    return usage_failure(c, &ctl_command, "'%.60s' is unknown; expected " VERB_NAMES, name);
}

/* 0: no process's number. */
static uint32_t process_number(const char *text) {
    uint32_t number = 0;
    if (*text == 0 || strlen(text) > 9)
        return 0;
    for (; *text; text++) {
        if (*text < '0' || *text > '9')
            return 0;
        number = number * 10 + (uint32_t)(*text - '0');
    }
    return number;
}

/* The text comes from another process: control characters would reach the terminal. */
static void make_printable(char *text) {
    for (; text && *text; text++)
        if ((unsigned char)*text < ' ' || *text == 0x7F)
            *text = '?';
}

/* ---- Snapshots ------------------------------------------------------------------------------------------------ */

/* The snapshot of NAME.ilprof goes to NAME.snapshot.ilprof, in the folder that is given (NULL: the current one). For
 * the caller to free; NULL: memory ran out. */
static char *usual_name(const char *profile, const char *folder) {
    const char *base = path_name(profile);
    const char *dot = strrchr(base, '.');
    size_t stem = dot && dot > base ? (size_t)(dot - base) : strlen(base);
    if (stem == 0 || stem > MOST_NAME) {
        base = "program";
        stem = strlen(base);
    }
    size_t length = (folder ? strlen(folder) + 1 : 0) + stem + sizeof ".snapshot.ilprof";
    char *name = malloc(length);
    if (name)
        snprintf(name, length, "%s%s%.*s.snapshot.ilprof", folder ? folder : "", folder ? "/" : "", (int)stem, base);
    return name;
}

/* Returns 0 or an errno. */
static int copy_payload(const control_way *way, FILE *to) {
    static char part[1 << 16];
    uint64_t done = 0;
    while (done < way->payload) {
        size_t got = control_fetch(way, part, done, sizeof part);
        if (got == 0)
            return EIO;
        if (fwrite(part, 1, got, to) != got)
            return errno;
        done += got;
    }
    return 0;
}

/* Writes to the file that was asked for, which is replaced. */
static int write_to(const control_way *way, const char *path) {
    result_file result;
    int error = result_file_open(&result, path, RESULT_FOLLOW);
    if (error)
        return error;
    result_file_private(&result);
    error = copy_payload(way, result.file);
    int closing = result_file_close(&result, error == 0);
    return error ? error : closing;
}

/* Writes to a name that nothing has yet; *name is what it became, for the caller to free. */
static int write_to_new(const control_way *way, char **name, const char *wanted) {
    FILE *file = control_new_file(name, wanted);
    if (!file)
        return errno ? errno : ENOMEM;
    int error = copy_payload(way, file);
    if (fclose(file) != 0 && !error)
        error = errno;
    if (error)
        remove(*name);
    return error;
}

/* The first snapshot goes where it was wanted, those of further profiles in the process to new names beside it. */
static int save(console *c, const control_way *way, bool first) {
    bool to_folder = settings.output && system_is_directory(settings.output);
    char *usual = settings.output && !to_folder ? NULL : usual_name(way->profile, settings.output), *made = NULL;
    const char *written = settings.output;
    int error = 0;
    if (settings.output && !to_folder && first) {
        error = write_to(way, settings.output);
    } else {
        const char *wanted = settings.output && !to_folder ? settings.output : usual;
        error = wanted ? write_to_new(way, &made, wanted) : ENOMEM;
        written = made ? made : wanted;
    }
    if (error)
        console_error(c, "%s cannot be written: %s", written ? written : "the snapshot", strerror(error));
    else
        console_printf(c, "%s\n", written);
    free(usual);
    free(made);
    return error ? EXIT_FAILED : EXIT_DONE;
}

/* ---- Answers -------------------------------------------------------------------------------------------------- */

/* The text that came with an answer, for the caller to free; NULL: memory ran out. */
static char *answer_text(const control_way *way) {
    size_t size = way->payload < MOST_ANSWER ? (size_t)way->payload : MOST_ANSWER, done = 0, got;
    char *text = malloc(size + 1);
    while (text && done < size && (got = control_fetch(way, text + done, done, size - done)) > 0)
        done += got;
    if (text)
        text[done] = 0;
    return text;
}

/* Each line is after a sign: + for what was done, - for a warning or a fault. */
static int tell_text(console *c, const control_way *way, const struct verb *verb, uint32_t pid) {
    char *text = answer_text(way);
    int value = way->state == WAY_ANSWERED ? EXIT_DONE : EXIT_FAILED;
    if (!text)
        console_error(c, "out of memory");
    else if (!*text)
        console_error(c, "process %u: %s has failed; an older tracker does not know it", pid, verb->name);
    for (char *line = text, *end; line && *line; line = end) {
        end = line + strcspn(line, "\n");
        if (*end)
            *end++ = 0;
        make_printable(line);
        if (*line != '+') {
            console_error(c, "process %u: %s", pid, line + 1);
            value = EXIT_FAILED;
        } else if (!c->quiet) {
            console_printf(c, "%s: %s\n", way->profile[0] ? way->profile : "no profile", line + 1);
        }
    }
    bool told = text && *text;
    free(text);
    return told ? value : EXIT_FAILED;
}

static int tell(console *c, control_way *way, const struct verb *verb, uint32_t pid, bool first) {
    make_printable(way->profile);
    if (verb->tells && (way->state == WAY_ANSWERED || way->state == WAY_FAILED))
        return tell_text(c, way, verb, pid);
    switch (way->state) {
    case WAY_WAITS:
        if (way->request == 0)
            console_error(c, "process %u has been asked by others for %d s", pid, LONGEST_TURN_MS / 1000);
        else
            console_error(c, "process %u has not answered within %d s; is it stopped, or busy ending?", pid,
                          LONGEST_WAIT_MS / 1000);
        return EXIT_FAILED;
    case WAY_CLOSED:
        console_error(c, "process %u has ended before it answered", pid);
        return EXIT_FAILED;
    case WAY_FAILED:
        console_error(c, "process %u: %s has failed%s", pid, verb->name,
                      strcmp(verb->name, "flush") == 0 ? ": its profile cannot be written" : "");
        return EXIT_FAILED;
    case WAY_ANSWERED:
        break;
    }
    if (strcmp(verb->name, "snapshot") == 0)
        return save(c, way, first);
    if (!verb->done)
        console_printf(c, "%s\n", way->profile);
    else if (!c->quiet)
        console_printf(c, "%s: %s\n", way->profile[0] ? way->profile : "no profile", verb->done);
    return EXIT_DONE;
}

/* The operands of a verb, a line each, for the caller to free. NULL: memory ran out. */
static char *join(arguments operands) {
    size_t size = 1, at = 0;
    for (size_t i = 2; i < operands.count; i++)
        size += strlen(operands.items[i]) + 1;
    char *joined = malloc(size);
    for (size_t i = 2; joined && i < operands.count; i++)
        at += (size_t)snprintf(joined + at, size - at, "%s%s", i > 2 ? "\n" : "", operands.items[i]);
    return joined;
}

/* Checks that the verb has the arguments it wants. Returns EXIT_DONE, or the exit value of a wrong usage. */
static int check_arguments(console *c, const struct verb *verb, arguments operands) {
    size_t count = operands.count - 2, size = 0;
    if (!verb->wanted)
        return count == 0 ? EXIT_DONE
                          : usage_failure(c, &ctl_command, "%s takes nothing after it, found '%.60s'", verb->name,
                                          operands.items[2]);
    if (count == 0 || (count > 1 && !verb->several))
        return usage_failure(c, &ctl_command, "%s wants %s %s", verb->name, verb->several ? "at least one" : "one",
                             verb->wanted);
    for (size_t i = 2; i < operands.count; i++) {
        if (strpbrk(operands.items[i], "\r\n"))
            return usage_failure(c, &ctl_command, "%s wants one line each, found one with a line break", verb->name);
        size += strlen(operands.items[i]) + 1;
    }
    if (size > CONTROL_MOST_ARGUMENTS)
        return usage_failure(c, &ctl_command, "%s has more than %d bytes after it", verb->name, CONTROL_MOST_ARGUMENTS);
    return EXIT_DONE;
}

/* ---- All programs ----------------------------------------------------------------------------------------------- */

/* Without a process: those that can be controlled. None of them is asked, since one may be stopped. */
static int list_programs(console *c) {
    uint32_t *pids;
    size_t count, found = 0;
    control_status status = control_processes(&pids, &count);
    if (status != CONTROL_OK) {
        console_error(c, status == CONTROL_NO_MEMORY ? "out of memory" : "no process is seen from here");
        return EXIT_FAILED;
    }
    for (size_t i = 0; i < count; i++) {
        control_ways ways;
        if (control_open(&ways, pids[i]) != CONTROL_OK)
            continue;
        char *text = control_command_line(pids[i]);
        make_printable(text);
        console_printf(c, "%7u  %s\n", pids[i], text ? text : "");
        free(text);
        found++;
        control_close(&ways);
    }
    free(pids);
    if (found == 0 && !c->quiet)
        console_note(c, "no program runs that can be controlled: instrumented, yours, and with a method called");
    return EXIT_DONE;
}

static int run(console *c, ilj_context *context, arguments operands) {
    (void)context;
    if (operands.count == 0)
        return settings.output ? usage_failure(c, &ctl_command, "--output is for snapshot") : list_programs(c);
    if (operands.count < 2)
        return usage_failure(c, &ctl_command, "expected PID and one of " VERB_NAMES);
    uint32_t pid = process_number(operands.items[0]);
    const struct verb *verb = verb_named(operands.items[1]);
    if (pid == 0)
        return usage_failure(c, &ctl_command, "'%.60s' is no process's number", operands.items[0]);
    if (!verb)
        return unknown_verb(c, operands.items[1]);
    int value = check_arguments(c, verb, operands);
    if (value != EXIT_DONE)
        return value;
    if (settings.output && strcmp(verb->name, "snapshot") != 0)
        return usage_failure(c, &ctl_command, "--output is for snapshot");
    control_ways ways;
    switch (control_open(&ways, pid)) {
    case CONTROL_NO_PROCESS:
        console_error(c, "there is no process %u", pid);
        return EXIT_FAILED;
    case CONTROL_NOT_YOURS:
        console_error(c, "process %u belongs to another user", pid);
        return EXIT_FAILED;
    case CONTROL_EXPOSED:
        console_error(c, "process %u is not asked: other users may open its control file (of an older tracker)", pid);
        return EXIT_FAILED;
    case CONTROL_NO_TRACKER:
        console_error(c, "process %u has no tracker that listens (not instrumented, nothing called yet, or control=0)",
                      pid);
        return EXIT_FAILED;
    case CONTROL_NOT_HERE:
        console_error(c, "process %u is not asked: from this build of ilinject there is no way to a tracker", pid);
        return EXIT_FAILED;
    case CONTROL_NO_MEMORY:
        console_error(c, "out of memory");
        return EXIT_FAILED;
    case CONTROL_OK:
        break;
    }
    char *lines = verb->wanted ? join(operands) : NULL;
    if (verb->wanted && !lines) {
        console_error(c, "out of memory");
        control_close(&ways);
        return EXIT_FAILED;
    }
    control_ask(&ways, pid, verb->name, lines, LONGEST_WAIT_MS, LONGEST_TURN_MS);
    free(lines);
    for (size_t i = 0; i < ways.count; i++)
        if (tell(c, &ways.items[i], verb, pid, i == 0) != EXIT_DONE)
            value = EXIT_FAILED;
    control_close(&ways);
    return value;
}

const command ctl_command = {
    .name = "ctl",
    .synopsis = "[PID status|start|stop|reset|snapshot|flush|all] [OPTION...]\n"
                "       ilinject ctl PID off|on|only|below PATTERN... | depth N | longer TIME",
    .summary = "control the recording in a running program",
    .text = "Without PID: lists the programs that can be controlled.\n"
            "Asks the tracker in the process PID what it records (status), to go on with\n"
            "recording (start), to record nothing (stop), to forget what it has recorded (reset),\n"
            "to give its profile as it stands (snapshot: in NAME.snapshot.ilprof here; its path\n"
            "is printed), or to write its profile now (flush: its path is printed). All trackers\n"
            "in a process are asked. The process has to be yours, unless you are root.\n"
            "\n"
            "The methods that a PATTERN names, as for --include, are switched off, on again, or\n"
            "left on alone (only). Triggers record only inside calls of some methods (below),\n"
            "only N frames of a thread (depth), only calls of at least a TIME as 5ms (longer);\n"
            "depth 0 and longer 0 take theirs back, all takes back all of these. Calls that are\n"
            "under way end as usual; the request holds for calls that begin from then on.",
    .options = options,
    .settings = &settings,
    .run = run,
};
