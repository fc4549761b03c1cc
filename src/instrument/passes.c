#include "instrument/passes.h"

#include "async/span_methods.h"
#include "base/pages.h"
#include "inject/inject.h"
#include "inject/module/user_string.h"
#include "input/budget.h"
#include "input/other_tools.h"
#include "metadata/signature.h"
#include "metadata/validate.h"
#include "naming/notes.h"
#include "output/companions.h"
#include "output/line_list.h"
#include "output/modules.h"
#include "output/mvid.h"
#include "output/names_resource.h"
#include "output/note_list.h"
#include "output/out_file.h"
#include "output/release.h"
#include "output/root_list.h"
#include "output/site_list.h"
#include "pe/append.h"
#include "pe/writer.h"
#include "select/eligible.h"
#include "select/resolvers_report.h"
#include "select/root_rules.h"
#include "select/rules.h"
#include "select/settings.h"
#include "tracker/native_clock.h"

#include <stdio.h>

/* Does the assembly have other files, which may be instrumented in the output's folder? */
static bool has_modules(const job *j) {
    return md_row_count(&j->image->metadata, MD_TABLE_File) && !j->memory && !j->options->dry_run;
}

static ecma_status copy_through(job *j, const char *why) {
    j->summary->outcome = ILJ_OUTCOME_COPIED;
    j->summary->skip_reason = why;
    j->summary->output_bytes = j->summary->input_bytes;
    j->ended = true;
    return ECMA_OK;
}

/* ---- The input, the tracker, the key --------------------------------------------------------------------------- */

ecma_status pass_open_input(job *j) {
    if (j->memory)
        return image_open_bytes(&j->image, j->context, j->input, *j->memory);
    diag d = context_diag(j->context, j->input);
    if (!j->options->in_place && os_same_file(j->input, j->output))
        return diag_report(&d, DIAG_SAME_FILE, "input and output are the same file; --in-place replaces the input");
    return ilj_image_open(&j->image, j->context, j->input);
}

/* Of the built-in tracker nothing is read. */
static ecma_status read_tracker(job *j, const char *type, diag *d) {
    const char *path = j->options->tracker;
    if (j->options->spans) {
        tracker_take_spans(&j->tracker);
        return path || j->options->tracker_type
                   ? diag_report(d, DIAG_TRACKER_SHAPE, "spans have a tracker of their own, so none can be given")
                   : ECMA_OK;
    }
    if (!path && strcmp(type, TRACKER_DEFAULT_TYPE) == 0) {
        tracker_take_built_in(&j->tracker);
        return ECMA_OK;
    }
    ilj_status status = path ? ilj_image_open(&j->tracker_image, j->context, path)
                             : image_open_bytes(&j->tracker_image, j->context, d->file, tracker_built_in());
    return status ? status : tracker_read(&j->tracker, j->tracker_image, type, d);
}

ecma_status pass_open_tracker(job *j) {
    const char *type = j->options->tracker_type ? j->options->tracker_type : TRACKER_DEFAULT_TYPE;
    const char *shown = j->options->spans ? TRACKER_SPANS_FILE : "built-in tracker";
    diag d = context_diag(j->context, j->options->tracker ? j->options->tracker : shown);
    ecma_status read = read_tracker(j, type, &d);
    if (!read && j->options->setting_count && !j->tracker.can[TRACKER_GROUP_SETTINGS])
        return diag_report(&d, DIAG_TRACKER_SHAPE,
                           "%s has no 'void Configure(string)' beside a Register, which settings need", type);
    if (!read && selection_counts(j->options->selection, j->options->counts))
        read = tracker_count_only(&j->tracker, &d);
    return read;
}

ecma_status pass_join_settings(job *j) {
    ecma_status status = settings_join(&j->settings, j->options, &j->image->diag);
    return status ? status : native_clock_choose(&j->native_clock, j->options, &j->image->diag);
}

ecma_status pass_read_key(job *j) {
    return identity_open(&j->identity, j->image, j->options);
}

/* ---- The input's parts ------------------------------------------------------------------------------------------ */

ecma_status pass_look_for_reason_to_copy(job *j) {
    ecma_status status;
    if ((status = image_check_assembly(j->image)) ||
        (j->tracker_image && (status = image_check_assembly(j->tracker_image))))
        return status;
    j->summary->input_bytes = j->image->pe.file.size;
    j->summary->methods = md_row_count(&j->image->metadata, MD_TABLE_MethodDef);
    const char *why = select_reason_to_copy(j->image, j->tracker.assembly_name, j->options->force);
    return why ? copy_through(j, why) : ECMA_OK;
}

