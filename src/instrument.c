#include "instrument.h"

#include "beside.h"
#include "capture_calls.h"
#include "foreign.h"
#include "identity.h"
#include "il/body.h"
#include "inject.h"
#include "literal.h"
#include "machine_tasks.h"
#include "machines.h"
#include "metadata/validate.h"
#include "modules.h"
#include "mvid.h"
#include "names.h"
#include "native_clock.h"
#include "out_file.h"
#include "pe/append.h"
#include "pe/writer.h"
#include "precompiled.h"
#include "rewrite.h"
#include "rules.h"
#include "select.h"
#include "settings.h"
#include "symbols.h"

#include <stdio.h>
#include <stdlib.h>

/* One run over one input; each step adds what the later ones need. */
typedef struct ilj_job {
    const ilj_instrument_options *options;
    const char *input, *output;
    bool in_memory; /* there is nothing beside the input */
    ilj_summary *summary;
    ilj_image *image;
    ilj_image *tracker_image;
    tracker tracker;
    precompiled precompiled;
    identity identity;
    bodies bodies;
    machines machines;
    async_methods async_methods;
    md_edit edit;
    references refs;
    capture capture;
    buffer settings;    /* for the tracker */
    bytes native_clock; /* beside it; size 0: there is none */
    buffer new_bodies;
    named_method *named; /* methods that got an id, by id */
    buffer names;
    symbols symbols;
    bool code_stays; /* no method is instrumented: the input's symbols fit the output */
    rewritten made;
} job;

/* ---- The steps, in order; a step that returns a status other than ECMA_OK ends the run ------------------------- */

static ecma_status open_input(job *j, ilj_context *context) {
    diag d = context_diag(context, j->input);
    if (!j->options->in_place && os_same_file(j->input, j->output))
        return diag_report(&d, DIAG_SAME_FILE, "input and output are the same file; --in-place replaces the input");
    return (ecma_status)ilj_image_open(&j->image, context, j->input);
}

static ecma_status open_tracker(job *j, ilj_context *context) {
    const char *path = j->options->tracker;
    ilj_status status = path ? ilj_image_open(&j->tracker_image, context, path)
                             : image_open_bytes(&j->tracker_image, context, "built-in tracker", tracker_built_in());
    if (status)
        return (ecma_status)status;
    const char *type = j->options->tracker_type ? j->options->tracker_type : TRACKER_DEFAULT_TYPE;
    ecma_status read = tracker_read(&j->tracker, j->tracker_image, type, &j->tracker_image->diag);
    if (!read && j->options->setting_count && !j->tracker.takes_settings)
        return diag_report(&j->tracker_image->diag, DIAG_TRACKER_SHAPE,
                           "%s has no 'void Configure(string)' beside a Register, which settings need", type);
    if (!read && selection_counts(j->options->selection, j->options->counts))
        read = tracker_count_only(&j->tracker, &j->tracker_image->diag);
    if (!read)
        read = settings_join(&j->settings, j->options, &j->image->diag);
    return read ? read : native_clock_choose(&j->native_clock, j->options, &j->image->diag);
}

static ilj_exits exits_of(const job *j, const method_body *m) {
    return selection_exits(j->options->selection, m->rule, j->options->exits);
}

/* Is any method to be guarded, and the search for handlers to be seen? */
static ecma_status choose_guards(const job *j, bool *guarded, bool *search_pass) {
    const ilj_instrument_options *o = j->options;
    ilj_exceptions exceptions = o->exceptions ? o->exceptions : o->selection ? o->selection->exceptions : 0;
    bool differ = selection_has_exits(o->selection);
    *guarded = !differ && selection_exits(o->selection, RULE_NONE, o->exits) == ILJ_EXITS_GUARDED;
    for (uint32_t i = 0; differ && i < j->bodies.count && !*guarded; i++)
        *guarded = j->bodies.list[i].reason == ILJ_INSTRUMENT && exits_of(j, &j->bodies.list[i]) == ILJ_EXITS_GUARDED;
    *search_pass = *guarded && exceptions == ILJ_EXCEPTIONS_FULL && !j->tracker.only_counts;
    if (*search_pass && !j->tracker.sees_exceptions_pass)
        return diag_report(&j->image->diag, DIAG_TRACKER_SHAPE,
                           "the tracker has no method WhenExceptionPasses, which seeing all of an exception needs");
    return ECMA_OK;
}

