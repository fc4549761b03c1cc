/* other_tools.h - what other tools that rewrite assemblies leave in them. */
#ifndef ILINJECT_INPUT_OTHER_TOOLS_H
#define ILINJECT_INPUT_OTHER_TOOLS_H

#include "metadata/view.h"

/* Tells of each other instrumenter and weaver whose marker the module carries. */
void other_tools_report(const md_view *view, diag *d);

#endif
