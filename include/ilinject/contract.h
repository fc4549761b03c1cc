/* ilinject/contract.h - runs compared: profiles with profiles (docs/diff.md), and with their counts as a text file
 * (docs/tasks/contract.md). */
#ifndef ILINJECT_CONTRACT_H
#define ILINJECT_CONTRACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __ELF__
#pragma GCC visibility push(default)
#endif

/* The last three have the conditions alone, as findings: SARIF 2.1.0, annotations of GitHub, GitLab's Code Quality. */
typedef enum ilj_diff_format {
    ILJ_DIFF_TEXT,
    ILJ_DIFF_MARKDOWN,
    ILJ_DIFF_JSON,
    ILJ_DIFF_SARIF,
    ILJ_DIFF_GITHUB,
    ILJ_DIFF_GITLAB,
} ilj_diff_format;

typedef struct ilj_diff_options {
    size_t size; /* sizeof(ilj_diff_options) */
    ilj_diff_format format;
    bool by_path;               /* the paths of calls instead of the methods */
    bool inclusive;             /* judge and sort by inclusive time instead of exclusive */
    bool raw;                   /* times as recorded, with what the probes cost */
    uint32_t top;               /* rows; 0: all */
    unsigned width;             /* columns of the terminal; 0: unlimited */
    bool color;                 /* ANSI colours */
    bool allow_missing;         /* a condition with a pattern that names no method passes, with a warning */
    const char *const *fail_if; /* conditions, each "PATTERN: METRIC > LIMIT [and LIMIT]..." (docs/diff.md) */
    size_t fail_if_count;
    const char *root; /* of findings: folder of the repository, to which paths are made relative; NULL: not known */
} ilj_diff_options;

/* Compares profiles of runs before with those of runs after, and writes what takes longer or less, and why. *failed:
 * a condition of `fail_if` held; a diagnostic names each method for which it did (ILJ0608). A condition that names no
 * method has failed, too (ILJ0609; ILJ0611 with allow_missing). Returns ILJ_OK, ILJ_CONFIG (a condition is wrong),
 * ILJ_BAD_FILE, ILJ_UNSUPPORTED, ILJ_IO, ILJ_NO_MEMORY. There are nine parameters, since two lists and a writer take
 * two each. */
ilj_status ilj_diff(bool *failed, ilj_context *context, const char *const *before, size_t before_count,
                    const char *const *after, size_t after_count, const ilj_diff_options *options, ilj_write_fn *write,
                    void *user);

typedef struct ilj_baseline_options {
    size_t size;          /* sizeof(ilj_baseline_options) */
    const char *previous; /* a baseline; the new one takes its rules and comments over; NULL: none */
} ilj_baseline_options;

/* Writes a baseline of the profiles, each one run of the same program: of each method the calls, the calls that it
 * makes, the bytes and the exceptions, as far as they were recorded, or what these lay between. Returns ILJ_OK,
 * ILJ_BAD_FILE, ILJ_UNSUPPORTED, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_baseline(ilj_context *context, const char *const *profiles, size_t profile_count,
                        const ilj_baseline_options *options, ilj_write_fn *write, void *user);

typedef enum ilj_check_format {
    ILJ_CHECK_TEXT,
    ILJ_CHECK_MARKDOWN, /* for a comment of a pull request */
    ILJ_CHECK_SARIF,    /* 2.1.0 */
    ILJ_CHECK_GITHUB,   /* workflow commands: an annotation each */
    ILJ_CHECK_GITLAB,   /* a Code Quality report */
} ilj_check_format;

typedef struct ilj_check_options {
    size_t size; /* sizeof(ilj_check_options) */
    ilj_check_format format;
    uint32_t top;               /* of text and Markdown: changes of each kind; 0: all */
    bool color;                 /* ANSI colours */
    const char *root;           /* folder of the repository, to which paths are made relative; NULL: not known */
    const char *const *sources; /* as of ilj_report_options */
    size_t source_count;
} ilj_check_options;

/* Compares what the profiles' runs did with a baseline, and writes what changed and where the call trees part.
 * *changed: something has, beyond what the baseline's rules allow; a diagnostic counts it (ILJ0632). Returns ILJ_OK,
 * ILJ_BAD_FILE, ILJ_UNSUPPORTED, ILJ_IO, ILJ_NO_MEMORY. */
ilj_status ilj_check(bool *changed, ilj_context *context, const char *baseline, const char *const *profiles,
                     size_t profile_count, const ilj_check_options *options, ilj_write_fn *write, void *user);

#ifdef __ELF__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
