/* runs.h - the bytes of an output that is not in one piece: most stand in its buffer, some lie where they came from
 * until it is written. */
#ifndef ECMA335_BASE_RUNS_H
#define ECMA335_BASE_RUNS_H

#include "base/bytes.h"
#include "base/status.h"

/* Bytes that lie elsewhere, and where they are to stand. */
typedef struct borrowed_run {
    const uint8_t *data;
    uint32_t offset, size;
} borrowed_run;

/* Takes an output's bytes from first to last: each call has those that follow the last call's. */
typedef ecma_status runs_take_fn(void *user, const uint8_t *data, size_t size);

#endif
