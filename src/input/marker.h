/* marker.h - how a module says that it was instrumented, and that it is the core library: questions about its tables
 * alone. */
#ifndef ILINJECT_INPUT_MARKER_H
#define ILINJECT_INPUT_MARKER_H

#include "metadata/view.h"

/* Names of what instrumenting adds (docs/profile-format.md, section 1); further ones are followed by a number. */
#define HELPER_TYPE_NAME    "<ilinject>"
#define HELPER_NAMESPACE    "Instrumenter" /* earlier outputs have none */
#define NAMES_RESOURCE_NAME "ilinject.names"

/* True if a row of ManifestResource is one of the module's own names resources. */
bool marker_is_names_resource(const md_view *view, uint32_t row);

/* How often the module was instrumented: the names resources it carries. */
uint32_t marker_instrumented_times(const md_view *view);

/* True if a row of TypeDef is the helper type of an earlier run. Were its methods to call the tracker too, they would
 * close the frames that they open. */
bool marker_is_helper_type(const md_view *view, uint32_t type_row);

/* The type of this name that the module defines, as a token; 0: there is none. */
md_token marker_find_type(const md_view *view, const char *namespace, const char *name);

/* True for the core library itself. */
bool marker_is_core_library(const md_view *view);

#endif
