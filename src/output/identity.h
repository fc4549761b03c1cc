/* identity.h - the last steps of an output, when all its other bytes are there: the strong-name signature and its flag,
 * the PE checksum; and what there is to say about them. */
#ifndef ILINJECT_OUTPUT_IDENTITY_H
#define ILINJECT_OUTPUT_IDENTITY_H

#include "base/buffer.h"
#include "input/image.h"
#include "output/key.h"

typedef struct identity {
    const ilj_instrument_options *options;
    ilj_image *image; /* the input */
    key key;          /* when options->key names one */
    bool fits;        /* the key is the assembly's */
    bool strange;     /* it is not, and the input is treated as if there were none */
} identity;

/* Reads the key file that the options name. Returns ECMA_OK, ECMA_IO, ECMA_CONFIG, ECMA_UNSUPPORTED, ECMA_NO_MEMORY. */
ecma_status identity_open(identity *id, ilj_image *image, const ilj_instrument_options *options);
void identity_clear(identity *id);

/* Checks that the key may sign this input, if it is to. Returns ECMA_OK, ECMA_CONFIG, ECMA_UNSUPPORTED. */
ecma_status identity_check(identity *id);

/* The fate of an image's strong-name signature. */
typedef enum signature_fate {
    SIGNATURE_NONE,     /* there is none, and no mark of one */
    SIGNATURE_MADE,     /* again, with the key */
    SIGNATURE_ZEROED,   /* delay-signed: zeros, and no mark */
    SIGNATURE_MISSING,  /* marked, but there is no room for one: the mark goes */
    SIGNATURE_UNMARKED, /* the old one stays, the mark goes */
    SIGNATURE_STALE,    /* the old one and the mark stay */
} signature_fate;

/* For the input or the output, which have the same. */
signature_fate identity_fate(const identity *id, const pe_image *image);

/* Signs `out` or not, as the options say; to sign, it has to be whole. Nothing but the PE checksum may be changed after
 * this. Returns ECMA_OK, ECMA_CONFIG, ECMA_UNSUPPORTED, ECMA_NO_MEMORY, ECMA_BUG. */
ecma_status identity_finish(const identity *id, const buffer *out);

#endif