static int by_row(const void *a, const void *b) {
    uint32_t x = *(const uint32_t *)a, y = ((const named_method *)b)->row;
    return (x > y) - (x < y);
}

/* Now that every method has its id: the ids of the methods that start machines. */
static void set_starters(job *j, const buffer *fixups) {
    const starter_fixup *all = (const starter_fixup *)(const void *)fixups->data;
    for (size_t i = 0; i < fixups->size / sizeof *all; i++) {
        const named_method *starter =
            bsearch(&all[i].starter, j->named, j->summary->instrumented, sizeof *j->named, by_row);
        store_u32(j->new_bodies.data + all[i].at, starter ? (uint32_t)(starter - j->named) : all[i].id);
    }
}

/* Gives every method that can be instrumented its new body, and the next id. */
static ecma_status inject_all(job *j) {
    ilj_image *image = j->image;
    injector in;
    ecma_status status =
        injector_init(&in, image, &j->edit, &j->tracker, &j->refs, &j->machines, &j->async_methods, &j->capture);
    bool exits_differ = selection_has_exits(j->options->selection);
    ilj_exits exits = selection_exits(j->options->selection, RULE_NONE, j->options->exits);
    pe_stretch stretch = {0};
    for (uint32_t i = 0; i < j->bodies.count && status == ECMA_OK; i++) {
        method_body *m = &j->bodies.list[i];
        bytes from;
        il_body body;
        il_fault fault = {0};
        if (m->reason != ILJ_INSTRUMENT || !pe_try_bytes_near(&image->pe, &stretch, m->rva, &from) ||
            !il_body_try_read(&body, from, &fault))
            continue;
        if (exits_differ)
            exits = exits_of(j, m);
        buffer_align(&j->new_bodies, 4);
        size_t start = j->new_bodies.size;
        status = inject_method(&in, &j->new_bodies, &m->new_is_fat, m->row, j->summary->instrumented, exits, &body,
                               &fault, &image->diag);
        if (fault.what && (status == ECMA_BAD_FILE || status == ECMA_UNSUPPORTED)) {
            bodies_leave_out(&j->bodies, image, m, fault.what, fault.offset);
            j->new_bodies.size = start;
            status = ECMA_OK;
            continue;
        }
        /* Any number of methods can share one body. */
        if (status == ECMA_OK && j->new_bodies.size > INT32_MAX)
            status = diag_report(&image->diag, DIAG_IMAGE_SIZE, "the new bodies are more than 2 GiB");
        if (status)
            break;
        symbols_record(&j->symbols, m->row, m->code_size, &in.il);
        m->new_offset = (uint32_t)start;
        m->new_size = (uint32_t)(j->new_bodies.size - start);
        j->named[j->summary->instrumented++] = (named_method){m->row, m->code_size, 0, 0};
    }
    if (status == ECMA_OK)
        set_starters(j, &in.fixups);
    injector_clear(&in);
    bodies_settle(&j->bodies, j->image);
    memcpy(j->summary->left_out, j->bodies.left_out, sizeof j->summary->left_out);
    return status;
}

/* Says of each machine's MoveNext what it is and whose. */
static void name_machines(job *j) {
    const uint32_t count = j->summary->instrumented;
    for (uint32_t i = 0; i < j->machines.count; i++) {
        const machine *m = &j->machines.list[i];
        named_method *step = bsearch(&m->method, j->named, count, sizeof *j->named, by_row);
        const named_method *owner = bsearch(&m->owner, j->named, count, sizeof *j->named, by_row);
        if (!step)
            continue;
        step->flags = (m->is_async ? NAME_ASYNC : 0u) | (m->is_iterator ? NAME_ITERATOR : 0u);
        step->owner = owner ? (uint32_t)(owner - j->named) + 1 : 0;
    }
}

static void choose_mvid(job *j, uint8_t mvid[16]) {
    mvid_make(mvid, &(mvid_source){
                        .file = j->image->pe.file,
                        .edit = &j->edit,
                        .new_bodies = buffer_bytes(&j->new_bodies),
                        .methods = bytes_of(j->named, j->summary->instrumented * sizeof *j->named),
                        .fate = (uint8_t)identity_fate(&j->identity, &j->image->pe),
                        .pdb_id = bytes_of(j->symbols.id, j->symbols.has_pdb ? sizeof j->symbols.id : 0),
                    });
}

