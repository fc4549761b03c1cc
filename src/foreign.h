/* foreign.h - what other tools that rewrite assemblies leave in them. */
#ifndef ILINJECT_FOREIGN_H
#define ILINJECT_FOREIGN_H

#include "metadata/view.h"

/* Tells of each other instrumenter and weaver whose marker the module carries. */
void foreign_tell(const md_view *view, diag *d);

#endif
