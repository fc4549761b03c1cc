/* calls.c - runs a program again and again; each time another of its calls of the system fails, or it is killed there.
 *
 *     calls fail|kill OUT REFERENCE BEFORE INPUT [>NAME] COMMAND…
 *
 * BEFORE is a flat folder; OUT is made equal to it before each run, which the command then changes. REFERENCE holds
 * what OUT has after an undisturbed run. The calls that count are those that open files, read,
 * map, write, rename, remove, flush, ask about and close them, read links, and make and list folders.
 * Each of them fails once with EIO, ENOSPC, EACCES and EINTR, or the program is killed before it. Calls of all threads
 * are counted together, as they come: their number can differ from run to run, and the sweep ends at the first number
 * that no run reaches.
 *
 * After each run each file of OUT is, whole, what REFERENCE or what BEFORE or (a copy) INPUT has; other names are only
 * of unfinished files (`.ilinject-`, or NAME and six characters), and no run that ends by itself leaves one. A run that
 * ends with 0 has reported no error, and has all of REFERENCE or has said something that an undisturbed run
 * does not say; no run ends by a signal that was not sent. With >NAME the command's standard output is that file of
 * OUT, which a run that fails may leave unfinished.
 *
 * The last line says how many calls there were, how many runs, and how many of them failed. Exits with 1 at the first
 * run that ends in another way, reported in full. Where no process may be traced: 77. */
#define _GNU_SOURCE
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef __x86_64__
int main(void) {
    puts("not an x86-64 processor");
    return 77;
}
#else
#include "files.h"

static const long counted[] = {SYS_openat, SYS_open,       SYS_read,       SYS_pread64, SYS_mmap,
                               SYS_write,  SYS_writev,     SYS_pwrite64,   SYS_rename,  SYS_fdatasync,
                               SYS_fsync,  SYS_fstat,      SYS_newfstatat, SYS_close,   SYS_unlink,
                               SYS_fchmod, SYS_getdents64, SYS_mkdir,      SYS_readlink};

static bool counts(long number) {
    for (size_t i = 0; i < sizeof counted / sizeof counted[0]; i++)
        if (counted[i] == number)
            return true;
    return false;
}

/* ---- One run ---------------------------------------------------------------------------------------------------- */

typedef struct ending {
    int status;
    unsigned long calls; /* after the program's start */
    long number;         /* of the call that failed; -1: the run ended before it */
} ending;

/* One thread of the program that runs. */
typedef struct traced {
    pid_t id;
    bool inside, refused; /* a call of the system; one that fails */
} traced;

enum { MOST_THREADS = 16 };

static traced *find_thread(traced *threads, pid_t id) {
    size_t i = 0;
    while (i < MOST_THREADS && threads[i].id != id && threads[i].id != 0)
        i++;
    if (i == MOST_THREADS) {
        fputs("more threads than this has room for\n", stderr);
        exit(2);
    }
    return &threads[i];
}

/* After PTRACE_TRACEME the program stands at its start: lets it go on to its end, with all of its threads traced. */
static void follow(ending *e, pid_t child, unsigned long at, int error) {
    traced threads[MOST_THREADS] = {{.id = child}};
    bool loaded = false; /* the loader unmaps its cache last: what follows is the program's */
    pid_t id = child;
    for (long deliver = 0;;) {
        ptrace(PTRACE_SYSCALL, id, 0, deliver);
        if ((id = waitpid(-1, &e->status, __WALL)) < 0)
            give_up("waitpid");
        deliver = 0;
        if (!WIFSTOPPED(e->status)) {
            if (id == child)
                return;
            continue;
        }
        traced *t = find_thread(threads, id);
        if (t->id == 0) {
            *t = (traced){.id = id}; /* a new thread is stopped */
            continue;
        }
        if (WSTOPSIG(e->status) != (SIGTRAP | 0x80)) {
            if (e->status >> 16 == 0)
                deliver = WSTOPSIG(e->status);
            continue;
        }
        struct user_regs_struct r;
        if (ptrace(PTRACE_GETREGS, id, 0, &r) != 0)
            continue; /* killed meanwhile */
        t->inside = !t->inside;
        if (t->inside) {
            if ((long)r.orig_rax == SYS_munmap)
                loaded = true;
            if (!loaded || !counts((long)r.orig_rax) || ++e->calls != at)
                continue;
            e->number = (long)r.orig_rax;
            if (error == 0) {
                kill(child, SIGKILL);
                continue;
            }
            /* A close that fails has closed. */
            t->refused = true;
            if (e->number != SYS_close) {
                r.orig_rax = (unsigned long long)-1;
                ptrace(PTRACE_SETREGS, id, 0, &r);
            }
        } else if (t->refused) {
            r.rax = (unsigned long long)-error;
            ptrace(PTRACE_SETREGS, id, 0, &r);
            t->refused = false;
        }
    }
}