ecma_status pass_validate(job *j) {
    ecma_status status = md_validate(&j->image->metadata, &j->image->diag);
    if (!status)
        image_measure_resources(j->image);
    return status;
}

/* The image without it says of its resources what the old one said. */
static ecma_status take_out_native_code(job *j) {
    ecma_status status = ready_to_run_take_out(&j->ready_to_run, j->image);
    j->summary->ready_to_run = j->ready_to_run.machine;
    if (!status)
        image_measure_resources(j->image);
    return status;
}

/* What counts alone is for a choice, and an output that keeps its code. */
ecma_status pass_take_out_native_code(job *j) {
    const ilj_native wanted = j->options->native;
    if (j->tracker.only_counts && wanted != ILJ_NATIVE_DROP && native_list_read(&j->native_list, j->image))
        return ECMA_NO_MEMORY;
    if (wanted == ILJ_NATIVE_KEEP || (wanted != ILJ_NATIVE_DROP && !selection_takes_all(j->options->selection)))
        ready_to_run_keep(&j->ready_to_run, j->image);
    return j->ready_to_run.kept ? ECMA_OK : take_out_native_code(j);
}

ecma_status pass_check_movable(job *j) {
    return pe_check_movable(&j->image->pe, &j->image->diag);
}

ecma_status pass_check_key(job *j) {
    ecma_status status = identity_check(&j->identity);
    j->summary->key_fits = !status && j->identity.fits;
    return status;
}

/* ---- The methods ------------------------------------------------------------------------------------------------ */

ecma_status pass_select_methods(job *j) {
    ecma_status status = bodies_find(&j->bodies, j->image, j->options->selection);
    if (!status && j->options->spans)
        status = span_methods_choose(&j->bodies, j->image);
    if (!status)
        status = bodies_check_budget(&j->bodies, j->image);
    for (uint32_t i = 0; !status && i < j->bodies.count && !j->has_code; i++)
        j->has_code = j->bodies.list[i].reason == ILJ_INSTRUMENT;
    return status;
}

/* Where it goes after all, the bodies lie elsewhere. */
ecma_status pass_weigh_native_code(job *j) {
    ready_to_run *ahead = &j->ready_to_run;
    if (!ahead->kept)
        return ECMA_OK;
    ecma_status status = native_code_find(&j->native, &ahead->code, &j->bodies, j->image);
    if (status || j->options->native == ILJ_NATIVE_KEEP || native_code_is_worth_it(&j->native))
        return status;
    ready_to_run_give_up(ahead, j->image);
    j->native = (native_code){0};
    if ((status = take_out_native_code(j)) || (status = pass_check_movable(j)))
        return status;
    j->bodies = (bodies){0};
    j->has_code = false;
    return pass_select_methods(j);
}

ecma_status pass_find_machines(job *j) {
    bool events = tracker_is_told_of_machines(&j->tracker);
    return events || j->tracker.registers ? state_machines_find(&j->machines, j->image, &j->bodies, events) : ECMA_OK;
}

ecma_status pass_find_async_methods(job *j) {
    return async_methods_find(&j->async_methods, j->image, &j->bodies);
}

ecma_status pass_deal_ids(job *j) {
    return ids_deal(&j->ids, &j->bodies, &j->machines, &j->image->diag);
}

ecma_status pass_look_at_bodies(job *j) {
    j->probes = (probes){.image = j->image,
                         .options = j->options,
                         .tracker = &j->tracker,
                         .bodies = &j->bodies,
                         .machines = &j->machines,
                         .async_methods = &j->async_methods,
                         .ids = &j->ids,
                         .edit = &j->edit,
                         .refs = &j->refs,
                         .id_count = j->ids.count};
    return probes_look(&j->probes);
}

ecma_status pass_find_symbols(job *j) {
    return symbols_find(&j->symbols, j->image, &j->bodies, j->memory ? NULL : j->input, j->output);
}

static ilj_exits exits_of(const job *j, const method_body *m) {
    return selection_exits(j->options->selection, m->rule, j->options->exits);
}

