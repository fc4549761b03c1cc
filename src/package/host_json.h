/* host_json.h - JSON as .NET's host reads it: with comments, with anything after the document, with bytes in its
 * strings that are no UTF-8. */
#ifndef ILINJECT_PACKAGE_HOST_JSON_H
#define ILINJECT_PACKAGE_HOST_JSON_H

#include "base/bytes.h"

/* A copy of as many bytes that is strict JSON where the text is the host's: spaces in the place of comments and of what
 * is after the document and of a byte order mark, question marks for bytes that are no UTF-8. So a place in one is a
 * place in the other. Free it; NULL: no memory. */
uint8_t *host_json_copy(bytes text);

#endif
