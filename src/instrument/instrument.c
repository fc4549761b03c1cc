#include "instrument/instrument.h"

#include "instrument/passes.h"

#include <stdlib.h>

typedef enum when { ALWAYS, WITH_CODE, WITHOUT_CODE } when;

typedef struct pass {
    const char *name; /* for --trace */
    when when;
    ecma_status (*run)(job *j);
} pass;

/* From the input to the output's bytes, or to the reason why there are none, in this order. A
 * status other than ECMA_OK ends the run, and so does an input that is copied through. */
static const pass passes[] = {
    {"open the input", ALWAYS, pass_open_input},       /* views over its headers and metadata */
    {"open the tracker", ALWAYS, pass_open_tracker},   /* what it wants to be called with */
    {"join the settings", ALWAYS, pass_join_settings}, /* those that the output brings with it */
    {"read the key", ALWAYS, pass_read_key},           /* for the strong name */
    {"look at what it is", ALWAYS, pass_look_for_reason_to_copy},
    {"validate the metadata", ALWAYS, pass_validate},            /* later passes trust its rows */
    {"take out native code", ALWAYS, pass_take_out_native_code}, /* of ReadyToRun, unless it stays */
    {"check the layout", ALWAYS, pass_check_movable},            /* can its parts be moved? */
    {"check the key", ALWAYS, pass_check_key},                   /* is it the assembly's? */
    {"select methods", ALWAYS, pass_select_methods}, /* with their bodies; from here on there is code, or not */
    {"weigh native code", WITH_CODE, pass_weigh_native_code},   /* that stays: it goes where hardly any is used */
    {"check for spans", WITH_CODE, pass_check_for_spans},       /* can the program have any? */
    {"find state machines", WITH_CODE, pass_find_machines},     /* for a tracker that asks for them, and for names */
    {"find async methods", WITH_CODE, pass_find_async_methods}, /* those that the runtime suspends */
    {"deal ids", WITH_CODE, pass_deal_ids},                     /* one for each selected method; none changes */
    {"look at bodies", WITH_CODE, pass_look_at_bodies},         /* for probes that know them all before, as of leaves */
    {"find symbols", WITH_CODE, pass_find_symbols},             /* a PDB or .mdb to go along */
    {"choose exits", WITH_CODE, pass_choose_exits},             /* is any method guarded? */
    {"add references", WITH_CODE, pass_add_references},         /* to the tracker; the edit of the metadata begins */
    {"reference probes", WITH_CODE, pass_reference_probes},     /* the kinds of code that is put in (inject/probe.h) */
    {"add settings", WITH_CODE, pass_add_settings},             /* to the type initializer */
    {"add modules' names", WITH_CODE, pass_add_module_names},   /* beyond this, no row of ManifestResource is added */
    {"begin probes", WITH_CODE, pass_begin_probes},             /* those that choose methods, as captures do */
    {"inject", WITH_CODE, pass_inject_all},                     /* the new bodies; beyond this, none is left out */
    {"finish probes", WITH_CODE, pass_finish_probes},           /* beyond this, no row and no heap entry is added */
    {"rewrite symbols", WITH_CODE, pass_rewrite_symbols},       /* the PDB, and the debug directory */
    {"choose the MVID", WITH_CODE, pass_choose_mvid},           /* a hash of all that the output is made from */
    {"make the names", WITH_CODE, pass_make_names},             /* the resource that says which method an id is */
    {"rewrite the .mdb", WITH_CODE, pass_rewrite_mdb},          /* which names the new MVID */
    {"rewrite", WITH_CODE, pass_rewrite_code},                  /* layout, bytes, and reading them back */
    {"rewrite the manifest", WITHOUT_CODE, pass_rewrite_manifest}, /* its modules may be instrumented */
    {"renew hashes", ALWAYS, pass_renew_hashes},                   /* of modules, in the manifest */
    {"choose a copy", WITHOUT_CODE, pass_choose_copy}, /* unless the manifest changed; beyond this, no byte moves */
    {"sign", ALWAYS, pass_sign},                       /* needs all other bytes */
    {"tell", WITH_CODE, pass_tell},                    /* what the user should know of this output */
};

/* The memory that the passes' results take at this point. */
static uint64_t held_bytes(const job *j) {
    const buffer *buffers[] = {
        &j->settings,   &j->new_bodies,        &j->names,           &j->made.out,         &j->edit.strings,
        &j->edit.blobs, &j->edit.user_strings, &j->symbols.new_pdb, &j->symbols.inflated, &j->symbols.new_mdb};
    uint64_t bytes =
        (j->image ? arena_bytes(&j->image->arena) : 0) + (j->tracker_image ? arena_bytes(&j->tracker_image->arena) : 0);
    for (size_t i = 0; i < sizeof buffers / sizeof buffers[0]; i++)
        bytes += buffers[i]->capacity;
    for (unsigned i = 0; i < MD_TABLE_SPACE; i++)
        bytes += j->edit.rows[i].capacity;
    return bytes;
}