/* `at`: the call that fails, from 1; 0: none. error 0: it is killed there. `shown`, `said`: where the command's
 * standard output and standard error go. */
static ending run(char **command, const char *shown, const char *said, unsigned long at, int error) {
    ending e = {.number = -1};
    pid_t child = fork();
    if (child < 0)
        give_up("fork");
    if (child == 0) {
        int null = open("/dev/null", O_RDWR), to = open(said, O_WRONLY | O_CREAT | O_TRUNC, 0600);
        int out = open(shown, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        if (dup2(null, 0) < 0 || dup2(out, 1) < 0 || dup2(to, 2) < 0 || ptrace(PTRACE_TRACEME, 0, 0, 0) != 0)
            _exit(77);
        execv(command[0], command);
        _exit(126);
    }
    if (waitpid(child, &e.status, 0) != child)
        give_up("waitpid");
    if (WIFEXITED(e.status))
        exit(WEXITSTATUS(e.status));
    ptrace(PTRACE_SETOPTIONS, child, 0, PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE | PTRACE_O_EXITKILL);
    follow(&e, child, at, error);
    return e;
}

/* ---- Folders ---------------------------------------------------------------------------------------------------- */

static char *read_in(const char *folder, const char *name, size_t *size) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return read_all(path, size);
}

static bool same(const char *one, const char *other, const char *name) {
    size_t a = 0, b = 0;
    char *x = read_in(one, name, &a), *y = read_in(other, name, &b);
    bool equal = x && y && a == b && memcmp(x, y, a) == 0;
    free(x);
    free(y);
    return equal;
}

/* Calls `each` for the names of a folder; returns how many there are. */
static unsigned names_of(const char *folder, void (*each)(const char *name, void *user), void *user) {
    DIR *d = opendir(folder);
    unsigned count = 0;
    for (const struct dirent *e; d && (e = readdir(d)) != NULL;)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0) {
            count++;
            each(e->d_name, user);
        }
    if (d)
        closedir(d);
    return count;
}

typedef struct sweep {
    const char *out, *reference, *before, *input;
    const char *shown;   /* the file of `out` that has the standard output; NULL: none */
    unsigned left, torn; /* unfinished files, and others that are neither */
    bool whole;          /* all of the reference is there */
    char name[300];      /* of one that is torn */
} sweep;

static void drop(const char *name, void *user) {
    char path[PATH_MAX];
    snprintf(path, sizeof path, "%s/%s", ((sweep *)user)->out, name);
    unlink(path);
}

static void copy(const char *name, void *user) {
    sweep *s = user;
    char path[PATH_MAX];
    size_t size = 0;
    char *data = read_in(s->before, name, &size);
    snprintf(path, sizeof path, "%s/%s", s->out, name);
    FILE *f = fopen(path, "wb");
    if (!f || fwrite(data, 1, size, f) != size || fclose(f) != 0)
        give_up(path);
    free(data);
}

static void look(const char *name, void *user) {
    sweep *s = user;
    const char *dot = strrchr(name, '.');
    char whole[PATH_MAX];
    snprintf(whole, sizeof whole, "%s/%.*s", s->reference, (int)(dot ? dot - name : 0), name);
    bool unfinished = dot && dot > name && strlen(dot) == 7 && access(whole, F_OK) == 0;
    if (s->shown && strcmp(name, s->shown) == 0)
        return;
    if (strncmp(name, ".ilinject-", 10) == 0 || unfinished) {
        s->left++;
    } else if (!same(s->out, s->reference, name) && !same(s->out, s->before, name) && !same(s->out, s->input, name)) {
        s->torn++;
        snprintf(s->name, sizeof s->name, "%s", name);
    }
}

