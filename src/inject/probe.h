/* probe.h - one kind of injected code, as a row of a table: what is done for it at each step, in a module and in each
 * of the module's methods. probes.c has the rows.
 *
 * A step that a row leaves out (NULL) does nothing. Steps of a module that are not asked for it costs nothing: `is_on`
 * is asked once, before the methods' bodies are changed, and only rows that are on have any part in a method. */
#ifndef ILINJECT_INJECT_PROBE_H
#define ILINJECT_INJECT_PROBE_H

#include "base/buffer.h"
#include "base/status.h"
#include "il/body.h"
#include "tracker/methods.h"

/* In the order in which they insert code, place their locals and add rows to the metadata. */
typedef enum probe_id {
    PROBE_OBJECTS,  /* counts objects where they are allocated: before leaves are entered, as `newobj` may be one */
    PROBE_HANDLERS, /* reports at the heads of handlers and filters that they run */
    PROBE_COMMANDS, /* gives the tracker the texts of commands; a leaf's call has the code */
    PROBE_LEAVES,   /* enters and leaves calls of other code: after what stands at the heads of handlers */
    PROBE_LOOPS,    /* copies parameters into locals that loops read: after all that stands at the head */
    PROBE_LEAVING,  /* the calls on the ways out, or the guard */
    PROBES
} probe_id;

struct probes;
struct injector;
struct method_plan;
struct state_machine;

typedef struct probe {
    const char *name;

    /* What it needs of the tracker, and what is said when that is not there. */
    tracker_group needs;
    const char *lacks;   /* NULL: `needs` means nothing */
    const char *counted; /* of a tracker that only counts */

    /* ---- In a module: each returns ECMA_OK, or what ends the run (reported). ---- */

    /* Before any body is looked at: is it asked for, and can the tracker do it? Then, sets its bit in p->looks. */
    ecma_status (*ask)(struct probes *p);
    /* Looks at a body; `machine`: whose MoveNext it is, if it tells of itself, or NULL. */
    void (*look)(struct probes *p, const il_body *body, const struct state_machine *machine);
    /* After the last body, if it has looked: takes ids from *next on. */
    ecma_status (*number)(struct probes *p, uint32_t *next);
    /* Chooses its methods and adds the rows for them, when the module has its settings. */
    ecma_status (*begin)(struct probes *p);
    /* Has it a part in any method? NULL: in each module. */
    bool (*is_on)(const struct probes *p);
    /* When all methods are done: the last rows. */
    ecma_status (*finish)(struct probes *p);
    void (*clear)(struct probes *p);

    /* ---- In a method ---- */

    /* Has it a part in the method that p->body is of? NULL: in each one. It adds no row and inserts nothing. */
    bool (*plan)(struct injector *in, struct method_plan *p);
    /* Appends the types of its locals, of which *next is the first; counts *next on. */
    void (*place)(struct method_plan *p, buffer *types, uint32_t *next);
    bool without_locals; /* it has its part, too, where the method has no room for locals */
    /* Inserts its code. Returns the stack that it needs; in->il.refused keeps what has failed. */
    uint32_t (*insert)(struct injector *in, const struct method_plan *p);
} probe;

extern const probe probe_rows[PROBES];

#endif
