/* code.h - the code of methods, also of those that are not instrumented. */
#ifndef ILINJECT_NAMING_CODE_H
#define ILINJECT_NAMING_CODE_H

#include "il/body.h"
#include "input/image.h"

/* The body of a MethodDef row as the input has it; false when it has none that is understood. */
bool method_code(const ilj_image *image, uint32_t method, il_body *body);

#endif
