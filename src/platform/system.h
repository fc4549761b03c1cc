/* system.h - all that the command line asks the operating system. */
#ifndef ILINJECT_PLATFORM_SYSTEM_H
#define ILINJECT_PLATFORM_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* The arguments as UTF-8 where the system has them in another form, and terminals that know colours. Before all else.
 * False: memory ran out. */
bool system_start(int *argc, char ***argv);

/* Text in UTF-8 for a standard stream. That for the output waits until there is much of it, or system_flush. A terminal
 * gets whole characters. Return 0, or the errno of a write that failed; EPIPE: its reader went away. */
typedef enum system_stream { SYSTEM_OUTPUT, SYSTEM_ERROR } system_stream;
int system_put(system_stream to, const char *text, size_t length);
int system_flush(void);

/* The abilities that a system may lack. */
typedef enum system_ability {
    SYSTEM_PROCESSES, /* to run programs */
    SYSTEM_THREADS,   /* to do more than one thing at a time */
    SYSTEM_FRAMEWORK, /* to start programs of .NET Framework as any other */
} system_ability;
bool system_can(system_ability ability);
bool system_output_is_terminal(void);
bool system_error_is_terminal(void);
/* Columns for standard output: the terminal's, else $COLUMNS, else 120. */
unsigned system_width(void);
/* Rows of the terminal that standard output is, else $LINES, else 24. */
unsigned system_height(void);
void system_ignore_broken_pipes(void);
/* From here on SIGINT, SIGTERM and SIGHUP, unless they are ignored, do not end the program but are counted, and a file
 * that grows past a limit is an error of the write. */
void system_count_endings(void);
unsigned system_endings(void);
/* False: there is no randomness to be had. */
bool system_random(void *bytes, size_t size);
/* True if users other than the owner may read this file; false for a pipe. */
bool system_others_read(FILE *file);
/* Nanoseconds of a clock that never goes back. */
uint64_t system_now_ns(void);

/* The rights that system_confine took from the process. */
typedef enum system_confined {
    SYSTEM_CONFINED_FILES = 1,      /* it opens only what lies below the folder, and connects to nothing */
    SYSTEM_CONFINED_PRIVILEGES = 2, /* of root's it has those alone that concern files */
    SYSTEM_CONFINED_CALLS = 4,      /* it starts no program, looks into no process, changes nothing of the kernel's */
} system_confined;

/* Takes from the calling thread, for good, and from those that it starts later, what a server that has begun does not
 * need. Files and sockets that are open stay so. One that `connects` may do so, and only reads the folder and what says
 * which address a name has. Returns the system_confined that hold: what a system lacks is left out. */
unsigned system_confine(const char *folder, bool connects);

/* ---- Processes -------------------------------------------------------------------------------------------------- */

/* From here on the signals that end a program wait, until system_run passes them on. */
void system_hold_signals(void);

/* If one of them is waiting, removes the folder (NULL: none), and ends the process by the signal. */
void system_end_if_told(const char *folder);

/* A run that is not seen: a few times a second `still_runs` is called. */
typedef struct system_unseen {
    void (*still_runs)(void *user);
    void *user;
    bool without_input;    /* it gets nothing from this process's standard input, whatever that is */
    const bool *is_to_end; /* NULL, or what `still_runs` sets when the command is to be ended */
} system_unseen;

/* Runs a command, looked for along $PATH, with this process's environment, input and outputs, and waits for its end.
 * Signals that are sent to this process go to it; those of the terminal reach it by themselves. Returns 0, *value being
 * what it ended with, 128 + N when signal N has ended it or came before it was started; or an errno: it could not be
 * started. Afterwards these signals are ignored. `unseen`, if not NULL: its outputs go nowhere, it gets nothing from a
 * terminal, what it has read from a file can be read again, and signals wait afterwards as before, for another run. */
int system_run(char *const *command, const system_unseen *unseen, int *value);

/* After a run that was seen: signals wait as before, for another run. */
void system_run_another(void);

/* Says by what the last command was ended, "signal 15" or "Ctrl-C"; NULL: it ended by itself. The next command changes
 * the text. */
const char *system_ending(void);

/* How often the standard input can be read. */
typedef enum system_input {
    SYSTEM_INPUT_TWICE,  /* it is a file, a terminal, or was stored */
    SYSTEM_INPUT_ONCE,   /* it is a pipe, and is not stored here */
    SYSTEM_INPUT_LARGE,  /* a pipe with more than 64 MB, or than the disk takes */
    SYSTEM_INPUT_SILENT, /* a pipe from which nothing has come for 2 s, not its end either */
    SYSTEM_INPUT_LOST,   /* a part of it was read, and cannot be given on: errno */
} system_input;

/* Stores what comes from a pipe in a file without a name, which becomes the standard input; `folder` is one for
 * temporary files. What is not stored whole comes from another pipe, as it came. */
system_input system_keep_input(const char *folder);

/* The path of a command along $PATH, wherever symbolic links lead, for the caller to free; NULL: there is none, or the
 * word has a slash. */
char *system_command_path(const char *word);

/* Sets a variable of this process's environment; false: memory ran out. */
bool system_set_variable(const char *name, const char *value);
const char *system_variable(const char *name); /* NULL: not set */

/* ---- Threads --------------------------------------------------------------------------------------------------- */

/* How many processors this process may use; at least 1. */
unsigned system_processors(void);

/* From now on, memory of some size goes back to the system when it is freed, whichever thread did so: else each
 * thread's heap keeps what its largest input took (a third more, for a twentieth of the time). */
