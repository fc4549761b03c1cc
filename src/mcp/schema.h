/* schema.h - does a value fit a JSON Schema? As much of 2020-12 as the tools' own schemas use. */
#ifndef ILINJECT_MCP_SCHEMA_H
#define ILINJECT_MCP_SCHEMA_H

#include <jansson.h>

#include "base/buffer.h"

/* True if it does; else `problem` says in a sentence what does not fit. Of a schema: type (one, or several),
 * properties, required, additionalProperties false, enum, minimum, maximum, items, minItems, maxItems, maxLength.
 * Strings with a character of code 0 never fit. */
bool schema_fits(buffer *problem, const json_t *schema, const json_t *value);

#endif