ecma_status pass_choose_exits(job *j) {
    const ilj_instrument_options *o = j->options;
    ilj_exceptions exceptions = o->exceptions ? o->exceptions : o->selection ? o->selection->exceptions : 0;
    bool differ = selection_has_exits(o->selection);
    j->guarded = !differ && selection_exits(o->selection, RULE_NONE, o->exits) == ILJ_EXITS_GUARDED;
    for (uint32_t i = 0; differ && i < j->bodies.count && !j->guarded; i++)
        j->guarded = j->bodies.list[i].reason == ILJ_INSTRUMENT && exits_of(j, &j->bodies.list[i]) == ILJ_EXITS_GUARDED;
    j->search_pass = j->guarded && exceptions == ILJ_EXCEPTIONS_FULL && !j->tracker.only_counts;
    if (j->search_pass && !j->tracker.guards[TRACKER_GUARD_PASSES])
        return diag_report(&j->image->diag, DIAG_TRACKER_SHAPE,
                           "the tracker has no method WhenExceptionPasses, which seeing all of an exception needs");
    return ECMA_OK;
}

/* ---- Rows and code ---------------------------------------------------------------------------------------------- */

ecma_status pass_add_references(job *j) {
    md_edit_init(&j->edit, &j->image->metadata);
    const references_wanted wanted = {j->guarded, j->search_pass, j->probes.id_count};
    return references_add(&j->refs, &j->edit, &j->tracker, &wanted, &j->image->diag);
}

ecma_status pass_reference_probes(job *j) {
    return probes_step(&j->probes, PROBE_REFERENCE);
}

ecma_status pass_add_settings(job *j) {
    if (j->settings.size == 0)
        return ECMA_OK;
    md_token text = user_string_add(&j->edit, &j->settings);
    if (!text)
        return diag_no_memory(&j->image->diag);
    references_add_settings(&j->refs, &j->edit, text);
    return ECMA_OK;
}

ecma_status pass_add_module_names(job *j) {
    return has_modules(j) ? modules_add_names(&j->edit, j->output, &j->image->diag) : ECMA_OK;
}

ecma_status pass_begin_probes(job *j) {
    return probes_step(&j->probes, PROBE_BEGIN);
}

/* The additions to an input whose rows share bodies, signatures or names could be any number of times as large. */
static ecma_status check_budget(const job *j) {
    const uint64_t most = budget_added(j->image->pe.file.size);
    const md_edit *e = &j->edit;
    uint64_t added = j->new_bodies.size + (uint64_t)e->strings.size + e->blobs.size + e->user_strings.size;
    if (added <= most)
        return ECMA_OK;
    return diag_report(&j->image->diag, DIAG_ADDED_LIMIT, "more than %llu bytes would be added to it",
                       (unsigned long long)most);
}

/* Puts one method's new body after those before it, or leaves the method out. */
static ecma_status inject_one(job *j, injector *in, method_body *m, const injection *what) {
    ilj_image *image = j->image;
    il_fault fault = {0};
    buffer_align(&j->new_bodies, 4);
    size_t start = j->new_bodies.size;
    ecma_status status = inject_method(in, &j->new_bodies, &m->new_is_fat, what, &fault, &image->diag);
    if (fault.what && (status == ECMA_BAD_FILE || status == ECMA_UNSUPPORTED)) {
        bodies_leave_out(&j->bodies, image, m, fault.what, fault.offset);
        j->new_bodies.size = start;
        return ECMA_OK;
    }
    if (status == ECMA_OK && j->new_bodies.size > INT32_MAX)
        status = diag_report(&image->diag, DIAG_IMAGE_SIZE, "the new bodies are more than 2 GiB");
    if (status)
        return status;
    symbols_record(&j->symbols, m->row, m->code_size, &in->il);
    m->new_offset = (uint32_t)start;
    m->new_size = (uint32_t)(j->new_bodies.size - start);
    j->injected++;
    return ECMA_OK;
}

ecma_status pass_inject_all(job *j) {
    injector in = {.edit = &j->edit, .tracker = &j->tracker, .refs = &j->refs, .probes = &j->probes};
    ecma_status status = injector_init(&in, j->image);
    bool exits_differ = selection_has_exits(j->options->selection);
    ilj_exits exits = selection_exits(j->options->selection, RULE_NONE, j->options->exits);
    il_body body;
    il_fault fault;
    method_body *m;
    bytes from;
    uint32_t id = 0;
    size_t ready = 0;
    buffer_reserve_pages(&j->new_bodies, 2 * (size_t)j->bodies.selected_bytes); /* more than most come to */
    for (bodies_walk walk = {0}; !status && bodies_next(&walk, &j->bodies, j->image, &m, &from);) {
        if (!il_body_read(&body, from, &fault))
            continue;
        while (j->ids.methods[id].row != m->row)
            id++;
        if (exits_differ)
            exits = exits_of(j, m);
        ready = pages_ahead(&j->new_bodies, ready);
        status = inject_one(j, &in, m, &(injection){m->row, id, exits, &body});
        if (!status && j->injected % 32 == 0) /* and at the end */
            status = check_budget(j);
    }
    injector_clear(&in);
    bodies_settle(&j->bodies, j->image);
    j->has_code = j->injected != 0;
    return status ? status : check_budget(j);
}

