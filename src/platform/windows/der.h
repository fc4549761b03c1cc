/* der.h - reading DER (X.690), for keys. */
#ifndef ILINJECT_PLATFORM_WINDOWS_DER_H
#define ILINJECT_PLATFORM_WINDOWS_DER_H

#include <stdbool.h>

#include "base/bytes.h"

enum {
    DER_INTEGER = 0x02,
    DER_OCTETS = 0x04,
    DER_OBJECT = 0x06,
    DER_SEQUENCE = 0x30,
    DER_EXPLICIT = 0xA0, /* [0], around another element */
};

/* The next element, which has this tag: its content, of an integer without the zero before a high bit. `rest` goes
 * after it, unless both are one variable, which then is the content. False: there is none; then neither is changed. */
bool der_next(bytes *rest, uint8_t tag, bytes *content);

#endif
