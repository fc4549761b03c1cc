/* index.h - who belongs to whom, found in one pass over an image's tables: the directions that rows do not give.
 *
 * Built once, in an arena; every answer is an array read. Nothing is taken for granted: tables that should be sorted
 * may be unsorted, cells may name rows that do not exist (they are passed over), and when rows contradict each other
 * the first one counts. */
#ifndef ECMA335_METADATA_INDEX_H
#define ECMA335_METADATA_INDEX_H

#include "metadata/view.h"

/* Bits of MethodSemantics.Semantics (II.23.1.12). */
enum {
    MD_SEMANTICS_SETTER = 0x01,
    MD_SEMANTICS_GETTER = 0x02,
    MD_SEMANTICS_OTHER = 0x04,
    MD_SEMANTICS_ADDER = 0x08,
    MD_SEMANTICS_REMOVER = 0x10,
    MD_SEMANTICS_RAISER = 0x20,
};

typedef struct md_index {
    uint32_t type_count, method_count;
    uint32_t *method_type;      /* by MethodDef row */
    uint32_t *enclosing;        /* by TypeDef row */
    uint32_t *type_generics;    /* by TypeDef row: the first position in generic_rows; the next row's is the end */
    uint32_t *method_generics;  /* by MethodDef row: the same for its GenericParam rows */
    uint32_t *generic_rows;     /* GenericParam rows by owner, then Number; 0 where a Number is missing */
    uint32_t *method_semantics; /* by MethodDef row: MethodSemantics row */
    uint32_t *method_impl;      /* by MethodDef row: the MethodImpl row that has it as MethodBody */
} md_index;

/* false when memory ran out. */
bool md_index_build(md_index *index, const md_view *view, arena *a);

/* The TypeDef row that owns a method; 0 when none does. Follows MethodPtr. */
static inline uint32_t md_method_type(const md_index *index, uint32_t method_row) {
    return method_row - 1 < index->method_count ? index->method_type[method_row] : 0;
}

/* The TypeDef row that encloses a nested type, else 0. Chains of them are never cyclic. */
static inline uint32_t md_enclosing_type(const md_index *index, uint32_t typedef_row) {
    return typedef_row - 1 < index->type_count ? index->enclosing[typedef_row] : 0;
}

/* The MethodSemantics row that makes a method an accessor, else 0. */
static inline uint32_t md_method_semantics(const md_index *index, uint32_t method_row) {
    return method_row - 1 < index->method_count ? index->method_semantics[method_row] : 0;
}

/* The MethodImpl row with which a method implements another one explicitly, else 0. */
static inline uint32_t md_method_impl(const md_index *index, uint32_t method_row) {
    return method_row - 1 < index->method_count ? index->method_impl[method_row] : 0;
}

/* Generic parameters in the order of their Numbers; a row 0 stands where a Number is missing. */
typedef struct md_generics {
    const uint32_t *rows; /* of GenericParam */
    uint32_t count;
} md_generics;

/* All that VAR or MVAR can name in a TypeDef or MethodDef: for a nested type with those of its enclosing ones, as it
 * repeats them (II.22.20). */
md_generics md_all_generic_params(const md_index *index, md_token owner);

/* The same of a MethodDef row that is there. */
static inline md_generics md_method_generic_params(const md_index *index, uint32_t row) {
    const uint32_t *first = &index->method_generics[row];
    return (md_generics){index->generic_rows + first[0], first[1] - first[0]};
}

/* Those the owner adds: for a nested type without those it repeats from its enclosing types. */
md_generics md_generic_params(const md_view *view, const md_index *index, md_token owner);

/* The name of a property or event that a MethodSemantics row belongs to; empty when it cannot be read. */
const char *md_association_name(const md_view *view, uint32_t semantics_row);

/* The N of a name that ends in `N (II.10.7.2, I.10.7.2), with the length of what stands before; 0 and the whole length
 * otherwise. */
uint32_t md_name_arity(bytes name, size_t *base_length);

#endif
