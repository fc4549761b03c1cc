#include "output/out_file.h"

#include "pe/writer.h"
#include "platform/os.h"

#include <stdlib.h>

/* The buffer stays in the processor's cache, and a fresh page costs ten times what copying it does. */
enum { STAGE_BYTES = 1 << 17, LONG_BYTES = 1 << 12, MOST_BYTES = 1 << 18, MOST_PARTS = 60 };

/* Short runs are copied into a buffer; long ones stay where they are. */
typedef struct stage {
    os_output *file;
    uint8_t *data;
    size_t used, size;
    size_t open;             /* what is in the buffer from here on is no part yet */
    bytes parts[MOST_PARTS]; /* to be written next; each but the last one has an even number of bytes */
    size_t count, long_bytes;
    bool sums;
    pe_sum sum;
} stage;

static void close_part(stage *s) {
    if (s->used > s->open)
        s->parts[s->count++] = bytes_of(s->data + s->open, s->used - s->open);
    s->open = s->used;
}

/* Writes what is there. */
static ecma_status pass_on(stage *s) {
    close_part(s);
    for (size_t i = 0; s->sums && i < s->count; i++)
        pe_sum_add(&s->sum, s->parts[i].data, s->parts[i].size);
    ecma_status status = os_output_append(s->file, s->parts, s->count);
    s->used = s->open = s->count = s->long_bytes = 0;
    return status;
}

/* An even number of bytes stands before it. */
static ecma_status take_long(stage *s, const uint8_t *data, size_t size) {
    close_part(s);
    s->parts[s->count++] = bytes_of(data, size);
    s->long_bytes += size;
    return s->long_bytes >= MOST_BYTES || s->count >= MOST_PARTS - 2 ? pass_on(s) : ECMA_OK;
}

static ecma_status take(void *user, const uint8_t *data, size_t size) {
    stage *s = user;
    ecma_status status = ECMA_OK;
    if (size < LONG_BYTES && size < s->size - s->used) { /* most are so */
        copy_run(s->data + s->used, data, size);
        s->used += size;
        return ECMA_OK;
    }
    while (size > 0 && !status) {
        size_t part = s->size - s->used;
        if (size >= LONG_BYTES && s->used % 2 == 0) {
            part = size & ~(size_t)1;
            status = take_long(s, data, part);
        } else {
            part = size >= LONG_BYTES ? 1 : size < part ? size : part;
            memcpy(s->data + s->used, data, part);
            s->used += part;
            if (s->used == s->size)
                status = pass_on(s);
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
    if ((status = rewritten_runs(r, take, &s)) == ECMA_OK && (status = pass_on(&s)) == ECMA_OK && checksum_at != 0)
        status = write_checksum(&s, r, checksum_at);
    ecma_status closed = os_output_close(s.file, status == ECMA_OK);
    free(s.data);
    return status ? status : closed;
}
