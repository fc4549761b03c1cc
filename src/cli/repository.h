/* repository.h - the folder of the repository that a command is called in. */
#ifndef ILINJECT_CLI_REPOSITORY_H
#define ILINJECT_CLI_REPOSITORY_H

/* The folder with .git at or above the current one, else that one itself, for the caller to free; NULL: it is not
 * known. */
char *repository_root(void);

#endif
