/* headers.h - fields of a request's head as OpenTelemetry's variable OTEL_EXPORTER_OTLP_HEADERS has them: NAME=VALUE
 * with commas between, values percent-encoded where they have to be (W3C Baggage, section 3.3.1, without properties).
 */
#ifndef ILINJECT_POST_HEADERS_H
#define ILINJECT_POST_HEADERS_H

#include "base/buffer.h"
#include "base/diag.h"

/* Appends a line "NAME: VALUE\r\n" for each. A value is a secret and stands in no message. Reports POST_HEADERS, which
 * is ECMA_CONFIG; memory that ran out stays in the buffer. */
ecma_status post_headers_read(buffer *to, const char *text, diag *d);

#endif
