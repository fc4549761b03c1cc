/* span_methods.h - which methods of a selection have calls that can be spans.
 *
 * The MoveNext of an async method goes with its starter: its calls say when the starter's call is over, so it is
 * instrumented where the starter is, and nowhere else, whatever names it. Iterators are left out, and what compilers
 * make besides: the other methods of machines, the constructors of closures. */
#ifndef ILINJECT_ASYNC_SPAN_METHODS_H
#define ILINJECT_ASYNC_SPAN_METHODS_H

#include "select/bodies.h"

/* After bodies_find. Returns ECMA_OK, ECMA_NO_MEMORY (reported). */
ecma_status span_methods_choose(bodies *chosen, ilj_image *image);

#endif
