#include <stdlib.h>

#include "input/context.h"
#include "platform/os.h"
#include "report/merge/merge.h"

/* The public side of merging. */

struct ilj_merge {
    ilj_context *context;
    merge sum;
    ilj_status broken; /* ILJ_OK, or what ended it */
};

ilj_status ilj_merge_new(ilj_merge **made, ilj_context *context) {
    ilj_merge *m = calloc(1, sizeof *m);
    if (!m)
        return ILJ_NO_MEMORY;
    m->context = context;
    *made = m;
    return ILJ_OK;
}

void ilj_merge_free(ilj_merge *m) {
    if (!m)
        return;
    merge_clear(&m->sum);
    free(m);
}

ilj_status ilj_merge_add(ilj_merge *m, const char *path) {
    if (m->broken)
        return m->broken;
    diag d = context_diag(m->context, path);
    os_map map = OS_MAP_INIT;
    ecma_status status = os_read_file(&map, &d, path);
    profile p = {.used = os_discard};
    if (status == ECMA_OK) {
        status = profile_read(&p, map.content, &d);
        if (status == ECMA_OK) {
            status = merge_add(&m->sum, &p, &d);
            if (status == ECMA_NO_MEMORY)
                m->broken = ILJ_NO_MEMORY;
            profile_clear(&p);
        }
        os_unmap(&map);
    }
    return status;
}

ilj_status ilj_merge_write(ilj_merge *m, ilj_write_fn *write, void *user) {
    if (m->broken)
        return m->broken;
    diag d = context_diag(m->context, "");
    buffer out = BUFFER_INIT;
    ecma_status status = merge_write(&out, &m->sum, &d);
    if (status == ECMA_OK && write(user, (const char *)out.data, out.size) != 0)
        status = ECMA_IO;
    buffer_clear(&out);
    return status;
}
