/* dump.h - the parts of a dump. A dump is lines: the same bytes in give the same lines out, a broken part shows as
 * `<bad …>` in its place, and what follows it is still shown. */
#ifndef ILINJECT_DUMP_DUMP_H
#define ILINJECT_DUMP_DUMP_H

#include "dump/dumper.h"

void dump_headers(dumper *d);
void dump_heaps(dumper *d);
void dump_tables(dumper *d);
void dump_il(dumper *d);
/* The tables of ReadyToRun; where there are none, a line that says so, if they were asked for. */
void dump_native(dumper *d, bool asked);

#endif
