/* type_kinds.h - which types of other assemblies a module takes to be value types.
 *
 * A TypeRef does not say whether its type is a class or a value type, but each signature that names the type does
 * (ELEMENT_TYPE_CLASS or ELEMENT_TYPE_VALUETYPE, II.23.1.16), and a runtime refuses to bind one that is wrong. A value
 * of such a type stands only in a local, a field, a parameter or a result, and each of these has a signature. */
#ifndef ECMA335_METADATA_TYPE_KINDS_H
#define ECMA335_METADATA_TYPE_KINDS_H

#include "metadata/view.h"

/* The kinds that signatures give a TypeRef: any of these bits, or none. */
enum { MD_KIND_CLASS = 1, MD_KIND_VALUE_TYPE = 2 };

/* Ors the kinds that the module's signatures give into `kinds`, by row of TypeRef; there are as many elements as rows,
 * and one more. A malformed signature counts up to its fault. */
void md_find_type_kinds(const md_view *view, uint8_t *kinds);

#endif