/* A file that was there before is still there, as it was or as it should be. */
static void find(const char *name, void *user) {
    sweep *s = user;
    if (!same(s->out, s->reference, name) && !same(s->out, s->before, name)) {
        s->torn++;
        snprintf(s->name, sizeof s->name, "%s (lost)", name);
    }
}

static void compare(const char *name, void *user) {
    sweep *s = user;
    s->whole &= same(s->out, s->reference, name);
}

static void reset(sweep *s) {
    mkdir(s->out, 0777);
    names_of(s->out, drop, s);
    names_of(s->before, copy, s);
}

/* Has `text` a line that `usual` has not? */
static bool has_more(const char *text, const char *usual) {
    for (const char *line = text, *end; *line; line = end) {
        end = strchrnul(line, '\n');
        end += *end != 0;
        if (!memmem(usual, strlen(usual), line, (size_t)(end - line)))
            return true;
    }
    return false;
}

int main(int argc, char **argv) {
    static const int errors[] = {EIO, ENOSPC, EACCES, EINTR};
    if (argc < 7)
        return 2;
    bool kills = strcmp(argv[1], "kill") == 0;
    sweep s = {.out = argv[2], .reference = argv[3], .before = argv[4], .input = argv[5]};
    char **command = argv + 6, shown[PATH_MAX] = "/dev/null";
    if (*command[0] == '>') {
        s.shown = command[0] + 1;
        snprintf(shown, sizeof shown, "%s/%s", s.out, s.shown);
        command++;
    }
    char said[] = "said.XXXXXX";
    close(mkstemp(said));
    reset(&s);
    ending all = run(command, shown, said, 0, 0);
    s.whole = true;
    names_of(s.reference, compare, &s);
    if (!WIFEXITED(all.status) || WEXITSTATUS(all.status) != 0 || !s.whole || all.calls == 0) {
        puts("the run that nobody disturbs fails, or gives something else");
        return 1;
    }
    size_t usual_size;
    char *usual = read_all(said, &usual_size);
    if (!usual)
        give_up(said);
    unsigned long runs = 0, failed = 0, at = 0;
    for (bool reached = true; reached;) {
        at++;
        reached = false;
        for (size_t i = 0; i < (kills ? 1 : sizeof errors / sizeof errors[0]); i++) {
            int error = kills ? 0 : errors[i];
            reset(&s);
            ending e = run(command, shown, said, at, error);
            s.left = s.torn = 0;
            s.whole = true;
            names_of(s.out, look, &s);
            names_of(s.before, find, &s);
            names_of(s.reference, compare, &s);
            bool by_signal = WIFSIGNALED(e.status);
            int code = WIFEXITED(e.status) ? WEXITSTATUS(e.status) : -1;
            bool right = s.torn == 0 && (kills ? by_signal || code == 0 : !by_signal && code >= 0 && code <= 1);
            /* A name that cannot be removed is removed by the next run. */
            size_t size;
            char *text = read_all(said, &size);
            if (!text)
                give_up(said);
            bool told = has_more(text, usual);
            right = right && (code != 0 || s.whole || told) && (kills || s.left == 0 || e.number == SYS_unlink);
            right = right && (e.number >= 0 || (code == 0 && s.whole));
            right = right && (code != 0 || !strstr(text, ": error"));
            reached |= e.number >= 0;
            runs += e.number >= 0;
            failed += code != 0;
            if (!right) {
                printf("call %lu of about %lu (number %ld), %s: exit %d, signal %d, %u unfinished files, %u torn: %s, "
                       "said:\n%s\n",
                       at, all.calls, e.number, kills ? "killed" : strerror(error), code,
                       by_signal ? WTERMSIG(e.status) : 0, s.left, s.torn, s.torn ? s.name : "", text);
                return 1;
            }
            free(text);
        }
    }
    free(usual);
    unlink(said);
    printf("%lu calls, %lu runs, of which %lu %s\n", at - 1, runs, failed, kills ? "were killed" : "failed");
    return failed > 0 ? 0 : 1;
}
#endif
