#include "inject/probes.h"

#include "inject/pair.h"
#include "metadata/signature.h"

/* A row's tracker cannot do what is asked for. */
static ecma_status refuse(const probes *p, const char *what) {
    return diag_report(&p->image->diag, DIAG_TRACKER_SHAPE, "%s", what);
}

/* Can the tracker do what the row is for? Returns ECMA_OK, ECMA_CONFIG (reported). */
static ecma_status check_tracker(const probes *p, probe_id id) {
    const probe *row = &probe_rows[id];
    if (p->tracker->only_counts && row->counted)
        return refuse(p, row->counted);
    return p->tracker->can[row->needs] ? ECMA_OK : refuse(p, row->lacks);
}

static bool sees_more_than_calls(const probes *p) {
    return !p->tracker->only_counts;
}

/* ---- Objects ----------------------------------------------------------------------------------------------------- */

static ecma_status begin_objects(probes *p) {
    const ilj_instrument_options *o = p->options;
    /* What a file says of objects means nothing where calls are only counted. */
    if (!selection_allocations(o->selection, o->allocations) || (p->tracker->only_counts && !o->allocations))
        return ECMA_OK;
    ecma_status status = check_tracker(p, PROBE_OBJECTS);
    return status ? status : allocations_begin(&p->objects, p->image, p->edit, p->refs, p->tracker);
}

static bool objects_are_on(const probes *p) {
    return p->objects.image != NULL;
}

/* Calls are known by a number, but in methods that the runtime suspends: there by an object. */
static uint32_t insert_objects(injector *in, const method_plan *p) {
    allocations_method of = {p->id, p->row, p->body, p->async ? -1 : (int32_t)p->locals.token};
    uint32_t depth = allocations_insert(&in->probes->objects, &in->il, &of);
    return depth ? p->body->max_stack + depth : 0;
}

static ecma_status finish_objects(probes *p) {
    return allocations_finish(&p->objects);
}

static void clear_objects(probes *p) {
    allocations_clear(&p->objects);
}

/* ---- Commands and leaves ----------------------------------------------------------------------------------------- */

/* An id and a token are all that a leaf has. */
static bool can_have_leaves(const tracker *t) {
    return t->registers && t->enter == TRACKER_ID && t->leave == TRACKER_TOKEN && t->token_element == MD_ELEMENT_I4 &&
           !t->takes_arguments && t->result == TRACKER_NO_RESULT;
}

static bool leaves_are_asked(const probes *p) {
    const ilj_selection *s = p->options->selection;
    return s && s->leaves.count && !p->tracker->only_counts;
}

static ecma_status ask_commands(probes *p) {
    const ilj_instrument_options *o = p->options;
    if (o->command_texts && (!o->selection || !o->selection->leaves.count))
        return diag_report(&p->image->diag, DIAG_CONFIG, "texts of commands need leaves (--leaves)");
    /* A tracker that can have no leaves is refused with them. */
    if (!leaves_are_asked(p) || !selection_command_texts(o->selection, o->command_texts) ||
        !can_have_leaves(p->tracker))
        return ECMA_OK;
    p->commands.image = p->image;
    return check_tracker(p, PROBE_COMMANDS);
}

static bool commands_are_on(const probes *p) {
    return p->commands.count != 0;
}

static void clear_commands(probes *p) {
    command_types_clear(&p->commands);
}

static ecma_status ask_leaves(probes *p) {
    if (!leaves_are_asked(p))
        return ECMA_OK;
    if (!can_have_leaves(p->tracker))
        return refuse(p, probe_rows[PROBE_LEAVES].lacks);
    ilj_selection *selection = p->options->selection;
    selection->leaves.asked = true;
    p->leaves =
        (leaves){.image = p->image, .tracker = p->tracker, .patterns = &selection->leaves, .commands = &p->commands};
    p->looks |= 1u << PROBE_LEAVES;
    return leaves_begin(&p->leaves);
}

static void look_for_leaves(probes *p, const il_body *body, const state_machine *machine) {
    leaves_look(&p->leaves, body, machine);
}

static ecma_status number_leaves(probes *p, uint32_t *next) {
    ecma_status status = leaves_number(&p->leaves, *next);
    *next += p->leaves.count;
    return status;
}

static bool leaves_are_on(const probes *p) {
    return p->leaves.count != 0;
}

static bool plan_leaves(injector *in, method_plan *p) {
    return leaves_in(&in->probes->leaves, p->body, p->machine, &p->spills);
}

static void place_leaves(method_plan *p, buffer *types, uint32_t *next) {
    buffer_u8(types, MD_ELEMENT_I4);
    p->locals.leaf = (*next)++;
    command_spills_types(&p->spills, types);
    p->locals.spilled = *next;
    *next += p->spills.count;
}

static uint32_t insert_leaves(injector *in, const method_plan *p) {
    return leaves_insert(&in->probes->leaves, &in->il, p->machine, in->refs,
                         &(leaf_locals){p->locals.leaf, p->locals.spilled, &p->spills});
}

