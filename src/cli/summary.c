#include "summary.h"

#include <inttypes.h>

static const char *plural(uint64_t count) {
    return count == 1 ? "" : "s";
}

/* "; 37,065 of 53,738 methods keep their native code" */
static void native(console *c, const ilj_summary *s) {
    if (s->native_methods)
        console_printf(c, "; %" PRIu32 " of %" PRIu32 " methods keep their native code", s->native_kept,
                       s->native_methods);
}

/* "412 methods instrumented, 3 left out (2 abstract, 1 extern)" */
static void counts(console *c, const ilj_summary *s) {
    uint32_t left_out = 0;
    for (int i = 1; i < ILJ_REASON_COUNT; i++)
        left_out += s->left_out[i];
    console_printf(c, "%" PRIu32 " method%s instrumented, %" PRIu32 " left out", s->instrumented,
                   plural(s->instrumented), left_out);
    const char *before = " (";
    for (int i = 1; i < ILJ_REASON_COUNT; i++) {
        if (s->left_out[i] == 0)
            continue;
        console_printf(c, "%s%" PRIu32 " %s", before, s->left_out[i], ilj_reason_text((ilj_reason)i));
        before = ", ";
    }
    if (left_out > 0)
        console_printf(c, ")");
    native(c, s);
}

/* "123904 bytes (+9.8 %)" */
static void size(console *c, uint64_t before, uint64_t after) {
    console_printf(c, "%" PRIu64 " bytes", after);
    if (before > 0)
        console_printf(c, " (%+.1f %%)", ((double)after - (double)before) * 100.0 / (double)before);
}

static void elapsed(console *c, uint64_t ns) {
    if (ns < 10000000)
        console_printf(c, ", %.1f ms", (double)ns / 1e6);
    else if (ns < 10000000000u)
        console_printf(c, ", %" PRIu64 " ms", ns / 1000000);
    else
        console_printf(c, ", %.1f s", (double)ns / 1e9);
}

static void add(ilj_summary *total, const ilj_summary *s) {
    total->methods += s->methods;
    total->instrumented += s->instrumented;
    for (int i = 0; i < ILJ_REASON_COUNT; i++)
        total->left_out[i] += s->left_out[i];
    total->native_methods += s->native_methods;
    total->native_kept += s->native_kept;
    total->input_bytes += s->input_bytes;
    total->output_bytes += s->output_bytes;
}

static const char *input_name(const file_result *result) {
    return result->input_name ? result->input_name : result->input;
}

static const char *output_name(const file_result *result) {
    return result->output_name ? result->output_name : result->output;
}

void summary_text(console *c, const file_result *result, summary_style style) {
    const ilj_summary *s = &result->summary;
    if (s->outcome == ILJ_OUTCOME_FAILED)
        return;
    console_printf(c, "%s: ", input_name(result));
    if (s->outcome == ILJ_OUTCOME_COPIED)
        console_printf(c, "%s (%s)", style.in_place ? "left as it is" : "copied unchanged",
                       s->skip_reason ? s->skip_reason : "nothing to instrument");
    else
        counts(c, s);
    if (style.dry_run)
        console_printf(c, "; would be ");
    else if (style.in_place)
        console_printf(c, "; ");
    else
        console_printf(c, " -> %s, ", output_name(result));
    size(c, s->input_bytes, s->output_bytes);
    elapsed(c, result->elapsed_ns);
    console_printf(c, "\n");
    if (style.verbose)
        console_printf(c, "  %" PRIu32 " of %" PRIu32 " methods, %" PRIu64 " -> %" PRIu64 " bytes, %.3f ms\n",
                       s->instrumented, s->methods, s->input_bytes, s->output_bytes, (double)result->elapsed_ns / 1e6);
}

void summary_total(console *c, const file_result *results, size_t count, uint64_t ns) {
    ilj_summary total = {0};
    size_t outcomes[3] = {0};
    for (size_t i = 0; i < count; i++) {
        outcomes[results[i].summary.outcome]++;
        if (results[i].summary.outcome != ILJ_OUTCOME_FAILED)
            add(&total, &results[i].summary);
    }
    console_printf(c, "total of %zu: ", count);
    counts(c, &total);
    if (outcomes[ILJ_OUTCOME_COPIED] > 0)
        console_printf(c, "; %zu copied unchanged", outcomes[ILJ_OUTCOME_COPIED]);
    if (outcomes[ILJ_OUTCOME_FAILED] > 0)
        console_printf(c, "; %zu failed", outcomes[ILJ_OUTCOME_FAILED]);
    console_printf(c, "; ");
    size(c, total.input_bytes, total.output_bytes);
    elapsed(c, ns);
    console_printf(c, "\n");
}

