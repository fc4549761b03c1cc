/* tables.h - the array of methods' entries and the table of instantiations, made again without some of them. What an
 * entry leads to, the slots that are filled before code runs and the signature of an instantiation, stays where it
 * lies: the new tables lie after it. */
#ifndef ECMA335_READY_TO_RUN_TABLES_H
#define ECMA335_READY_TO_RUN_TABLES_H

#include "base/arena.h"
#include "ready_to_run/image.h"

/* A set of MethodDef rows, a byte for each, from row 1 on. */
typedef struct r2r_rows {
    uint8_t *in; /* by row; in[0] is not used */
    uint32_t count;
} r2r_rows;

static inline bool r2r_rows_have(const r2r_rows *rows, uint32_t row) {
    return row <= rows->count && rows->in[row];
}

typedef struct r2r_tables {
    const r2r_image *image;
    struct r2r_kept_method *methods;
    r2r_instance *instances;
    uint32_t method_count, instance_count; /* that are kept */
    uint32_t method_bytes, instance_bytes; /* of the tables; 0: there was none */
    uint8_t method_width, instance_width;  /* of an offset */
    uint8_t distance_bytes;                /* of a number that leads back to the slots of a method */
} r2r_tables;

/* Plans both without the methods of `dropped`, and without the instantiations of these. An instantiation of what is
 * no MethodDef of the module's own goes as well. Returns ECMA_OK, ECMA_BAD_FILE (not reported), ECMA_NO_MEMORY (not
 * reported). */
ecma_status r2r_tables_plan(r2r_tables *t, const r2r_image *image, const r2r_rows *dropped, arena *a);

/* Writes method_bytes, or instance_bytes, as they lie at `rva`. */
void r2r_tables_write_methods(const r2r_tables *t, uint32_t rva, uint8_t *out);
void r2r_tables_write_instances(const r2r_tables *t, uint32_t rva, uint8_t *out);

#endif