ecma_status pass_finish_probes(job *j) {
    return probes_step(&j->probes, PROBE_FINISH);
}

/* ---- Symbols, MVID, names --------------------------------------------------------------------------------- */

ecma_status pass_rewrite_symbols(job *j) {
    return symbols_rewrite(&j->symbols, &j->edit, &j->image->diag);
}

static void old_mvid(const job *j, uint8_t mvid[16]) {
    const md_view *v = &j->image->metadata;
    bytes guid;
    memset(mvid, 0, 16);
    if (md_try_guid(v, md_cell(v, MD_Module_Mvid, 1), &guid))
        memcpy(mvid, guid.data, 16);
}

ecma_status pass_choose_mvid(job *j) {
    if (j->options->keep_mvid || j->ready_to_run.component)
        return ECMA_OK;
    j->edit.set_mvid = true;
    mvid_make(j->edit.mvid, &(mvid_source){
                                .file = j->image->pe.file,
                                .edit = &j->edit,
                                .new_bodies = buffer_bytes(&j->new_bodies),
                                .methods = bytes_of(j->ids.methods, j->ids.count * sizeof *j->ids.methods),
                                .fate = (uint8_t)identity_fate(&j->identity, &j->image->pe),
                                .pdb_id = bytes_of(j->symbols.id, j->symbols.has_pdb ? sizeof j->symbols.id : 0),
                            });
    return ECMA_OK;
}

static ecma_status add_roots(buffer *data, buffer *ids, uint16_t *flags, job *j) {
    bool *own = NULL;
    method_roots roots = {0};
    ecma_status status = roots_asked_find(&own, j->options->selection, j->image);
    if (!status)
        status = roots_find(&roots, j->image, own);
    if (!status)
        *flags = root_list_append(data, ids, &roots, &(root_source){&j->image->index, &j->ids, j->tracker.only_counts},
                                  *flags);
    roots_clear(&roots);
    return status;
}

ecma_status pass_make_names(job *j) {
    diag *d = &j->image->diag;
    uint8_t old[16];
    old_mvid(j, old);
    uint32_t count = j->tracker.registers ? j->probes.id_count : 0;
    buffer data = BUFFER_INIT, root_ids = BUFFER_INIT;
    ecma_status status = ECMA_OK;
    if (count)
        status =
            names_build(&data, j->image, &j->ids, &j->probes.leaves, j->options->selection, j->tracker.only_counts);
    if (!status && j->probes.objects.image)
        status = site_list_append(&data, &j->probes.objects);
    buffer_u32(&j->names, 0);
    const bool objects = j->probes.objects.image != NULL, ahead = j->ready_to_run.found;
    uint16_t flags = (uint16_t)((ahead ? NAMES_FILE_AHEAD : 0) | (objects ? NAMES_FILE_ALLOCATIONS : 0));
    method_notes notes = {0};
    if (!status && count)
        status = notes_find(&notes, j->image, &j->machines);
    if (!status)
        flags |= note_list_append(&data, &notes, &j->ids, objects || j->tracker.only_counts);
    const line_source lines = {&j->symbols, &j->ids, &j->probes.leaves, &j->probes.objects, j->tracker.only_counts};
    if (!status && count)
        flags = line_list_append(&data, &lines, flags, &j->image->arena);
    if (!status && count)
        status = add_roots(&data, &root_ids, &flags, j);
    if (!status && count) {
        flags = checksum_list_append(&data, &lines, flags, &j->image->arena);
        flags = native_list_append(&data, &j->native_list, &j->ids, j->probes.leaves.count, flags);
        flags = spot_list_append(&data, &lines, flags, &j->image->arena);
    }
    if (!status && (data.failed || root_ids.failed))
        status = budget_failed(&data, d);
    const names_end end = {count ? release_of(j->image) : (bytes){0}, buffer_bytes(&root_ids)};
    if (!status)
        status = names_pack(&j->names, buffer_bytes(&data), &end, count, flags, old, d);
    if (!status)
        store_u32(j->names.data, (uint32_t)j->names.size - 4);
    buffer_clear(&data);
    buffer_clear(&root_ids);
    return status;
}

