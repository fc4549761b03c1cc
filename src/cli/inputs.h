/* inputs.h - what `ilinject instrument` works on: its operands, the assemblies of folders and archives among them, and
 * where each goes. */
#ifndef ILINJECT_CLI_INPUTS_H
#define ILINJECT_CLI_INPUTS_H

#include "command.h"
#include "summary.h"

/* An archive that is worked on. */
typedef struct archived {
    ilj_archive *archive; /* NULL: it could not be opened */
    char *folder;         /* where it is unpacked */
    size_t left;          /* of its assemblies: not done yet */
    size_t failed;        /* of those that are done */
    size_t refused;       /* of all: single-file programs, and what cannot be read */
    bool output_is_named; /* by the user, to the last part */
} archived;

typedef struct inputs {
    file_result *files;     /* those of folders in the order of their names */
    size_t work, count;     /* those from `work` on are refused already: single-file programs */
    folder_result *folders; /* archives are among them */
    ilj_folder **read;      /* one for each of the folders; NULL: an archive */
    size_t folder_count;
    archived **archives;
    size_t archive_count;
    bool dry_run;
    char *temporary; /* the folder that archives are unpacked in; NULL: there is none */
    console_alias *aliases;
    bool failed;       /* a folder or archive could not be read or written whole; told */
    size_t written;    /* of the files: done without a fault */
    bool copy_failed;  /* some of what stays as it is could not be copied */
    const char **made; /* folders that were made for outputs, each the outermost */
    size_t made_count;
    char **owned;
    size_t owned_count;
} inputs;

typedef struct input_options {
    const char *output; /* NULL: each in its own place */
    bool all;           /* every assembly of a folder, not its own alone */
    bool dry_run;
} input_options;

/* The rest that archives.c needs. */

/* FOLDER/NAME, `size` bytes of the name; kept until inputs_free. NULL: memory ran out. */
const char *inputs_joined(inputs *in, const char *folder, const char *name, size_t size);
/* false: memory ran out. */
bool inputs_add_folder(inputs *in, const folder_result *folder, ilj_folder *read);
/* Opens and unpacks one archive, whose parts become folders. Returns the value to exit with; an archive that cannot be
 * read is told, counts as failed, and has no folders. */
int inputs_open_archive(inputs *in, console *c, ilj_context *context, const char *input, const char *output, bool all);
/* Is it a zip beside an archive that is opened, and comes with that? */
bool inputs_is_part(const inputs *in, const char *path);
/* Adds the files of the archive whose first part is the folder `first`. Returns how many folders they are in; 0: memory
 * ran out. */
size_t inputs_list_archive(inputs *in, size_t first, size_t *refused);

/* Refuses outputs that are in each other's way, reads the folders and makes the one to write to. The strings are the
 * operands' or the inputs' own. Returns the value to exit with; free in any case. */
int inputs_make(inputs *in, console *c, ilj_context *context, arguments operands, const input_options *options);

/* Removes the folders that this run has made for its outputs. */
void inputs_remove_made(const inputs *in);

/* Copies what stays as it is of each folder to its output, and removes what a run that was killed has left. */
void inputs_copy_folders(inputs *in, console *c, ilj_context *context);

/* Writes the archives that have nothing to be instrumented. */
void inputs_begin_archives(inputs *in, console *c, ilj_context *context);
/* One file is done: an archive is written, or given up, behind its last one. */
void inputs_file_done(inputs *in, console *c, ilj_context *context, const file_result *file, bool failed);

void inputs_free(inputs *in);

#endif
