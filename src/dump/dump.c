#include "dump/dump.h"
#include "input/budget.h"

ilj_status ilj_image_dump(ilj_image *image, unsigned parts, ilj_write_fn *write, void *user) {
    uint64_t most = budget_shown(image->bare ? image->map.content.size : image->pe.file.size);
    dumper d = {.image = image, .view = &image->metadata, .out = TEXT_OUT_INIT(write, user, most)};
    d.b = &d.out.b;
    if (parts & ILJ_DUMP_HEADERS)
        dump_headers(&d);
    if (parts & ILJ_DUMP_TABLES)
        dump_tables(&d);
    if (parts & ILJ_DUMP_HEAPS)
        dump_heaps(&d);
    if (parts & ILJ_DUMP_IL)
        dump_il(&d);
    if (parts & ILJ_DUMP_READY_TO_RUN)
        dump_native(&d, parts == ILJ_DUMP_READY_TO_RUN);
    ilj_status status = text_out_finish(&d.out, &image->diag);
    if (d.scratch.failed || d.no_memory)
        status = ILJ_NO_MEMORY;
    buffer_clear(&d.scratch);
    if (status == ILJ_NO_MEMORY)
        diag_no_memory(&image->diag);
    if (status == ILJ_OK && d.broken)
        status = diag_report(&image->diag, DIAG_BAD_PARTS,
                             "%u places cannot be read; the text shows each as <bad ...>, the first: %s", d.broken,
                             d.first_bad);
    return status;
}