/* `pass`: the one that has ended; NULL: the first is about to begin. */
static void trace(const job *j, const char *pass) {
    if (j->options->trace)
        j->options->trace(j->options->trace_user, j->input, pass, held_bytes(j));
}

static ecma_status run_passes(job *j) {
    ecma_status status = ECMA_OK;
    *j->summary = (ilj_summary){.outcome = ILJ_OUTCOME_FAILED};
    trace(j, NULL);
    for (size_t i = 0; i < sizeof passes / sizeof passes[0] && !status && !j->ended; i++) {
        if (passes[i].when != ALWAYS && (passes[i].when == WITH_CODE) != j->has_code)
            continue;
        status = passes[i].run(j);
        trace(j, passes[i].name);
    }
    j->summary->instrumented = j->injected;
    memcpy(j->summary->left_out, j->bodies.left_out, sizeof j->summary->left_out);
    return status;
}

/* Puts what was made where it belongs. */
static ecma_status write_output(job *j) {
    ecma_status status = pass_write(j);
    trace(j, "write");
    return status;
}

/* Frees what nobody needs once the output is made; many outputs may wait to be written. */
static void clear_scratch(job *j) {
    buffer_clear(&j->names);
    buffer_clear(&j->settings);
    if (j->made.whole)
        buffer_clear(&j->new_bodies);
    ids_clear(&j->ids);
    probes_clear(&j->probes);
    references_clear(&j->refs);
    md_edit_clear(&j->edit);
    md_edit_clear(&j->manifest);
    identity_clear(&j->identity);
}

/* Ends the job and tells its result. */
static ilj_status end(job *j, ecma_status status) {
    if (status)
        j->summary->outcome = ILJ_OUTCOME_FAILED;
    clear_scratch(j);
    buffer_clear(&j->new_bodies);
    buffer_clear(&j->made.out);
    symbols_clear(&j->symbols);
    ilj_image_free(j->tracker_image);
    ilj_image_free(j->image);
    return status;
}

/* Runs the passes with a copy of the caller's options. */
static ecma_status run_with(job *j, const ilj_instrument_options *options) {
    ecma_status status = options_copy(&j->own, options, sizeof j->own, "ilj_instrument_options", j->context);
    j->options = &j->own;
    *j->summary = (ilj_summary){.outcome = ILJ_OUTCOME_FAILED};
    return status ? status : run_passes(j);
}

ilj_status ilj_instrument(ilj_summary *summary, ilj_context *context, const char *input, const char *output,
                          const ilj_instrument_options *options) {
    job j = {.context = context, .input = input, .output = output, .summary = summary};
    ecma_status status = run_with(&j, options);
    return end(&j, status ? status : write_output(&j));
}

/* ---- In two steps ---------------------------------------------------------------------------------------------- */

ilj_status ilj_job_make(ilj_job **job_made, ilj_summary *summary, ilj_context *context, const char *input,
                        const char *output, const ilj_instrument_options *options) {
    job *j = malloc(sizeof *j);
    if (!j) {
        diag d = context_diag(context, input);
        *summary = (ilj_summary){.outcome = ILJ_OUTCOME_FAILED};
        return diag_no_memory(&d);
    }
    *j = (job){.context = context, .input = input, .output = output, .summary = summary};
    ecma_status status = run_with(j, options);
    if (status) {
        end(j, status);
        free(j);
        return status;
    }
    clear_scratch(j);
    *job_made = j;
    return ILJ_OK;
}

ilj_status ilj_job_write(ilj_job *j) {
    ecma_status status = write_output(j);
    if (status)
        j->summary->outcome = ILJ_OUTCOME_FAILED;
    return status;
}

void ilj_job_free(ilj_job *j) {
    if (j)
        end(j, ECMA_OK);
    free(j);
}

/* ---- In memory ------------------------------------------------------------------------------------------------- */

ilj_status instrument_bytes(buffer *out, ilj_summary *summary, ilj_context *context, const char *name, bytes input,
                            const ilj_instrument_options *options) {
    job j = {
        .options = options, .context = context, .input = name, .output = name, .memory = &input, .summary = summary};
    ecma_status status = run_passes(&j);
    if (status == ECMA_OK) {
        *out = j.made.out;
        j.made.out = BUFFER_INIT;
    }
    return end(&j, status);
}