ecma_status pass_rewrite_mdb(job *j) {
    uint8_t old[16];
    old_mvid(j, old);
    return symbols_rewrite_mdb(&j->symbols, j->edit.set_mvid ? j->edit.mvid : old, &j->image->diag);
}

/* ---- The output ------------------------------------------------------------------------------------------------- */

ecma_status pass_rewrite_code(job *j) {
    const bool kept = j->ready_to_run.kept;
    ids_clear(&j->ids); /* nobody reads them any more */
    probes_clear(&j->probes);
    ecma_status status = kept ? native_code_find(&j->native, &j->ready_to_run.code, &j->bodies, j->image) : ECMA_OK;
    if (kept && !status)
        status = native_code_plan(&j->native, j->image);
    if (status)
        return status;
    j->summary->native_methods = j->native.methods;
    j->summary->native_kept = j->native.kept;
    return rewrite(&j->made, &(rewrite_input){.image = j->image,
                                              .bodies = &j->bodies,
                                              .new_bodies = buffer_bytes(&j->new_bodies),
                                              .edit = &j->edit,
                                              .refs = &j->refs,
                                              .names = buffer_bytes(&j->names),
                                              .debug = j->symbols.changes,
                                              .debug_count = j->symbols.change_count,
                                              .native = kept ? &j->native : NULL});
}

static bool has_manifest_rows(const job *j) {
    return j->manifest.added[MD_TABLE_ManifestResource] != 0;
}

ecma_status pass_rewrite_manifest(job *j) {
    const references none = {0};
    bytes file = j->image->pe.file;
    if (!has_modules(j))
        return ECMA_OK;
    md_edit_init(&j->manifest, &j->image->metadata);
    ecma_status status = modules_add_names(&j->manifest, j->output, &j->image->diag);
    if (status)
        return status;
    if (has_manifest_rows(j))
        return rewrite(&j->made,
                       &(rewrite_input){.image = j->image, .bodies = &j->bodies, .edit = &j->manifest, .refs = &none});
    buffer_append(&j->made.out, file.data, file.size);
    j->made.whole = true;
    return j->made.out.failed ? diag_no_memory(&j->image->diag) : ECMA_OK;
}

ecma_status pass_renew_hashes(job *j) {
    if (!has_modules(j))
        return ECMA_OK;
    if (rewritten_complete(&j->made))
        return diag_no_memory(&j->image->diag);
    return modules_renew_hashes(&j->renewed, &j->made.out, j->output, &j->image->diag);
}

ecma_status pass_choose_copy(job *j) {
    const uint32_t *left_out = j->bodies.left_out;
    diag *d = &j->image->diag;
    if (has_manifest_rows(j) || j->renewed)
        return ECMA_OK;
    buffer_clear(&j->made.out);
    if (left_out[ILJ_EXCLUDED] + left_out[ILJ_TOO_SMALL] + left_out[ILJ_TRIVIAL_ACCESSOR] +
            left_out[ILJ_COMPILER_GENERATED] + left_out[ILJ_CALLED_OFTEN] + left_out[ILJ_LIKELY_INLINED] +
            left_out[ILJ_RESOLVER] !=
        0) {
        diag_report(d, DIAG_ALL_LEFT_OUT, "the rules leave out every method; copied through");
        return copy_through(j, "left out by the rules");
    }
    bool satellite = *md_name(&j->image->metadata, MD_Assembly_Culture, 1) != 0;
    diag_report(d, DIAG_NOTHING_SELECTED, "%s; copied through",
                satellite ? "a satellite assembly, which holds no code" : "no method has a body to instrument");
    return copy_through(j, satellite ? "satellite assembly" : "nothing to instrument");
}

/* Where the checksum stands in the output; 0: there is none, as the input had none. */
static size_t checksum_offset(const job *j) {
    const pe_image *pe = &j->image->pe;
    return pe->checksum ? pe->optional_offset + PE_CHECKSUM_OFFSET : 0;
}

