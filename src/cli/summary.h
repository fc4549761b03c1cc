/* summary.h - what `ilinject instrument` says about the inputs it is done with, for people and for machines. */
#ifndef ILINJECT_CLI_SUMMARY_H
#define ILINJECT_CLI_SUMMARY_H

#include "console.h"

typedef struct file_result {
    const char *input;
    const char *output;        /* as it was asked for */
    const char *input_name;    /* what it is called; NULL: by its path. In an archive ARCHIVE/ENTRY */
    const char *output_name;   /* the same */
    struct archived *archived; /* the archive that it is in; NULL: none */
    ilj_summary summary;
    uint64_t elapsed_ns;
    bool in_folder;       /* one of those in a folder that was given */
    bool output_is_named; /* by the user, to the last part: a link there is followed */
} file_result;

typedef struct folder_result {
    const char *input, *output; /* one pointer: in its own place */
    const size_t *counts;       /* by ilj_entry_kind */
} folder_result;

/* How the results are reported. */
typedef struct summary_style {
    bool in_place;
    bool dry_run;
    bool verbose;
} summary_style;

/* One line about one input; with `verbose` a second one. Nothing about a failed input: its diagnostic said it. */
void summary_text(console *c, const file_result *result, summary_style style);
/* The closing line of several inputs, which took `ns` together. */
void summary_total(console *c, const file_result *results, size_t count, uint64_t ns);
/* One line about a folder. */
void summary_folder(console *c, const folder_result *folder, summary_style style);
/* All of it as one JSON object. */
void summary_json(console *c, const file_result *results, size_t count, const folder_result *folders,
                  size_t folder_count, summary_style style);

#endif