static void old_mvid(const job *j, uint8_t mvid[16]) {
    const md_view *v = &j->image->metadata;
    bytes guid;
    memset(mvid, 0, 16);
    if (md_try_guid(v, md_cell(v, MD_Module_Mvid, 1), &guid))
        memcpy(mvid, guid.data, 16);
}

static ecma_status make_mdb(job *j) {
    uint8_t old[16];
    old_mvid(j, old);
    return symbols_rewrite_mdb(&j->symbols, j->edit.set_mvid ? j->edit.mvid : old, &j->image->diag);
}

static ecma_status make_names(job *j) {
    const md_view *v = &j->image->metadata;
    diag *d = &j->image->diag;
    uint8_t old[16];
    old_mvid(j, old);
    uint32_t count = j->tracker.registers ? j->summary->instrumented : 0;
    buffer data = BUFFER_INIT;
    ecma_status status = ECMA_OK;
    if (count)
        status = names_build(&data, v, &j->image->index, j->named, count, j->summary->left_out, &j->image->arena, d);
    buffer_u32(&j->names, 0);
    if (!status)
        status = names_pack(&j->names, buffer_bytes(&data), count, j->precompiled.found ? NAMES_FILE_AHEAD : 0, old, d);
    if (!status)
        store_u32(j->names.data, (uint32_t)j->names.size - 4);
    buffer_clear(&data);
    return status;
}

static void clear_named(job *j) {
    free(j->named);
    j->named = NULL;
}

static void tell_about_identity(job *j) {
    const pe_image *pe = &j->image->pe;
    diag *d = &j->image->diag;
    precompiled_tell(&j->precompiled, j->image);
    if (pe_needs_append(&j->image->pe))
        diag_report(&j->image->diag, DIAG_NATIVE_KEPT,
                    "a mixed-mode image: its native code stays as it is and is not measured");
    if (references_is_core_library(&j->image->metadata) && j->options->tracker == NULL)
        diag_report(d, DIAG_CORE_LIBRARY,
                    "this is the core library, which the built-in tracker needs: it will not run in it");
    if (pe->directories[PE_DIRECTORY_CERTIFICATE].size)
        diag_report(d, DIAG_AUTHENTICODE, "the Authenticode signature was dropped, as any change voids it; sign last");
    if (ilj_image_is_netmodule(j->image))
        diag_report(
            d, DIAG_NETMODULE,
            "a module of an assembly whose manifest holds its hash: instrument that as well, into the same folder");
    if (md_cell(&j->image->metadata, MD_Assembly_PublicKey, 1) && !j->tracker.has_public_key)
        diag_report(d, DIAG_TRACKER_UNSIGNED,
                    "it has a strong name, the tracker has none: .NET Framework will refuse the reference to it");
    foreign_tell(&j->image->metadata, d);
}

/* The tracker, and what a host reads, beside the output. */
static ecma_status write_companions(job *j) {
    diag *d = &j->image->diag;
    size_t size = strlen(j->tracker.assembly_name) + 5;
    char *file_name = arena_alloc(&j->image->arena, size);
    if (!file_name)
        return diag_no_memory(d);
    snprintf(file_name, size, "%s.dll", j->tracker.assembly_name);
    return beside_write(d, j->options->outputs, j->input, j->output,
                        &(beside_tracker){file_name, j->tracker.image->pe.file, j->native_clock});
}

static bool nothing_selected(const bodies *b) {
    for (uint32_t i = 0; i < b->count; i++)
        if (b->list[i].reason == ILJ_INSTRUMENT)
            return false;
    return true;
}

static ecma_status copy_through(job *j, const char *why) {
    j->summary->outcome = ILJ_OUTCOME_COPIED;
    j->summary->skip_reason = why;
    j->summary->instrumented = 0;
    j->summary->output_bytes = j->summary->input_bytes;
    return ECMA_OK;
}

/* Does the assembly have other files, which may be instrumented in the output's folder? */
static bool has_modules(const job *j) {
    return md_row_count(&j->image->metadata, MD_TABLE_File) && !j->in_memory && !j->options->dry_run;
}

/* Where the checksum stands in the output; 0: there is none, as the input had none. */
static size_t checksum_offset(const job *j) {
    const pe_image *pe = &j->image->pe;
    return pe->checksum ? pe->optional_offset + PE_CHECKSUM_OFFSET : 0;
}

