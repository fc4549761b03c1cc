/* system.h - all that the command line asks the operating system. */
#ifndef ILINJECT_CLI_SYSTEM_H
#define ILINJECT_CLI_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

bool system_output_is_terminal(void);
bool system_error_is_terminal(void);
/* Columns for standard output: the terminal's, else $COLUMNS, else 120. */
unsigned system_width(void);
void system_ignore_broken_pipes(void);
/* Nanoseconds of a clock that never goes back. */
uint64_t system_now_ns(void);

bool system_exists(const char *path);
bool system_is_directory(const char *path);
/* Makes the directory and those above it; one that is there already is fine. Returns 0 or an errno. */
int system_make_directories(const char *path);

/* The file of the current directory that ends in `suffix` and was changed last (of equals the first by name), for the
 * caller to free; *found is how many there are. NULL: none, or memory ran out. */
char *system_newest_file(size_t *found, const char *suffix);

/* A result file that appears whole or not at all: written beside its place, then renamed. What is there already and
 * is no regular file (a pipe, /dev/stdout) is written directly. */
typedef struct result_file {
    FILE *file;
    char *path;
    char *temporary; /* NULL: written directly */
} result_file;

/* Returns 0 or an errno. */
int result_file_open(result_file *r, const char *path);
/* Ends the writing: `keep` puts the file in its place, else it is thrown away. Returns 0 or an errno. */
int result_file_close(result_file *r, bool keep);

#endif
