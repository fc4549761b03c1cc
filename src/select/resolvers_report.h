/* resolvers_report.h - what is said of the methods that find assemblies for the program (resolvers.h). */
#ifndef ILINJECT_SELECT_RESOLVERS_REPORT_H
#define ILINJECT_SELECT_RESOLVERS_REPORT_H

#include "select/bodies.h"

/* Reports how many were left out, and a tracker in a resource of the image that is found only after an instrumented
 * method has begun. `tracker`: the name of its assembly. */
void resolvers_report(const bodies *b, ilj_image *image, const char *tracker);

#endif
