#define _GNU_SOURCE

#include "serve_rows.h"

#include "platform/system.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DAY_BYTES = sizeof "2026-11-28", ENDING_BYTES = sizeof ".ilprof" - 1 };

/* Of PROGRAM-20261128T210406Z-7cec9438ce611676.ilprof. A run that says no start is of the day that its row has. */
static void find_day(char day[DAY_BYTES], const char *name) {
    enum { TAIL = sizeof "-20261128T210406Z-7cec9438ce611676.ilprof" - 1, DIGITS = 8 };
    const size_t size = strlen(name);
    const char *at = size > TAIL ? name + size - TAIL + 1 : "";
    if (strspn(at, "0123456789") == DIGITS && at[DIGITS] == 'T' && at[-1] == '-')
        snprintf(day, DAY_BYTES, "%.4s-%.2s-%.2s", at, at + 4, at + 6);
    else
        snprintf(day, DAY_BYTES, "1970-01-01");
}

/* The first error. */
static void keep_problem(void *user, const ilj_diagnostic *d) {
    char *problem = user;
    if (d->severity == ILJ_ERROR && !*problem)
        snprintf(problem, ILJ_PROBLEM_BYTES, "%s", d->text);
}

static ilj_status failed(char *problem, const char *what, int error) {
    snprintf(problem, ILJ_PROBLEM_BYTES, "%.300s: %s", what, strerror(error));
    return ILJ_IO;
}

bool serve_rows_open(console *c, const char *folder) {
    char *place = NULL;
    if (asprintf(&place, "%s/rows", folder) < 0) {
        console_error(c, "out of memory");
        return false;
    }
    const int error = system_make_directories(place);
    if (error)
        console_error(c, "%s cannot be made: %s", place, strerror(error));
    free(place);
    return error == 0;
}

static ilj_status write_rows(const char *profile, const char *rows, char *problem) {
    const ilj_report_options wanted = {.size = sizeof wanted, .format = ILJ_REPORT_ROWS};
    ilj_context *context = NULL;
    result_file file;
    int error = result_file_open(&file, rows, RESULT_REPLACE);
    if (error)
        return failed(problem, rows, error);
    result_file_within(&file, profile);
    ilj_status status = ilj_context_new(&context, keep_problem, problem);
    if (status == ILJ_OK)
        status = ilj_report(context, &profile, 1, &wanted, result_file_write, &file);
    ilj_context_free(context);
    error = result_file_close(&file, status == ILJ_OK);
    return error ? failed(problem, rows, error) : status;
}

ilj_status serve_rows_write(const char *folder, const char *name, char *problem) {
    char day[DAY_BYTES], *profile = NULL, *place = NULL, *rows = NULL;
    find_day(day, name);
    const int stem = (int)(strlen(name) - ENDING_BYTES);
    ilj_status status = ILJ_NO_MEMORY;
    if (asprintf(&profile, "%s/%s", folder, name) < 0)
        profile = NULL;
    if (asprintf(&place, "%s/rows/%s", folder, day) < 0)
        place = NULL;
    if (place && asprintf(&rows, "%s/%.*s.ndjson", place, stem, name) < 0)
        rows = NULL;
    if (profile && rows) {
        const int error = system_make_directories(place);
        status = error ? failed(problem, place, error) : write_rows(profile, rows, problem);
    }
    if (status == ILJ_NO_MEMORY)
        snprintf(problem, ILJ_PROBLEM_BYTES, "out of memory");
    free(rows);
    free(place);
    free(profile);
    return status;
}
