#include "output/out_file.h"

#include "pe/writer.h"
#include "platform/os.h"

#include <stdlib.h>

/* The buffer stays in the processor's cache, and a fresh page costs ten times what copying it does. */
enum { STAGE_BYTES = 1 << 17, LONG_BYTES = 1 << 16 }; /* at most; at least */

typedef struct stage {
    os_output *file;
    uint8_t *data; /* an even number of bytes was written before */
    size_t used, size;
    bool sums;
    pe_sum sum;
} stage;

/* Writes what is in the buffer and what follows it. */
static ecma_status pass_on(stage *s, const uint8_t *data, size_t size) {
    const bytes parts[] = {bytes_of(s->data, s->used), bytes_of(data, size)};
    for (size_t i = 0; s->sums && i < 2; i++)
        pe_sum_add(&s->sum, parts[i].data, parts[i].size);
    s->used = 0;
    return os_output_append(s->file, parts, 2);
}

static ecma_status take(void *user, const uint8_t *data, size_t size) {
    stage *s = user;
    ecma_status status = ECMA_OK;
    while (size > 0 && !status) {
        size_t part = s->size - s->used;
        if (size >= LONG_BYTES && s->used % 2 == 0) {
            part = size & ~(size_t)1;
            status = pass_on(s, data, part);
        } else {
            part = size >= LONG_BYTES ? 1 : size < part ? size : part;
            memcpy(s->data + s->used, data, part);
            s->used += part;
            if (s->used == s->size)
                status = pass_on(s, NULL, 0);
        }
        data += part;
        size -= part;
    }
    return status;
}

static ecma_status write_checksum(const stage *s, const rewritten *r, size_t checksum_at) {
    uint8_t field[4];
    store_u32(field, pe_sum_checksum(&s->sum, load_u32(r->out.data + checksum_at), checksum_at));
    return os_output_patch(s->file, checksum_at, bytes_of(field, sizeof field));
}

ecma_status out_file_write(diag *d, const char *path, const rewritten *r, size_t checksum_at, const char *like) {
    const size_t whole = (r->out.size + 1) & ~(size_t)1; /* all of a small file is written at once */
    stage s = {.size = whole < STAGE_BYTES ? whole : STAGE_BYTES, .sums = checksum_at != 0};
    s.data = malloc(s.size);
    ecma_status status = s.data ? os_output_open(&s.file, d, path, like, OS_FOLLOW) : diag_no_memory(d);
    if (status) {
        free(s.data);
        return status;
    }
    if ((status = rewritten_runs(r, take, &s)) == ECMA_OK && (status = pass_on(&s, NULL, 0)) == ECMA_OK &&
        checksum_at != 0)
        status = write_checksum(&s, r, checksum_at);
    ecma_status closed = os_output_close(s.file, status == ECMA_OK);
    free(s.data);
    return status ? status : closed;
}
