/* probe.h - one kind of injected code, as a row of a table: what is done for it at each step, in a module and in each
 * of the module's methods. rows.c has the rows.
 *
 * A step that a row leaves out (NULL) does nothing. What a module has no use for costs its methods nothing: `is_on` is
 * asked once, before the first method, and the steps of a method are those of the rows that are on. */
#ifndef ILINJECT_INJECT_PROBE_H
#define ILINJECT_INJECT_PROBE_H

#include "base/buffer.h"
#include "base/status.h"
#include "il/body.h"
#include "tracker/methods.h"

/* The order is that of inserting code, of placing locals and of adding rows to the metadata. What is inserted later at
 * one place stands after what was inserted before. */
typedef enum probe_id {
    PROBE_ENTERING, /* the call at the head */
    PROBE_MACHINES, /* who a state machine is, and where it suspends and ends: after that at its head */
    PROBE_COMMANDS, /* gives the tracker the texts of commands; a leaf's call has the code */
    PROBE_ASYNC,    /* where the runtime suspends a method */
    PROBE_CAPTURES, /* hands over values: within what the calls of machines say, outside the frame at the ends */
    PROBE_OBJECTS,  /* counts objects where they are allocated: before leaves are entered, as `newobj` may be one */
    PROBE_HANDLERS, /* reports at the heads of handlers and filters that they run */
    PROBE_LEAVES,   /* enters and leaves calls of other code: after what stands at the heads of handlers */
    PROBE_LOOPS,    /* copies parameters into locals that loops read: after all that stands at the head */
    PROBE_LEAVING,  /* the calls on the ways out, or the guard */
    PROBES
} probe_id;

/* What is done for a whole module, in this order: each is a loop over the rows (probes.h). */
typedef enum probe_step {
    PROBE_ASK,       /* before any body is looked at: is it asked for, and can the tracker do it? Then, sets its bit in
                        p->looks */
    PROBE_REFERENCE, /* adds the rows that its code names, after references_add */
    PROBE_BEGIN,     /* chooses its methods and adds the rows for them, when the module has its settings */
    PROBE_FINISH,    /* when all methods are done: the last rows */
    PROBE_STEPS
} probe_step;

struct probes;
struct injector;
struct method_plan;
struct state_machine;

typedef struct probe {
    /* What it needs of the tracker, and what is said when that is not there. */
    tracker_group needs;
    const char *lacks;   /* NULL: `needs` means nothing */
    const char *counted; /* of a tracker that only counts */

    /* ---- In a module: each returns ECMA_OK, or what ends the run (reported). ---- */

    ecma_status (*steps[PROBE_STEPS])(struct probes *p);
    /* Looks at a body of the MethodDef row; `machine`: the state machine that has it as its MoveNext, if it reports;
     * else NULL. */
    void (*look)(struct probes *p, uint32_t row, const il_body *body, const struct state_machine *machine);
    /* After the last body, if it has looked: takes ids from *next on. */
    ecma_status (*number)(struct probes *p, uint32_t *next);
    /* Has it a part in any method? NULL: in each module. */
    bool (*is_on)(const struct probes *p);
    void (*clear)(struct probes *p);

    /* ---- In a method ---- */

    /* Has it a part in the method that p->body is of? NULL: in each one. It adds no row and inserts nothing. */
    bool (*plan)(struct injector *in, struct method_plan *p);
    bool in_loops;    /* it has no part in a method without loops, which `plan` is not asked about */
    bool in_handlers; /* it has no part in a method without handlers */
    /* Appends the types of its locals; the first one is *next, which is counted on. */
    void (*place)(struct method_plan *p, buffer *types, uint32_t *next);
    bool without_locals; /* it has its part, too, where the method has no room for locals */
    /* Inserts its code. Returns the stack that it needs; in->il.refused keeps what has failed. */
    uint32_t (*insert)(struct injector *in, const struct method_plan *p);
    /* Append what stands outside the frame, before enter and after leave, and return the stack that it needs. */
    uint32_t (*head)(struct injector *in, const struct method_plan *p, buffer *code);
    /* For a method that `plan` puts into p->ends: at a way out, and where an exception leaves it. `result`: the type of
     * what is in p->locals.result, empty without one; `returns`: by a ret. */
    uint32_t (*exit)(struct injector *in, const struct method_plan *p, buffer *code, bytes result, bool returns);
    uint32_t (*fault)(struct injector *in, const struct method_plan *p, buffer *code);
    /* For one that `plan` puts into p->filters: takes an exception that looks for its handler, and leaves an int32. */
    void (*filter)(struct injector *in, const struct method_plan *p, buffer *code);
    /* When the method's new body is made. */
    void (*describe)(struct probes *p, const struct method_plan *of);
} probe;

extern const probe probe_rows[PROBES]; /* by probe_id */

/* Some of them: a bit for each probe_id. */
typedef uint32_t probe_set;

/* Takes the first row out of a set; NULL: it is empty. `rows`: probe_rows. */
static inline const probe *probe_next(const probe *rows, probe_set *set) {
    if (*set == 0)
        return NULL;
    const probe *row = &rows[__builtin_ctz(*set)];
    *set &= *set - 1;
    return row;
}

#endif
