/* method_roles.h - what the metadata says of a method that nothing calls by its name: it implements a method of an
 * interface, explicitly or by name and signature, or overrides a base's; or no source has it. */
#ifndef ILINJECT_NAMING_METHOD_ROLES_H
#define ILINJECT_NAMING_METHOD_ROLES_H

#include "input/image.h"

/* By MethodDef row, 0 for most: NAME_IMPLEMENTS, NAME_OVERRIDES; NAME_COMPILER_MADE of one that carries
 * [CompilerGenerated] itself (accessors of automatic properties, members of records); NAME_EXCLUDED. In the image's
 * arena; NULL when memory ran out. */
uint16_t *method_roles_find(ilj_image *image);

#endif
