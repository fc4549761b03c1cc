#include "report/model/model.h"
#include "report/print/format.h"

void thread_describe(buffer *b, const report *r, const report_thread *t) {
    const profile_run *run = &r->profiles[t->run].run;
    if (t->merged) {
        buffer_printf(b, "%s thread%s", format_count(t->count).text, t->count == 1 ? "" : "s");
        buffer_string(b, t->name.size > 0 ? " " : " without a name");
        buffer_append(b, t->name.data, t->name.size);
    } else if (t->id == 0) {
        buffer_printf(b, "Ended threads (%s)", format_count(t->count).text);
    } else {
        buffer_printf(b, "Thread %llu", (unsigned long long)t->id);
        if (t->name.size > 0)
            buffer_u8(b, ' ');
        buffer_append(b, t->name.data, t->name.size);
    }
    if (r->profile_count > 1 && !run->merged) {
        buffer_string(b, " of ");
        buffer_append(b, run->name.data, run->name.size);
        buffer_printf(b, ", process %llu", (unsigned long long)run->pid);
    }
}
