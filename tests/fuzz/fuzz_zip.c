/* Zip archives of any bytes: read, or refused in one word; what is read keeps to what zip.h says, and unpacks or is
 * refused. */
#include <stdlib.h>

#include <libdeflate.h>

#include "mutate_zip.h"
#include "package/zip.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *user, const char *file, diag_severity severity, diag_code code, const char *text) {
    (void)file;
    (void)code;
    *(unsigned *)user += severity == DIAG_ERROR && text[0] != 0;
}

static void check_view(const zip_view *z) {
    uint64_t end = 0;
    for (size_t i = 0; i < z->count; i++) {
        const zip_entry *e = z->by_offset[i];
        if (e->local < end || e->data < e->local || e->packed_bytes > e->end - e->data || e->end > z->directory)
            abort();
        end = e->data + e->packed_bytes;
        if ((!e->is_folder || strcmp(e->path, ".") != 0) && zip_path_problem(e->path))
            abort();
        if (i > 0 && strcmp(z->by_path[i - 1]->path, z->by_path[i]->path) >= 0)
            abort();
        if (zip_find(z, e->path) != e || !zip_find_any_case(z, e->path))
            abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned errors = 0;
    diag d = {.sink = count, .user = &errors, .file = "x.zip"};
    zip_view z;
    ecma_status status = zip_read(&z, &d, bytes_of(data, size));
    if ((status != ECMA_OK) != (errors > 0) || errors > 1)
        abort();
    if (status == ECMA_OK) {
        uint64_t left = zip_most_unpacked(&z);
        check_view(&z);
        for (size_t i = 0; i < z.count; i++) {
            buffer content = BUFFER_INIT;
            errors = 0;
            status = zip_unpack(&content, &d, &z, &z.entries[i], &left);
            if ((status != ECMA_OK) != (errors > 0) || (status == ECMA_OK && content.size != z.entries[i].bytes))
                abort();
            if (status == ECMA_OK && libdeflate_crc32(0, content.data, content.size) != z.entries[i].crc)
                abort();
            buffer_clear(&content);
        }
    }
    zip_clear(&z);
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed) {
    return mutate_either(zip_mutate, data, size, most, seed);
}