/* What comes last, as it needs all the bytes: the signature; the checksum of a file is taken while it is written. */
static ecma_status finish(job *j) {
    buffer *out = &j->made.out;
    signature_fate fate = identity_fate(&j->identity, &j->image->pe);
    if ((j->in_memory || fate == SIGNATURE_MADE || fate == SIGNATURE_ZEROED) && rewritten_complete(&j->made))
        return diag_no_memory(&j->image->diag);
    ecma_status status = identity_finish(&j->identity, out);
    size_t at = checksum_offset(j);
    if (!status && j->in_memory && at)
        store_u32(out->data + at, pe_checksum(out->data, out->size, at));
    return status;
}

/* The output of a manifest whose own code stays as it is, when its modules beside the output are instrumented: with the
 * rows that lead to their names, and their hashes. *changed: there is such an output. */
static ecma_status renew_manifest(job *j, bool *changed) {
    ilj_image *image = j->image;
    diag *d = &image->diag;
    bytes file = image->pe.file;
    uint32_t renewed;
    ecma_status status;
    md_edit_clear(&j->edit);
    md_edit_init(&j->edit, &image->metadata);
    if ((status = modules_add_names(&j->edit, j->output, d)))
        return status;
    bool names = j->edit.added[MD_TABLE_ManifestResource] != 0;
    references_clear(&j->refs);
    rewrite_input in = {.image = image, .bodies = &j->bodies, .edit = &j->edit, .refs = &j->refs};
    if (names) {
        status = rewrite(&j->made, &in);
    } else {
        buffer_append(&j->made.out, file.data, file.size);
        j->made.whole = true;
    }
    if (!status && (j->made.out.failed || rewritten_complete(&j->made)))
        status = diag_no_memory(d);
    if (status || (status = modules_renew_hashes(&renewed, &j->made.out, j->output, d)))
        return status;
    *changed = names || renewed;
    return *changed ? finish(j) : ECMA_OK;
}

/* Nothing to inject; but a manifest may be no copy all the same. */
static ecma_status copy_nothing(job *j) {
    const md_view *v = &j->image->metadata;
    diag *d = &j->image->diag;
    const uint32_t *left_out = j->bodies.left_out;
    ecma_status status;
    memcpy(j->summary->left_out, left_out, sizeof j->summary->left_out);
    j->code_stays = true;
    if (has_modules(j)) {
        bool changed = false;
        if ((status = renew_manifest(j, &changed)))
            return status;
        if (changed) {
            j->summary->output_bytes = j->made.out.size;
            j->summary->outcome = ILJ_OUTCOME_INSTRUMENTED;
            return ECMA_OK;
        }
        buffer_clear(&j->made.out);
    }
    if (left_out[ILJ_EXCLUDED] + left_out[ILJ_TOO_SMALL] + left_out[ILJ_TRIVIAL_ACCESSOR] +
            left_out[ILJ_COMPILER_GENERATED] + left_out[ILJ_CALLED_OFTEN] + left_out[ILJ_LIKELY_INLINED] ==
        0) {
        const char *culture = md_name(v, MD_Assembly_Culture, 1);
        diag_report(d, DIAG_NOTHING_SELECTED, "%s; copied through",
                    *culture ? "a satellite assembly, which holds no code" : "no method has a body to instrument");
        return copy_through(j, *culture ? "satellite assembly" : "nothing to instrument");
    }
    diag_report(d, DIAG_ALL_LEFT_OUT, "the rules leave out every method; copied through");
    return copy_through(j, "left out by the rules");
}

/* What nobody wants to know is not looked for: with names it is told whose code a machine runs. */
static ecma_status find_machines(job *j) {
    bool told = tracker_is_told_of_machines(&j->tracker);
    return told || j->tracker.registers ? machines_find(&j->machines, j->image, &j->bodies, told) : ECMA_OK;
}

/* Adds what is called in state machines that tell of themselves and in methods that the runtime suspends, if there are
 * any. */
static ecma_status reference_async(job *j) {
    const bool *has = j->tracker.has_machine_method;
    ecma_status status = ECMA_OK;
    if (tracker_is_told_of_machines(&j->tracker) && machines_have_events(&j->machines)) {
        references_add_machines(&j->refs, &j->edit, &j->tracker);
        if (has[TRACKER_IDENTIFIED])
            status = machine_tasks_find(&j->machines, j->image, &j->edit);
    }
    if (has[TRACKER_ENTERS_ASYNC] && has[TRACKER_LEAVES_ASYNC] && j->async_methods.count && !status) {
        references_add_async(&j->refs, &j->edit, &j->tracker);
        status = async_methods_reference(&j->async_methods, j->image, &j->bodies, &j->edit);
    }
    return status;
}

