/* ilinject/status.h - what a function that can fail returns; also what the layers below the interface return. */
#ifndef ILINJECT_STATUS_H
#define ILINJECT_STATUS_H

/* Each value asks for something else of the caller. */
typedef enum ilj_status {
    ILJ_OK = 0,
    ILJ_BAD_FILE,    /* the input breaks its format */
    ILJ_UNSUPPORTED, /* valid, but refused; the diagnostic says why */
    ILJ_IO,          /* the operating system refused to open, read or write */
    ILJ_NO_MEMORY,
    ILJ_CONFIG, /* options that contradict each other or the input */
    ILJ_BUG,    /* our own check of the output failed; nothing was written */
} ilj_status;

#endif
