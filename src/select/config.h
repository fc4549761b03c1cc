/* config.h - the configuration file: XML, as docs/ilinject-config.xsd describes it.
 *
 * libxml2 does the reading, loaded when a file is to be read and not before. It gets bytes, never a path: nothing else
 * is opened, no network, and a document type (where entities come from) is refused at its first character. */
#ifndef ILINJECT_SELECT_CONFIG_H
#define ILINJECT_SELECT_CONFIG_H

#include "select/selection.h"

/* libxml2 takes 10 MB, unless its other limits go, too. */
enum { CONFIG_BYTES = 8 << 20, CONFIG_ERRORS = 10 };

/* Adds the file's rules and settings. Returns ECMA_OK, ECMA_CONFIG, ECMA_IO, ECMA_UNSUPPORTED, ECMA_NO_MEMORY, all
 * reported with file and line. */
ecma_status config_read(ilj_selection *s, ilj_context *context, const char *path);

/* The same of a file's content; `path` is what it is called. */
ecma_status config_read_bytes(ilj_selection *s, ilj_context *context, const char *path, bytes content);

#endif
