/* archives.h - archives among the inputs: unpacked into a folder of this run alone, written again when their assemblies
 * are done. */
#ifndef ILINJECT_CLI_ARCHIVES_H
#define ILINJECT_CLI_ARCHIVES_H

#include "input_list.h"

/* Opens and unpacks one archive; its parts become folders. Returns the value to exit with; an archive that cannot be
 * read is reported, counts as failed, and has no folders. */
int inputs_open_archive(inputs *in, console *c, ilj_context *context, const char *input, const char *output, bool all);
/* True for a zip beside an archive that is opened, when it comes with that. */
bool inputs_is_part(const inputs *in, const char *path);
/* Adds the files of the archive that has the folder `first` as its first part. Returns the number of folders; 0: memory
 * ran out. */
size_t inputs_list_archive(inputs *in, size_t first, size_t *refused);

/* Writes the archives that have nothing to be instrumented. */
void inputs_begin_archives(inputs *in, console *c, ilj_context *context);
/* One file is done: an archive is written, or given up, after its last one. */
void inputs_file_done(inputs *in, console *c, ilj_context *context, const file_result *file, bool failed);

#endif
