/* status.h - what a function that can fail returns. The values are those of ilj_status in include/ilinject.h; src/
 * asserts that they agree. On failure out-parameters are untouched and the detail has been reported to the diag. */
#ifndef ECMA335_BASE_STATUS_H
#define ECMA335_BASE_STATUS_H

typedef enum ecma_status {
    ECMA_OK = 0,
    ECMA_BAD_FILE,    /* the input breaks its format */
    ECMA_UNSUPPORTED, /* valid, but refused */
    ECMA_IO,
    ECMA_NO_MEMORY,
    ECMA_CONFIG, /* what was asked for contradicts itself or the input */
    ECMA_BUG,    /* our own check failed */
} ecma_status;

#endif
