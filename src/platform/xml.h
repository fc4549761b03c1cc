/* xml.h - libxml2, which is loaded when a configuration file or a manifest is read, and not before. It gets bytes,
 * never a path.
 *
 * Two releases of its interface are taken, the second since 2.14; what is used of its structures is what lies in both
 * where the headers of 2.9 say: the parser's up to _private, all of the SAX handler's and the nodes'. */
#ifndef ILINJECT_PLATFORM_XML_H
#define ILINJECT_PLATFORM_XML_H

#include <libxml/parser.h>
#include <libxml/xmlschemas.h>

#include "base/diag.h"

typedef struct xml_library {
#define XML_FUNCTION(name) __typeof__(name) *name;
#include "platform/xml.def"
#undef XML_FUNCTION
} xml_library;

/* Returns ECMA_OK, ECMA_UNSUPPORTED: it is missing, or lacks one of the functions. */
ecma_status xml_load(xml_library *xml, diag *d);

#endif
