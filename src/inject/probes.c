#include "inject/probes.h"

static void look_at_bodies(probes *p) {
    il_body body;
    il_fault fault;
    method_body *m;
    bytes from;
    uint32_t hint = 0;
    const probe *row;
    for (bodies_walk walk = {0}; bodies_next(&walk, p->bodies, p->image, &m, &from);)
        if (il_body_try_read(&body, from, &fault)) {
            const state_machine *machine = state_machines_with_events(p->machines, m->row, &hint);
            for (probe_set left = p->looks; (row = probe_next(probe_rows, &left));)
                row->look(p, m->row, &body, machine);
        }
}

ecma_status probes_step(probes *p, probe_step step) {
    ecma_status status = ECMA_OK;
    for (unsigned i = 0; i < PROBES && !status; i++)
        if (probe_rows[i].steps[step])
            status = probe_rows[i].steps[step](p);
    return status;
}

ecma_status probes_look(probes *p) {
    const probe *row;
    ecma_status status = probes_step(p, PROBE_ASK);
    if (!status && p->looks)
        look_at_bodies(p);
    for (probe_set left = p->looks; !status && (row = probe_next(probe_rows, &left));)
        status = row->number(p, &p->id_count);
    return status;
}

void probes_clear(probes *p) {
    for (unsigned i = 0; i < PROBES; i++)
        if (probe_rows[i].clear)
            probe_rows[i].clear(p);
}
