/* instances.h - the methods that were called, and for which arguments generic ones are compiled.
 *
 * A profile counts definitions. The IL of the methods that were called names the instantiations that it uses; from
 * those of a method follow those of what it calls, so that value types as arguments are found however deep they are. A
 * method that no IL names, as it is virtual or called by the framework, has those of its type. Where none is known,
 * each parameter is System.__Canon, which stands for all reference types; a parameter that is to be a value type then
 * leaves its method out. Types stand in signatures by their numbers (types.h). */
#ifndef ILINJECT_REPORT_MIBC_INSTANCES_H
#define ILINJECT_REPORT_MIBC_INSTANCES_H

#include "report/mibc/source.h"

typedef struct called {
    uint32_t source, row; /* its module, and its row in MethodDef */
    uint32_t type;        /* its number */
    bool value_type;      /* it is one */
    bool unseen;          /* virtual, or a type initializer: IL that is run need not name it */
    bytes name, signature;
    uint32_t type_generics, method_generics; /* how many parameters there are, those of enclosing types too */
    uint32_t first, last, count;             /* its instances, a list */
    uint32_t next_of_type;                   /* another one that was called, or MAP_NONE */
} called;

/* An instantiation of a type. */
typedef struct instantiated {
    uint32_t count; /* of the arguments */
    bytes args;
    uint32_t next; /* of the same type, or MAP_NONE */
} instantiated;

typedef struct instance {
    uint32_t of;                  /* position among the called ones */
    bytes type_args, method_args; /* types, one after another */
    uint32_t next;                /* of the same method, or MAP_NONE */
} instance;

typedef struct instances {
    type_names *names; /* borrowed */
    source *sources;   /* borrowed */
    uint32_t canon;    /* the number of System.__Canon */
    called *called;
    uint32_t called_count, called_capacity;
    instance *list; /* as they were found; the first ones are those of plain methods */
    uint32_t count, capacity;
    instantiated *types;
    uint32_t type_count, type_capacity;
    map type_lists;          /* type: the last one found of its instantiations */
    keep_table known;        /* of instances, and of instantiated types */
    keep_table members;      /* type, signature, name: as called, but for those that are alike */
    map by_row;              /* source and row: position in `called` */
    map by_type;             /* type: position of the first one in `called` */
    uint32_t *member_called; /* by number in `members` */
    uint32_t member_capacity;
    arena memory;
    bool failed;
} instances;

/* All zero but for the names and sources. Adds a method of an opened source, unless it cannot be named: it has no IL or
 * no type, or its signature names what is in no assembly. Returns its position, or MAP_NONE. */
uint32_t instances_add(instances *x, uint32_t source, uint32_t row);

/* After the last one. False when memory ran out, also before. */
bool instances_find(instances *x);
void instances_clear(instances *x);

#endif
