/* callers.h - how much of the work of a run lies below each method, where the profile has counts and no tree.
 *
 * The names of a module that counts calls alone say what its IL calls (names.h). With the counts that is a graph: a
 * method's work goes to its callers, in parts by how often they can have called it, and with theirs to their callers,
 * as gprof does it (Graham, Kessler, McKusick, 1982). Compiling a method is its callers' work. Within a circle of
 * methods that call each other work goes round until it comes out, and none has more than the circle. A virtual call
 * goes to all methods of the name, by their counts; one of a delegate, which is a call of Invoke, to all lambdas with
 * that many parameters. A method called once by one that was called once, and so on from one without a caller, has no
 * other caller. */
#ifndef ILINJECT_CHOICE_CALLERS_H
#define ILINJECT_CHOICE_CALLERS_H

#include "choice/counted.h"

/* Raises inclusive_ps of what was called to the estimate, and sets calls_others of what calls something. False when
 * memory ran out. */
bool callers_estimate(counts *c);

#endif
