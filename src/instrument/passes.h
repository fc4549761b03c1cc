/* passes.h - one run over one input, and the passes that it consists of; instrument.c has their
 * order. */
#ifndef ILINJECT_INSTRUMENT_PASSES_H
#define ILINJECT_INSTRUMENT_PASSES_H

#include "async/runtime_async.h"
#include "async/state_machines.h"
#include "inject/module/ids.h"
#include "inject/probes.h"
#include "input/ready_to_run.h"
#include "output/identity.h"
#include "output/native_list.h"
#include "output/rewrite.h"
#include "output/symbols.h"

/* One run over one input. Each pass fills in its own part and reads those of the passes before
 * it. */
typedef struct ilj_job {
    ilj_instrument_options own;            /* a copy of the caller's */
    const ilj_instrument_options *options; /* that one, or those of a caller within the library */
    ilj_context *context;
    const char *input, *output;
    const bytes *memory; /* the input's bytes: there is nothing beside them; NULL: it is a file */
    ilj_summary *summary;

    ilj_image *image;
    ilj_image *tracker_image; /* NULL: the built-in tracker's constants are known */
    tracker tracker;
    buffer settings;    /* for the tracker */
    bytes native_clock; /* beside it; size 0: there is none */
    identity identity;
    ready_to_run ready_to_run;
    native_code native; /* what stays of the code that was compiled ahead */
    native_list native_list;
    bodies bodies;
    state_machines machines;
    async_methods async_methods;
    ids ids;
    probes probes; /* whose own ids come after those */
    symbols symbols;
    bool guarded, search_pass; /* any method is guarded; and the search for handlers is seen */
    md_edit edit;
    references refs;
    uint32_t injected; /* methods */
    buffer new_bodies;
    buffer names;
    md_edit manifest; /* of an output whose own code stays: the rows that lead to its modules' names */
    uint32_t renewed; /* hashes of modules */
    rewritten made;

    bool ended;    /* copied through: no later pass has anything to do */
    bool stands;   /* the output is written, whatever becomes of its symbols */
    bool has_code; /* some method is instrumented; else the input's code, and its symbols, stay */
} job;

/* Each returns a status that ends the run when it is not ECMA_OK; the cause has been reported. */
ecma_status pass_open_input(job *j);
ecma_status pass_open_tracker(job *j);
ecma_status pass_join_settings(job *j);
ecma_status pass_read_key(job *j);
ecma_status pass_look_for_reason_to_copy(job *j);
ecma_status pass_validate(job *j);
ecma_status pass_take_out_native_code(job *j);
ecma_status pass_check_movable(job *j);
ecma_status pass_check_key(job *j);
ecma_status pass_select_methods(job *j);
ecma_status pass_weigh_native_code(job *j);
ecma_status pass_check_for_spans(job *j); /* spans.c */
ecma_status pass_find_machines(job *j);
ecma_status pass_find_async_methods(job *j);
ecma_status pass_deal_ids(job *j);
ecma_status pass_look_at_bodies(job *j);
ecma_status pass_find_symbols(job *j);
ecma_status pass_choose_exits(job *j);
ecma_status pass_add_references(job *j);
ecma_status pass_reference_probes(job *j);
ecma_status pass_add_settings(job *j);
ecma_status pass_add_module_names(job *j);
ecma_status pass_begin_probes(job *j);
ecma_status pass_inject_all(job *j);
ecma_status pass_finish_probes(job *j);
ecma_status pass_rewrite_symbols(job *j);
ecma_status pass_choose_mvid(job *j);
ecma_status pass_make_names(job *j);
ecma_status pass_rewrite_mdb(job *j);
ecma_status pass_rewrite_code(job *j);
ecma_status pass_rewrite_manifest(job *j);
ecma_status pass_renew_hashes(job *j);
ecma_status pass_choose_copy(job *j);
ecma_status pass_sign(job *j);
ecma_status pass_tell(job *j);

/* Puts what was made where it belongs. */
ecma_status pass_write(job *j);

#endif
