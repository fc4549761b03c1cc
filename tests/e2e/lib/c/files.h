/* files.h - what the programs that run another one again and again share: whole files, and an end when the machine fails. */
#ifndef FILES_H
#define FILES_H

#include <stdio.h>
#include <stdlib.h>

static _Noreturn void give_up(const char *what) {
    perror(what);
    exit(2);
}

/* The file's bytes, with a 0 after them, to be freed; NULL: it can't be opened. */
static char *read_all(const char *path, size_t *size) {
    FILE *f = fopen(path, "rb");
    if (!f)
        return NULL;
    fseek(f, 0, SEEK_END);
    *size = (size_t)ftell(f);
    rewind(f);
    char *data = malloc(*size + 1);
    if (!data || fread(data, 1, *size, f) != *size)
        give_up(path);
    data[*size] = 0;
    fclose(f);
    return data;
}

#endif
