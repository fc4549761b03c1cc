/* method_kind.h - what a type or method is to the one who wrote it: read from flags, tables and the names compilers
 * give. */
#ifndef ILINJECT_DUMP_METHOD_KIND_H
#define ILINJECT_DUMP_METHOD_KIND_H

#include "input/image.h"

/* "class", "struct", "interface", "enum", "delegate" or "module". */
const char *method_kind_of_type(const struct ilj_image *image, uint32_t typedef_row);

/* "method", "constructor", "static constructor", "getter", "setter", "adder", "remover", "raiser", "operator",
 * "finalizer", "explicit implementation", "lambda", "local function", "iterator", "async". The MoveNext of an async
 * method, of an async iterator too, is reported from that of an iterator by the interfaces of its type. */
const char *method_kind_of(const struct ilj_image *image, uint32_t method_row, bool async_type);

/* Does each type implement System.Runtime.CompilerServices.IAsyncStateMachine? An array by TypeDef row in the arena;
 * NULL when memory ran out. */
bool *method_kind_async_types(const struct ilj_image *image, arena *a);

#endif