static void clear_leaves(probes *p) {
    leaves_clear(&p->leaves);
}

/* ---- Loops ------------------------------------------------------------------------------------------------------- */

static bool plan_loops(injector *in, method_plan *p) {
    p->renamed.count = 0;
    if (p->machine || !il_edit_has_loop(&in->il))
        return false;
    result_find(&in->results, in->view, p->row, &p->returned);
    if (!p->returned.runtime_async)
        float_parameters_find(&p->renamed, in->view, p->returned.signature, &in->il);
    return p->renamed.count != 0;
}

static void place_loops(method_plan *p, buffer *types, uint32_t *next) {
    p->locals.renamed = *next;
    *next += float_parameters_types(&p->renamed, types);
}

static uint32_t insert_loops(injector *in, const method_plan *p) {
    float_parameters_rename(&p->renamed, &in->il, p->locals.renamed, &in->scratch);
    return 1;
}

/* ---- The rows ---------------------------------------------------------------------------------------------------- */

const probe probe_rows[PROBES] = {
    [PROBE_OBJECTS] =
        {
            .name = "objects",
            .needs = TRACKER_GROUP_ALLOCATIONS,
            .lacks = "the tracker has no methods RegisterAllocations, WhenAllocating and WhenBoxing<T> beside an "
                     "int32 WhenEnteringMethod(int32), which counting objects needs",
            .counted = "objects are not counted where calls are only counted: nobody sees whose they are",
            .begin = begin_objects,
            .is_on = objects_are_on,
            .insert = insert_objects,
            .finish = finish_objects,
            .clear = clear_objects,
        },
    [PROBE_HANDLERS] =
        {
            .name = "handlers",
            .is_on = sees_more_than_calls,
            .without_locals = true,
            .insert = pair_handle,
        },
    [PROBE_COMMANDS] =
        {
            .name = "commands",
            .needs = TRACKER_GROUP_COMMANDS,
            .lacks = "the tracker has no methods WantsCommandText, WhenCommandHasText and WhenLeavingCommand, which "
                     "texts of commands need",
            .ask = ask_commands,
            .is_on = commands_are_on,
            .clear = clear_commands,
        },
    [PROBE_LEAVES] =
        {
            .name = "leaves",
            .lacks = "leaves need a tracker with Register, 'int WhenEnteringMethod(int)' and "
                     "'void WhenLeavingMethod(int)'",
            .ask = ask_leaves,
            .look = look_for_leaves,
            .number = number_leaves,
            .is_on = leaves_are_on,
            .plan = plan_leaves,
            .place = place_leaves,
            .insert = insert_leaves,
            .clear = clear_leaves,
        },
    [PROBE_LOOPS] =
        {
            .name = "loops",
            .is_on = sees_more_than_calls,
            .plan = plan_loops,
            .place = place_loops,
            .insert = insert_loops,
        },
    [PROBE_LEAVING] =
        {
            .name = "leaving",
            .is_on = sees_more_than_calls,
            .without_locals = true,
            .insert = pair_leave,
        },
};

/* ---- Steps ------------------------------------------------------------------------------------------------------- */

static void look_at_bodies(probes *p) {
    il_body body;
    il_fault fault;
    method_body *m;
    bytes from;
    uint32_t hint = 0;
    for (bodies_walk walk = {0}; bodies_next(&walk, p->bodies, p->image, &m, &from);)
        if (il_body_try_read(&body, from, &fault)) {
            const state_machine *machine = state_machines_with_events(p->machines, m->row, &hint);
            for (unsigned i = 0; i < PROBES; i++)
                if (p->looks >> i & 1)
                    probe_rows[i].look(p, &body, machine);
        }
}

ecma_status probes_look(probes *p) {
    ecma_status status = ECMA_OK;
    for (unsigned i = 0; i < PROBES && !status; i++)
        if (probe_rows[i].ask)
            status = probe_rows[i].ask(p);
    if (!status && p->looks)
        look_at_bodies(p);
    for (unsigned i = 0; i < PROBES && !status; i++)
        if (p->looks >> i & 1 && probe_rows[i].number)
            status = probe_rows[i].number(p, &p->id_count);
    return status;
}

ecma_status probes_begin(probes *p) {
    ecma_status status = ECMA_OK;
    for (unsigned i = 0; i < PROBES && !status; i++)
        if (probe_rows[i].begin)
            status = probe_rows[i].begin(p);
    return status;
}

ecma_status probes_finish(probes *p) {
    ecma_status status = ECMA_OK;
    for (unsigned i = 0; i < PROBES && !status; i++)
        if (probe_rows[i].finish)
            status = probe_rows[i].finish(p);
    return status;
}

void probes_clear(probes *p) {
    for (unsigned i = 0; i < PROBES; i++)
        if (probe_rows[i].clear)
            probe_rows[i].clear(p);
}