void system_return_memory(void);

typedef struct system_threads system_threads;

/* Has up to `count` threads call work(user). They let every signal go to the thread that started them, so that it alone
 * need hold back those that come at a bad time. Returns how many there are: fewer when the system gives no more. 0:
 * *threads is untouched. */
unsigned system_threads_start(system_threads **threads, unsigned count, void (*work)(void *user), void *user);
/* Waits until all of them have come back, and frees. */
void system_threads_join(system_threads *threads);

/* One thread at a time is inside; system_monitor_wait leaves it until another one says that something has changed, and
 * may also come back without. */
typedef struct system_monitor system_monitor;

/* NULL: memory ran out. */
system_monitor *system_monitor_new(void);
void system_monitor_free(system_monitor *m);
void system_monitor_enter(system_monitor *m);
void system_monitor_leave(system_monitor *m);
void system_monitor_wait(system_monitor *m);
/* Wakes all that wait. */
void system_monitor_changed(system_monitor *m);

/* ---- Files ----------------------------------------------------------------------------------------------------- */

/* For reading, its bytes as they are; NULL: errno says why. */
FILE *system_open_file(const char *path);
/* 0 for what is no regular file. */
uint64_t system_file_bytes(const char *path);
/* These follow symbolic links. A file that nothing can be learned about exists, and is no directory. */
bool system_exists(const char *path);
bool system_is_directory(const char *path);
typedef enum system_kind { SYSTEM_NOTHING, SYSTEM_FOLDER, SYSTEM_OTHER } system_kind;
/* Learns what is at `path`, wherever a symbolic link leads. Returns 0, or the errno that keeps it from being learned.
 */
int system_look(const char *path, system_kind *kind);
/* Removes a symbolic link; what else stands there, and what a link leads to, stays. */
void system_drop_link(const char *path);
/* Both exist and are one file, whatever the paths. */
bool system_is_same_file(const char *a, const char *b);
/* True if `path`, which need not exist yet, is the folder itself or below it, wherever symbolic links lead. */
bool system_is_within(const char *path, const char *folder);
/* Makes the directory and those above it; one that is there already is fine. Returns 0 or an errno. */
int system_make_directories(const char *path);

/* The name of the folder's file that ends in `suffix` and was changed last (of equals the first by name), for the
 * caller to free, or NULL where there is none; `mine`: of those that belong to this user. *found is how many there are.
 * Returns 0 or an errno; then there is nothing to free. */
int system_newest_file(char **name, size_t *found, const char *folder, const char *suffix, bool mine);

/* The path of the newest file below the current folder that ends in `suffix` and is newer than the file `newer_than`
 * (NULL: none) and no older than the .dll and .exe beside it, for the caller to free, or NULL where there is none. It
 * looks one level down, and below bin two more. Returns 0 or ENOMEM. */
int system_newest_below(char **path, const char *newer_than, const char *suffix);

/* The path of the newest file with this ending in a folder, or as many levels below it, for the caller to free; NULL:
 * there is none. Returns 0 or ENOMEM. */
int system_newest_within(char **path, const char *folder, unsigned levels, const char *suffix);

/* The current folder's path, for the caller to free; NULL: it is gone, or memory ran out. */
char *system_current_folder(void);

/* Where temporary files go: $TMPDIR, else /tmp. */
const char *system_temporary_place(void);

/* The paths of the folder's files with names that end in `suffix`, in byte order, for the caller to free, each and all;
 * ended by NULL. Returns 0 or an errno; then there is nothing to free. */
int system_files(char ***paths, size_t *count, const char *folder, const char *suffix);

/* A new empty folder for this run alone, NAME.XXXXXX with a name that cannot be predicted, for the caller to free;
 * NULL: errno says why. */
char *system_temporary_folder(const char *name);
/* A path below `within` for a copy of the folder, for the caller to free; the folder that it names is not made. The
 * copy finds by relative paths what the original does: the folders above it have the names of the original's, up to six
 * that `within` is not in, and symbolic links to what stands there. Links that cannot be made are left out, and so are
 * those to the contents of large folders. Returns 0 or an errno; then there is nothing to free. */
int system_surround(char **place, const char *within, const char *folder);
/* Removes it with all in it; links, not what they lead to. */
void system_remove_folder(const char *path);

/* A result file that appears whole or not at all: written beside its place, for its owner alone, then renamed. Its
 * permissions are those of the file that it replaces, else the process's default. */
typedef struct result_file {
    FILE *file;
    char *path;
    char *temporary; /* NULL: written directly */
    int error;       /* errno of the first write that failed; 0: none */
    unsigned rights; /* that it gets in the end, where permissions are a set of bits */
} result_file;

typedef enum result_links {
    RESULT_FOLLOW, /* the user named the path: a symbolic link is followed; a file there that is no regular one (a pipe,
                      /dev/stdout) is written directly */
    RESULT_REPLACE, /* the program did: a link is replaced, what else is no regular file refused (EEXIST, EISDIR) */
} result_links;

/* Returns 0 or an errno. */
int result_file_open(result_file *r, const char *path, result_links links);
/* It is its owner's alone. */
void result_file_private(result_file *r);
/* It is made of the file `input`: who may not read that may not read it either. */
void result_file_within(result_file *r, const char *input);
/* An ilj_write_fn; `user` is the file. */
int result_file_write(void *user, const char *text, size_t length);
/* Ends the writing: `keep` puts the file in its place, else it is thrown away. Returns 0 or an errno, that of the first
 * write that failed before all. */
int result_file_close(result_file *r, bool keep);

#endif
