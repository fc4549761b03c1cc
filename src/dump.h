/* dump.h - what the parts of a dump share. A dump is lines: the same bytes in give the same lines out, a broken part
 * shows as `<bad …>` in its place, and what follows it is still shown. */
#ifndef ILINJECT_DUMP_H
#define ILINJECT_DUMP_H

#include "image.h"
#include "text_out.h"

typedef struct dumper {
    const struct ilj_image *image;
    const md_view *view;
    text_out out;
    buffer *b; /* of `out` */
    buffer scratch;
    bool broken;
    bool no_memory;
} dumper;

void dump_headers(dumper *d);
void dump_heaps(dumper *d);
void dump_tables(dumper *d);
void dump_il(dumper *d);

/* Says that something cannot be read, and remembers it for the dump's status. */
void dump_bad(dumper *d, const char *what, uint32_t value);
/* `[01 02 03]`; past `most` bytes `[01 02 … +7]`. */
void dump_hex(dumper *d, bytes data, size_t most);
/* A GUID as it is usually written. */
void dump_guid(dumper *d, bytes guid);
/* A name made by metadata/names.h in d->scratch. */
void dump_scratch(dumper *d);

#endif