/* The checksum of a file is taken while it is written. */
ecma_status pass_sign(job *j) {
    buffer *out = &j->made.out;
    signature_fate fate = identity_fate(&j->identity, &j->image->pe);
    if ((j->memory || fate == SIGNATURE_MADE || fate == SIGNATURE_ZEROED) && rewritten_complete(&j->made))
        return diag_no_memory(&j->image->diag);
    ecma_status status = identity_finish(&j->identity, out);
    size_t at = checksum_offset(j);
    if (!status && j->memory && at)
        store_u32(out->data + at, pe_checksum(out->data, out->size, at));
    if (!status) {
        j->summary->output_bytes = out->size;
        j->summary->outcome = ILJ_OUTCOME_INSTRUMENTED;
    }
    return status;
}

ecma_status pass_tell(job *j) {
    const pe_image *pe = &j->image->pe;
    diag *d = &j->image->diag;
    ready_to_run_report(&j->ready_to_run, j->image);
    if (pe_needs_append(&j->image->pe) && !j->ready_to_run.kept)
        diag_report(&j->image->diag, DIAG_NATIVE_KEPT,
                    "a mixed-mode image: its native code stays as it is and is not measured");
    if (marker_is_core_library(&j->image->metadata) && j->options->tracker == NULL)
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
    other_tools_report(&j->image->metadata, d);
    resolvers_report(&j->bodies, j->image, j->tracker.assembly_name);
    return ECMA_OK;
}

/* ---- Writing ---- */

/* True if the output runs only where the compiled tracker does: it keeps native code of that kind, or runs at once. */
static bool goes_with_compiled_tracker(const job *j) {
    uint16_t machine = tracker_compiled_machine();
    if (machine == 0 || j->options->tracker || j->options->spans)
        return false;
    return j->options->runs_here || (j->ready_to_run.kept && j->image->pe.machine == machine);
}

/* The tracker, and what a host reads, beside the output. */
static ecma_status write_companions(job *j, companions_made *made) {
    diag *d = &j->image->diag;
    size_t size = strlen(j->tracker.assembly_name) + 5;
    char *file_name = arena_alloc(&j->image->arena, size);
    if (!file_name)
        return diag_no_memory(d);
    snprintf(file_name, size, "%s.dll", j->tracker.assembly_name);
    const bool compiled = goes_with_compiled_tracker(j), built_in = !j->options->tracker && !j->options->spans;
    const companion_tracker tracker = {.file_name = file_name,
                                       .image = compiled ? tracker_compiled() : j->tracker.file,
                                       .native_clock = j->native_clock,
                                       .compiled = compiled,
                                       .rid = built_in && !compiled ? tracker_compiled_rid() : NULL,
                                       .native = built_in ? tracker_compiled() : bytes_of(NULL, 0)};
    return companions_write(d, j->options->outputs, j->input, j->output, &tracker, made);
}

/* The assembly and its symbols, which take their places together. */
static ecma_status write_both(void *user) {
    job *j = user;
    diag *d = &j->image->diag;
    ecma_status status = j->has_code ? symbols_prepare(&j->symbols, d) : symbols_copy(d, j->input, j->output);
    if (status == ECMA_OK)
        status = out_file_write(d, j->output, &j->made, checksum_offset(j), j->input);
    j->stands = status == ECMA_OK;
    diag silent = {0}, *told = status ? &silent : d; /* one cause is reported once */
    ecma_status settled = j->has_code ? symbols_settle(&j->symbols, status == ECMA_OK, told) : ECMA_OK;
    return status ? status : settled;
}

static ecma_status write_copy(job *j) {
    diag *d = &j->image->diag;
    ecma_status status = symbols_copy(d, j->input, j->output);
    bool in_place = os_same_file(j->input, j->output);
    /* It may be another tracker. */
    companions_forget(j->options->outputs);
    if (status == ECMA_OK && in_place)
        status = symbols_resume(j->image, j->output);
    return status || in_place ? status : os_copy_file(d, j->input, j->output);
}

ecma_status pass_write(job *j) {
    if (j->options->dry_run)
        return ECMA_OK;
    bool copied = j->summary->outcome == ILJ_OUTCOME_COPIED;
    ecma_status status = ECMA_OK;
    companions_made made = {BUFFER_INIT};
    /* An input that is instrumented already needs its tracker wherever it goes. */
    if (!copied || marker_instrumented_times(&j->image->metadata))
        status = write_companions(j, &made);
    if (!status)
        status = copied ? write_copy(j) : os_undisturbed(write_both, j);
    if (status && !j->stands)
        companions_take_back(&made, j->options->outputs);
    else
        companions_keep(&made);
    return status;
}
