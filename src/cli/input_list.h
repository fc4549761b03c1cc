/* input_list.h - the list of what is worked on, which inputs.c and archives.c fill. */
#ifndef ILINJECT_CLI_INPUT_LIST_H
#define ILINJECT_CLI_INPUT_LIST_H

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
    bool failed;       /* a folder or archive could not be read or written whole; reported */
    size_t written;    /* of the files: done without a fault */
    bool copy_failed;  /* some of what stays as it is could not be copied */
    const char **made; /* folders that were made for outputs, each the outermost */
    size_t made_count;
    char **owned;
    size_t owned_count;
} inputs;

/* FOLDER/NAME, `size` bytes of the name; kept until inputs_free. NULL: memory ran out. */
const char *inputs_joined(inputs *in, const char *folder, const char *name, size_t size);
/* false: memory ran out. */
bool inputs_add_folder(inputs *in, const folder_result *folder, ilj_folder *read);

#endif
