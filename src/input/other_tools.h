/* other_tools.h - what other tools that rewrite assemblies leave in them. */
#ifndef ILINJECT_INPUT_OTHER_TOOLS_H
#define ILINJECT_INPUT_OTHER_TOOLS_H

#include "metadata/view.h"

/* Reports each other instrumenter and weaver that has left its marker in the module. */
void other_tools_report(const md_view *view, diag *d);

#endif