/* Those that the output brings with it, if there are any. */
static ecma_status add_settings(job *j) {
    if (j->settings.size == 0)
        return ECMA_OK;
    md_token text = literal_add(&j->edit, &j->settings);
    if (!text)
        return diag_no_memory(&j->image->diag);
    references_add_settings(&j->refs, &j->edit, text);
    return ECMA_OK;
}

/* From the opened input and tracker to the output's bytes, or to the reason why there are none. */
static ecma_status make_output(job *j) {
    ecma_status status;
    uint32_t renewed;
    ilj_image *image = j->image;
    diag *d = &image->diag;
    if ((status = image_check_assembly(image)) || (status = image_check_assembly(j->tracker_image)))
        return status;
    j->summary->input_bytes = image->pe.file.size;
    j->summary->methods = md_row_count(&image->metadata, MD_TABLE_MethodDef);
    const char *why = select_reason_to_copy(image, j->tracker.assembly_name, j->options->force);
    if (why)
        return copy_through(j, why);

    if ((status = md_validate(&image->metadata, d)) || (status = precompiled_take_out(&j->precompiled, image)) ||
        (status = pe_check_movable(&image->pe, d)) || (status = identity_check(&j->identity)))
        return status;
    j->summary->key_fits = j->identity.fits;
    j->named = calloc(j->summary->methods + 1u, sizeof *j->named);
    if (!j->named)
        return diag_no_memory(d);
    if ((status = bodies_find(&j->bodies, image, j->options->selection)))
        return status;
    if (nothing_selected(&j->bodies))
        return copy_nothing(j);
    if ((status = find_machines(j)) || (status = async_methods_find(&j->async_methods, image, &j->bodies)))
        return status;
    md_edit_init(&j->edit, &image->metadata);
    if ((status = symbols_find(&j->symbols, image, &j->bodies, j->in_memory ? NULL : j->input, j->output)))
        return status;
    bool guarded, search_pass;
    /* Beyond this point no row of ManifestResource is added; what injected code names still is, at the tables' ends. */
    if ((status = choose_guards(j, &guarded, &search_pass)) ||
        (status = references_add(&j->refs, &j->edit, &j->tracker, guarded, search_pass, d)) ||
        (status = reference_async(j)) || (status = add_settings(j)) ||
        (has_modules(j) && (status = modules_add_names(&j->edit, j->output, d))) ||
        (status = capture_begin(&j->capture, image, &j->edit, &j->refs, &j->tracker, j->options->selection, &j->bodies,
                                d)) ||
        (status = inject_all(j)) || (status = capture_finish(&j->capture, d)))
        return status;
    if (j->summary->instrumented == 0)
        return copy_nothing(j);
    holder_set_method_count(&j->refs.holder, j->summary->instrumented);
    name_machines(j);
    if ((status = symbols_rewrite(&j->symbols, &j->edit, d)))
        return status;
    if (!j->options->keep_mvid && !j->precompiled.component) {
        j->edit.set_mvid = true;
        choose_mvid(j, j->edit.mvid);
    }
    if ((status = make_names(j)) || (status = make_mdb(j)))
        return status;
    clear_named(j);
    rewrite_input in = {image,
                        &j->bodies,
                        buffer_bytes(&j->new_bodies),
                        &j->edit,
                        &j->refs,
                        buffer_bytes(&j->names),
                        j->symbols.changes,
                        j->symbols.change_count};
    if ((status = rewrite(&j->made, &in)))
        return status;
    /* Beyond this point no byte moves. */
    if (has_modules(j) && rewritten_complete(&j->made))
        return diag_no_memory(d);
    if (has_modules(j) && (status = modules_renew_hashes(&renewed, &j->made.out, j->output, d)))
        return status;
    if ((status = finish(j)))
        return status;
    tell_about_identity(j);
    j->summary->output_bytes = j->made.out.size;
    j->summary->outcome = ILJ_OUTCOME_INSTRUMENTED;
    return ECMA_OK;
}

