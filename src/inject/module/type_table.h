/* type_table.h - tokens by the signature of a type, such as is found in a method's signature. */
#ifndef ILINJECT_INJECT_MODULE_TYPE_TABLE_H
#define ILINJECT_INJECT_MODULE_TYPE_TABLE_H

#include "base/buffer.h"
#include "metadata/view.h"

enum { TYPE_TABLE_TOKENS = 4 };

typedef struct type_entry {
    md_token tokens[TYPE_TABLE_TOKENS]; /* the user's; 0 at first */
    uint32_t hash;
    bool used;
    size_t at, size; /* in type_table.types */
} type_entry;

/* A hash table. Starts all zero. */
typedef struct type_table {
    type_entry *entries;
    uint32_t capacity, used;
    buffer types;
} type_table;

void type_table_clear(type_table *t);

/* The entry of a type, which is made when there is none; good until the next call. NULL when memory ran out. */
type_entry *type_table_find(type_table *t, bytes type);

#endif
