/* dumper.h - what the parts of a dump share: where its lines go, and how single values are written. */
#ifndef ILINJECT_DUMP_DUMPER_H
#define ILINJECT_DUMP_DUMPER_H

#include "dump/text_out.h"
#include "input/image.h"

typedef struct dumper {
    const struct ilj_image *image;
    const md_view *view;
    text_out out;
    buffer *b; /* of `out` */
    buffer scratch;
    uint32_t broken; /* places that cannot be read */
    char first_bad[80];
    bool no_memory;
} dumper;

/* Says that something cannot be read, and remembers it for the dump's status. */
void dumper_bad(dumper *d, const char *what, uint32_t value);
/* The same without the words in the text. */
void dumper_count_bad(dumper *d, const char *what, uint32_t value);
/* `[01 02 03]`; past `most` bytes `[01 02 … +7]`. */
void dumper_hex(dumper *d, bytes data, size_t most);
/* A GUID as it is usually written. */
void dumper_guid(dumper *d, bytes guid);
/* A name made by metadata/names.h in d->scratch. */
void dumper_scratch(dumper *d);

#endif
