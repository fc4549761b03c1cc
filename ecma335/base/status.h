/* status.h - what a function that can fail returns: the public enumeration, by this layer's names. On failure
 * out-parameters are untouched and the detail has been reported to the diag. */
#ifndef ECMA335_BASE_STATUS_H
#define ECMA335_BASE_STATUS_H

#include "ilinject/status.h"

typedef ilj_status ecma_status;

#define ECMA_OK          ILJ_OK
#define ECMA_BAD_FILE    ILJ_BAD_FILE
#define ECMA_UNSUPPORTED ILJ_UNSUPPORTED
#define ECMA_IO          ILJ_IO
#define ECMA_NO_MEMORY   ILJ_NO_MEMORY
#define ECMA_CONFIG      ILJ_CONFIG
#define ECMA_BUG         ILJ_BUG

#endif
