/* lists.h - operands by the thousand: @FILE stands for the names that FILE holds, @- for those on standard input. */
#ifndef ILINJECT_CLI_LISTS_H
#define ILINJECT_CLI_LISTS_H

#include "options.h"

typedef struct name_list {
    char **items;
    size_t count, capacity;
    char **contents; /* contents of the files that were read; names point into them, or are their own */
    size_t content_count;
} name_list;

/* Puts the names together that `operands` mean, in their order. A list has one name a line, or, when there is a zero
 * byte in it, one before each of these (`find -print0`); empty ones are passed over. Returns 0, or an errno, with
 * *failed the operand; the list is to be freed in any case. */
int name_list_make(name_list *list, const char **failed, const arguments *operands);
/* The same, but that a folder among the operands stands for its files with names that end in `suffix`, in byte order,
 * and @ has no meaning of its own. ENOENT: a folder has no such file. */
int name_list_of_files(name_list *list, const char **failed, const arguments *operands, const char *suffix);
void name_list_free(name_list *list);

#endif
