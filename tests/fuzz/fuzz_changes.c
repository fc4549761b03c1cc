/* Unified diffs of any bytes: read whole or refused with a word and a line that the diff has, and lines of files that
 * it names, in ascending order of files. */
#include <stdlib.h>

#include "report/view/changes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    changes c = {0};
    const char *fault = NULL;
    uint32_t line = 0, lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    ecma_status status = changes_read(&c, (bytes){data, size}, &fault, &line);
    bool fine = status == ECMA_NO_MEMORY || (status == ECMA_CONFIG && fault && line > 0 && line <= lines + 1) ||
                (status == ECMA_OK && !fault);
    for (uint32_t i = 0; i < c.line_count && fine; i++)
        fine = c.lines[i].file < c.file_count && (i == 0 || c.lines[i - 1].file <= c.lines[i].file);
    for (uint32_t i = 0; i < c.file_count && fine; i++)
        fine = c.files[i].path.size == 0 ||
               (c.files[i].path.data >= data && c.files[i].path.data + c.files[i].path.size <= data + size);
    changes_clear(&c);
    if (!fine)
        abort();
    return 0;
}
