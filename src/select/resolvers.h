/* resolvers.h - the methods with which a program finds assemblies that its runtime does not find: they run before the
 * tracker can be found, if it is one of those.
 *
 * A weaver (Costura.Fody), a module initializer or the program itself adds a handler to AppDomain.AssemblyResolve or
 * AssemblyLoadContext.Resolving. Where the module's initializer does, it and all that it calls are left out; so are the
 * loaders of weavers that are known by name. */
#ifndef ILINJECT_SELECT_RESOLVERS_H
#define ILINJECT_SELECT_RESOLVERS_H

#include "il/body.h"
#include "input/image.h"

typedef struct resolvers {
    bool *is;       /* by MethodDef row; in the image's arena; NULL: there are none */
    uint32_t count; /* of them */
} resolvers;

/* Returns ECMA_OK, ECMA_NO_MEMORY. */
ecma_status resolvers_find(resolvers *r, ilj_image *image);

static inline bool resolvers_have(const resolvers *r, uint32_t method_row) {
    return r->is && r->is[method_row];
}

/* Does the code add a handler, or call a method that is one of them? Then it runs before the tracker can be found. */
bool resolvers_are_set(const resolvers *r, const ilj_image *image, const il_body *body);

#endif