void summary_folder(console *c, const folder_result *folder, summary_style style) {
    const size_t *n = folder->counts;
    size_t files = n[ILJ_ENTRY_FILE] + n[ILJ_ENTRY_FOREIGN] + n[ILJ_ENTRY_SATELLITE];
    size_t wanted = n[ILJ_ENTRY_ASSEMBLY];
    console_printf(c, "%s: %zu assembl%s to instrument, ", folder->input, wanted, wanted == 1 ? "y" : "ies");
    if (style.in_place || style.dry_run)
        console_printf(c, "%zu other file%s", files, plural(files));
    else
        console_printf(c, "%zu file%s copied", files, plural(files));
    if (n[ILJ_ENTRY_FOREIGN] + n[ILJ_ENTRY_SATELLITE] > 0)
        console_printf(c, " (%zu assembl%s of packages and frameworks, %zu of resources)", n[ILJ_ENTRY_FOREIGN],
                       n[ILJ_ENTRY_FOREIGN] == 1 ? "y" : "ies", n[ILJ_ENTRY_SATELLITE]);
    if (n[ILJ_ENTRY_LINK] > 0)
        console_printf(c, ", %zu link%s", n[ILJ_ENTRY_LINK], plural(n[ILJ_ENTRY_LINK]));
    if (n[ILJ_ENTRY_UNREADABLE] > 0)
        console_printf(c, ", %zu that cannot be read", n[ILJ_ENTRY_UNREADABLE]);
    if (!style.in_place && !style.dry_run)
        console_printf(c, " -> %s", folder->output);
    console_printf(c, "\n");
}

/* ---- For machines ---------------------------------------------------------------------------------------------- */

static void json_counts(console *c, const ilj_summary *s, const char *indent) {
    console_printf(c, "%s\"methods\": %" PRIu32 ",\n%s\"instrumented\": %" PRIu32 ",\n%s\"left_out\": {", indent,
                   s->methods, indent, s->instrumented, indent);
    const char *before = "";
    for (int i = 1; i < ILJ_REASON_COUNT; i++) {
        if (s->left_out[i] == 0)
            continue;
        console_printf(c, "%s", before);
        console_json_string(c, ilj_reason_text((ilj_reason)i));
        console_printf(c, ": %" PRIu32, s->left_out[i]);
        before = ", ";
    }
    console_printf(c, "},\n%s\"native_methods\": %" PRIu32 ",\n%s\"native_kept\": %" PRIu32 ",\n", indent,
                   s->native_methods, indent, s->native_kept);
    console_printf(c, "%s\"input_bytes\": %" PRIu64 ",\n%s\"output_bytes\": %" PRIu64, indent, s->input_bytes, indent,
                   s->output_bytes);
}

static void json_folders(console *c, const folder_result *folders, size_t count) {
    static const struct {
        const char *name;
        ilj_entry_kind kind;
    } shown[] = {{"assemblies", ILJ_ENTRY_ASSEMBLY},  {"foreign", ILJ_ENTRY_FOREIGN},
                 {"satellites", ILJ_ENTRY_SATELLITE}, {"files", ILJ_ENTRY_FILE},
                 {"links", ILJ_ENTRY_LINK},           {"folders", ILJ_ENTRY_FOLDER},
                 {"refused", ILJ_ENTRY_BUNDLE},       {"unreadable", ILJ_ENTRY_UNREADABLE}};
    for (size_t i = 0; i < count; i++) {
        console_printf(c, "%s\n    {\n      \"input\": ", i > 0 ? "," : "");
        console_json_string(c, folders[i].input);
        console_printf(c, ",\n      \"output\": ");
        console_json_string(c, folders[i].output);
        for (size_t k = 0; k < sizeof shown / sizeof shown[0]; k++)
            console_printf(c, ",\n      \"%s\": %zu", shown[k].name, folders[i].counts[shown[k].kind]);
        console_printf(c, "\n    }");
    }
}

void summary_json(console *c, const file_result *results, size_t count, const folder_result *folders,
                  size_t folder_count, summary_style style) {
    static const char *const outcomes[] = {"failed", "instrumented", "copied"};
    ilj_summary total = {0};
    console_printf(c, "{\n  \"version\": \"%s\",\n  \"dry_run\": %s,\n  \"files\": [", ILJ_VERSION,
                   style.dry_run ? "true" : "false");
    for (size_t i = 0; i < count; i++) {
        const ilj_summary *s = &results[i].summary;
        console_printf(c, "%s\n    {\n      \"input\": ", i > 0 ? "," : "");
        console_json_string(c, input_name(&results[i]));
        console_printf(c, ",\n      \"output\": ");
        if (s->outcome != ILJ_OUTCOME_FAILED && !style.dry_run)
            console_json_string(c, output_name(&results[i]));
        else
            console_printf(c, "null");
        console_printf(c, ",\n      \"outcome\": \"%s\",\n      \"skip_reason\": ", outcomes[s->outcome]);
        if (s->skip_reason)
            console_json_string(c, s->skip_reason);
        else
            console_printf(c, "null");
        console_printf(c, ",\n");
        json_counts(c, s, "      ");
        console_printf(c, ",\n      \"elapsed_ns\": %" PRIu64 "\n    }", results[i].elapsed_ns);
        if (s->outcome != ILJ_OUTCOME_FAILED)
            add(&total, s);
    }
    if (folder_count > 0) {
        console_printf(c, "\n  ],\n  \"folders\": [");
        json_folders(c, folders, folder_count);
    }
    console_printf(c, "\n  ],\n  \"total\": {\n");
    json_counts(c, &total, "    ");
    console_printf(c, "\n  }\n}\n");
}
