/* allocations.h - the places in the methods' IL that allocate an object, and the calls that count them
 * (docs/decisions/06-allocations.md).
 *
 * A site is a newobj of a class or an array, a newarr, a box, or a call that is `new T()` of a type parameter. A site's
 * number in its module is its position in `sites`. A box that only a branch or an unbox.any takes, with or without an
 * isinst between, is no site: compilers of runtimes are known to leave it out. A newobj of a value type allocates
 * nothing and is no site either.
 *
 * Life cycle: all zero, allocations_begin, for each method with an id allocations_insert, allocations_finish,
 * allocations_clear. Memory that runs out is remembered until allocations_finish. */
#ifndef ILINJECT_INJECT_OBJECTS_ALLOCATIONS_H
#define ILINJECT_INJECT_OBJECTS_ALLOCATIONS_H

#include "il/edit.h"
#include "inject/module/type_table.h"
#include "metadata/edit.h"
#include "tracker/references.h"

typedef enum allocation_kind { ALLOCATION_NEW, ALLOCATION_ARRAY, ALLOCATION_BOX } allocation_kind;

typedef struct allocation_site {
    uint32_t id, row; /* of the method: its id in the module, and its row in MethodDef */
    uint32_t offset;  /* in the method's code as the input has it */
    md_token type; /* of the object; of an array that newarr makes the element's. TypeDef, TypeRef or TypeSpec, or the
                      MethodSpec whose argument it is */
    allocation_kind kind;
} allocation_site;

typedef struct allocations {
    ilj_image *image; /* NULL: objects are not counted */
    md_edit *edit;
    references *refs;
    const tracker *tracker;
    md_token first_site; /* the helper type's field for the first of the module's sites in the process */
    md_token allocating; /* what a plain site calls: the helper type's void (int32 site, int32 token) */
    uint8_t *kinds;    /* by TypeRef row: what signatures say of it (metadata/type_kinds.h) */
    buffer sites;      /* allocation_site, in the order of methods and of their code */
    type_table open;   /* for boxes and objects of types that may be value types or not, or null */
    buffer code, blob;
    bool failed;
} allocations;

/* Adds what the calls need of the tracker, to the helper type that references_add has begun. Returns ECMA_OK,
 * ECMA_CONFIG (the tracker has no such methods), ECMA_NO_MEMORY (reported). */
ecma_status allocations_begin(allocations *a, ilj_image *image, md_edit *edit, references *refs, const tracker *t);
void allocations_clear(allocations *a);

/* Which method a call is put into. */
typedef struct allocations_method {
    uint32_t id, row;
    const il_body *body;
    int32_t token; /* the local that keeps what enter returned; -1: none that a number is in */
} allocations_method;

/* Puts a call to each site of the body that `to` has begun on. Returns how many items of stack the calls need beside
 * those that the old code has there; 0: there is no site. */
uint32_t allocations_insert(allocations *a, il_edit *to, const allocations_method *m);

static inline uint32_t allocations_count(const allocations *a) {
    return (uint32_t)(a->sites.size / sizeof(allocation_site));
}

/* When all methods are done: lets the module's helper type register the sites. Returns ECMA_OK, ECMA_NO_MEMORY
 * (reported).
 */
ecma_status allocations_finish(allocations *a);

#endif
