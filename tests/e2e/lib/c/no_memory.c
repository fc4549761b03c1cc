/* no_memory.c - runs a program again and again, and each time another of its allocations fails.
 *
 *     no_memory FAULTS.so OUT REFERENCE INPUT STEP COMMAND…
 *
 * The command writes into the folder OUT, which is flat and emptied before each run; REFERENCE holds what a run writes
 * that has all its memory. Every STEPth allocation fails, once alone and once with all after it. A run may end with 0
 * and everything that the reference has: the allocation could be done without. Or it ends with 1 and an error,
 * or one about each thing that cannot be done; OUT then holds files of the reference, or copies of those in INPUT,
 * whole, and nothing else; the tracker not alone.
 *
 * The last line says how many runs there were, and how many of them failed. Exits with 1 at the first run that ends in
 * another way, reported in full. */
#define _GNU_SOURCE
#include "files.h"

#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct sweep {
    const char *faults, *out, *reference, *input;
    char **command;
    unsigned long runs, failures;
} sweep;

static bool same_files(const char *a, const char *b) {
    size_t x = 0, y = 0;
    char *one = read_all(a, &x), *other = read_all(b, &y);
    bool same = one && other && x == y && memcmp(one, other, x) == 0;
    free(one);
    free(other);
    return same;
}

/* Counts the files of the folder; removes them, or compares each with the reference's, or unless it is `whole` with the
 * input's, and prints one that differs. */
static unsigned look(const sweep *s, bool empty, bool whole, bool *differs) {
    DIR *d = opendir(s->out);
    unsigned count = 0;
    if (!d)
        return 0;
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        char path[PATH_MAX], like[PATH_MAX], copied[PATH_MAX];
        if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0)
            continue;
        snprintf(path, sizeof path, "%s/%s", s->out, e->d_name);
        snprintf(like, sizeof like, "%s/%s", s->reference, e->d_name);
        snprintf(copied, sizeof copied, "%s/%s", s->input, e->d_name);
        count++;
        if (empty)
            unlink(path);
        else if (!same_files(path, like) && (whole || !same_files(path, copied))) {
            printf("%s is not what a whole run writes\n", path);
            *differs = true;
        }
    }
    closedir(d);
    return count;
}

/* Does the tracker stand in OUT without an assembly that needs it? */
static bool left_behind(const sweep *s) {
    DIR *d = opendir(s->out);
    unsigned trackers = 0, assemblies = 0;
    if (!d)
        return false;
    for (const struct dirent *e; (e = readdir(d)) != NULL;) {
        const char *dot = strrchr(e->d_name, '.');
        bool tracker = strcmp(e->d_name, "ProfileInfoTracker.dll") == 0;
        trackers += tracker;
        assemblies += !tracker && dot && (strcmp(dot, ".dll") == 0 || strcmp(dot, ".exe") == 0);
    }
    closedir(d);
    return trackers && !assemblies;
}

static void set_number(const char *name, unsigned long n) {
    char text[32];
    snprintf(text, sizeof text, "%lu", n);
    setenv(name, text, 1);
}

/* Runs the command; its messages about errors go to the file. Returns what waitpid gives. */
static int run(const sweep *s, const char *said) {
    pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0) {
        int null = open("/dev/null", O_RDWR), to = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        if (null < 0 || to < 0 || dup2(null, 0) < 0 || dup2(null, 1) < 0 || dup2(to, 2) < 0)
            _exit(126);
        setenv("LD_PRELOAD", s->faults, 1);
        execv(s->command[0], s->command);
        _exit(126);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child)
        give_up("waitpid");
    return status;
}

/* One error, or one of each thing that cannot be done: no line comes twice. */
static bool are_errors(const char *text) {
    unsigned lines = 0;
    for (const char *line = text, *end; *line; line = end + 1, lines++) {
        end = strchr(line, '\n');
        if (!end || !memmem(line, (size_t)(end - line), "error", 5))
            return false;
        if (memmem(end, strlen(end), line, (size_t)(end - line)))
            return false;
    }
    return lines > 0 && lines <= 5;
}

/* One run with a failing nth allocation; false, and reported, when it ends as it must not. */
static bool try_one(sweep *s, unsigned long n, bool rest, unsigned whole, const char *said) {
    bool differs = false;
    size_t size = 0;
    look(s, true, false, &differs);
    set_number("FAULT_MEMORY", n);
    if (rest)
        setenv("FAULT_MEMORY_REST", "1", 1);
    else
        unsetenv("FAULT_MEMORY_REST");
    int status = run(s, said);
    char *text = read_all(said, &size);
    int code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    unsigned count = look(s, false, code == 0, &differs);
    bool failed = code == 1 && text && are_errors(text);
    if (failed && left_behind(s)) {
        printf("the tracker stands alone in %s\n", s->out);
        failed = false;
    }
    bool right = !differs && (failed || (code == 0 && count == whole));
    s->runs++;
    s->failures += code != 0;
    if (!right)
        printf("allocation %lu%s: %s %d, %u of %u files, said:\n%s\n", n, rest ? " and all behind it" : "",
               WIFSIGNALED(status) ? "signal" : "exit", WIFSIGNALED(status) ? WTERMSIG(status) : code, count, whole,
               text ? text : "");
    free(text);
    return right;
}

int main(int argc, char **argv) {
    if (argc < 7)
        return 2;
    sweep s = {.faults = argv[1], .out = argv[2], .reference = argv[3], .input = argv[4], .command = argv + 6};
    unsigned long step = strtoul(argv[5], NULL, 10), total = 0;
    char counted[] = "counted.XXXXXX", said[] = "said.XXXXXX";
    int one = mkstemp(counted), other = mkstemp(said);
    bool differs = false, right = step > 0 && one >= 0 && other >= 0;
    size_t size;
    look(&s, true, false, &differs);
    setenv("FAULT_COUNT", counted, 1);
    if (right && run(&s, said) != 0)
        right = false;
    unsetenv("FAULT_COUNT");
    unsigned whole = look(&s, false, true, &differs);
    char *text = read_all(counted, &size);
    if (text)
        total = strtoul(text, NULL, 10);
    free(text);
    if (!right || differs || total == 0)
        printf("the run with all its memory fails\n");
    right = right && !differs && total > 0;
    for (unsigned long n = 1; n <= total && right; n += step)
        right = try_one(&s, n, false, whole, said) && try_one(&s, n, true, whole, said);
    unlink(counted);
    unlink(said);
    printf("%lu allocations, %lu runs, %lu of them failed\n", total, s.runs, s.failures);
    return right && s.failures > 0 ? 0 : 1;
}