/* The assembly and its symbols, which take their places together. */
static ecma_status write_both(void *user) {
    job *j = user;
    diag *d = &j->image->diag;
    ecma_status status = j->code_stays ? symbols_copy(d, j->input, j->output) : symbols_prepare(&j->symbols, d);
    if (status == ECMA_OK)
        status = out_file_write(d, j->output, &j->made, checksum_offset(j), j->input);
    diag silent = {0}, *told = status ? &silent : d; /* one cause is told once */
    ecma_status settled = j->code_stays ? ECMA_OK : symbols_settle(&j->symbols, status == ECMA_OK, told);
    return status ? status : settled;
}

static ecma_status write_copy(job *j) {
    diag *d = &j->image->diag;
    ecma_status status = symbols_copy(d, j->input, j->output);
    bool in_place = os_same_file(j->input, j->output);
    /* It may be another tracker. */
    beside_forget(j->options->outputs);
    if (status == ECMA_OK && in_place)
        status = symbols_resume(j->image, j->output);
    return status || in_place ? status : os_copy_file(d, j->input, j->output);
}

/* Puts what was made where it belongs. */
static ecma_status write_output(job *j) {
    if (j->options->dry_run)
        return ECMA_OK;
    bool copied = j->summary->outcome == ILJ_OUTCOME_COPIED;
    ecma_status status = ECMA_OK;
    /* An input that is instrumented already needs its tracker wherever it goes. */
    if (!copied || references_instrumented_times(&j->image->metadata))
        status = write_companions(j);
    return status ? status : copied ? write_copy(j) : os_undisturbed(write_both, j);
}

/* What nobody needs once the output is made; many outputs may wait to be written. */
static void clear_scratch(job *j) {
    buffer_clear(&j->names);
    buffer_clear(&j->settings);
    if (j->made.whole)
        buffer_clear(&j->new_bodies);
    clear_named(j);
    capture_clear(&j->capture);
    references_clear(&j->refs);
    md_edit_clear(&j->edit);
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
    return status_of(status);
}

static ecma_status make(job *j, ilj_context *context) {
    ecma_status status;
    *j->summary = (ilj_summary){.outcome = ILJ_OUTCOME_FAILED};
    if ((status = open_input(j, context)) || (status = open_tracker(j, context)) ||
        (status = identity_open(&j->identity, j->image, j->options)))
        return status;
    return make_output(j);
}

ilj_status ilj_instrument(ilj_summary *summary, ilj_context *context, const char *input, const char *output,
                          const ilj_instrument_options *options) {
    job j = {.options = options, .input = input, .output = output, .summary = summary};
    ecma_status status = make(&j, context);
    if (status == ECMA_OK)
        status = write_output(&j);
    return end(&j, status);
}

/* ---- In two steps ---------------------------------------------------------------------------------------------- */

ilj_status ilj_job_make(ilj_job **job_made, ilj_summary *summary, ilj_context *context, const char *input,
                        const char *output, const ilj_instrument_options *options) {
    job *j = malloc(sizeof *j);
    if (!j) {
        diag d = context_diag(context, input);
        *summary = (ilj_summary){.outcome = ILJ_OUTCOME_FAILED};
        return status_of(diag_no_memory(&d));
    }
    *j = (job){.options = options, .input = input, .output = output, .summary = summary};
    ecma_status status = make(j, context);
    if (status) {
        end(j, status);
        free(j);
        return status_of(status);
    }
    clear_scratch(j);
    *job_made = j;
    return ILJ_OK;
}

ilj_status ilj_job_write(ilj_job *j) {
    ecma_status status = write_output(j);
    if (status)
        j->summary->outcome = ILJ_OUTCOME_FAILED;
    return status_of(status);
}

void ilj_job_free(ilj_job *j) {
    if (j)
        end(j, ECMA_OK);
    free(j);
}

/* ---- In memory ------------------------------------------------------------------------------------------------- */

ilj_status instrument_bytes(buffer *out, ilj_summary *summary, ilj_context *context, const char *name, bytes input,
                            const ilj_instrument_options *options) {
    *summary = (ilj_summary){.outcome = ILJ_OUTCOME_FAILED};
    job j = {.options = options, .input = name, .output = name, .in_memory = true, .summary = summary};
    ecma_status status = (ecma_status)image_open_bytes(&j.image, context, name, input);
    if (status == ECMA_OK && (status = open_tracker(&j, context)) == ECMA_OK &&
        (status = identity_open(&j.identity, j.image, options)) == ECMA_OK)
        status = make_output(&j);
    if (status == ECMA_OK) {
        *out = j.made.out;
        j.made.out = BUFFER_INIT;
    }
    return end(&j, status);
}
