/* nothing.h - metadata of a module that has nothing yet, for an edit that makes one. */
#ifndef ECMA335_METADATA_NOTHING_H
#define ECMA335_METADATA_NOTHING_H

#include "base/arena.h"
#include "base/diag.h"
#include "metadata/view.h"

/* Opens a view of metadata made in the arena: the row of Module, without a name and with an MVID of zeros, the type
 * <Module> (II.22.37), and heaps that hold no more than these. Columns and rows come by an edit (edit.h). Returns
 * ECMA_OK, ECMA_NO_MEMORY. */
ecma_status md_nothing_open(md_view *view, arena *a, diag *d);

#endif
