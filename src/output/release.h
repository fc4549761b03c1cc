/* release.h - which release of a program an assembly is of (docs/profile-format.md, section 2). */
#ifndef ILINJECT_OUTPUT_RELEASE_H
#define ILINJECT_OUTPUT_RELEASE_H

#include "input/image.h"

/* The text of the assembly's AssemblyInformationalVersionAttribute; borrowed, at most 256 bytes without zeros and line
 * ends; empty: it has none, or a longer one. */
bytes release_of(const ilj_image *image);

#endif
