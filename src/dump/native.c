#include "dump/dump.h"
#include "input/ready_to_run.h"
#include "metadata/names.h"
#include "ready_to_run/inlining.h"
#include "ready_to_run/signature.h"

static void sections(dumper *d, const r2r_image *r) {
    buffer_string(d->b, "  sections\n");
    for (uint32_t type = R2R_FIRST_SECTION; type < R2R_FIRST_SECTION + R2R_SECTIONS; type++) {
        pe_directory place = r2r_section(r, (r2r_section_type)type);
        if (!r2r_section_name(type) || !r2r_section_header(r, (r2r_section_type)type))
            continue;
        buffer_printf(d->b, "    %u %s RVA 0x%x %u bytes\n", type, r2r_section_name(type), place.rva, place.size);
    }
    if (r->unknown_sections)
        buffer_printf(d->b, "    %u that are not known\n", r->unknown_sections);
}

static void method_name(dumper *d, uint32_t row) {
    if (!md_row_exists(d->view, MD_TABLE_MethodDef, row)) {
        dumper_bad(d, "row", md_token_of(MD_TABLE_MethodDef, row));
        return;
    }
    d->scratch.size = 0;
    md_append_member(&d->scratch, d->view, &d->image->index, md_token_of(MD_TABLE_MethodDef, row), 0, row);
    dumper_scratch(d);
}

static void entry(dumper *d, const r2r_image *r, const r2r_entry *e) {
    buffer_printf(d->b, " function %u at RVA 0x%x", e->function, r2r_function_rva(r, e->function));
    if (e->fixups)
        buffer_printf(d->b, ", slots at RVA 0x%x", e->fixups);
    buffer_u8(d->b, ' ');
}

static void methods(dumper *d, const r2r_image *r) {
    nf_reader reader = {.image = r->image};
    buffer_printf(d->b, "  methods, of %u rows\n", r->methods.count);
    for (uint32_t row = 1; row <= r->methods.count && !reader.failed && text_out_flush(&d->out); row++) {
        r2r_entry e;
        if (!r2r_try_method(r, &reader, row, &e))
            continue;
        buffer_printf(d->b, "    0x%08x", md_token_of(MD_TABLE_MethodDef, row));
        entry(d, r, &e);
        method_name(d, row);
        buffer_u8(d->b, '\n');
    }
    if (reader.failed)
        dumper_bad(d, "method entry at RVA", reader.at);
}

static void instances(dumper *d, const r2r_image *r) {
    r2r_instances walk;
    r2r_instance i;
    buffer_string(d->b, "  instantiations\n");
    r2r_instances_walk(&walk, r);
    while (text_out_flush(&d->out) && r2r_instances_next(&walk, &i)) {
        bool reference = i.flags & R2R_METHOD_MEMBER_REF;
        bool own = !(i.flags & (R2R_METHOD_OTHER_MODULE | R2R_METHOD_SLOT));
        buffer_printf(d->b, "    0x%08x signature at RVA 0x%x, flags 0x%x,",
                      md_token_of(reference ? MD_TABLE_MemberRef : MD_TABLE_MethodDef, i.row), i.place.rva, i.flags);
        entry(d, r, &i.entry);
        if (own && !reference)
            method_name(d, i.row);
        buffer_u8(d->b, '\n');
    }
    if (walk.failed)
        dumper_bad(d, "instantiation at RVA", walk.walk.reader.at);
}

/* How many slots there are of each kind. */
static void kinds(dumper *d, const r2r_image *r, const r2r_imports *imports) {
    uint32_t counts[0x80] = {0}, rva;
    r2r_signature s = {.reader = {.image = r->image}};
    for (uint32_t slot = 0; imports->signatures && slot < imports->count; slot++) {
        if (!r2r_try_signature(r, imports, slot, &rva)) {
            dumper_bad(d, "signatures at RVA", imports->signatures);
            return;
        }
        if (rva == 0)
            continue;
        r2r_walk_fixup(&s, rva);
        if (s.reader.failed) {
            dumper_bad(d, "fixup at RVA", rva);
            return;
        }
        counts[s.kind]++;
    }
    for (unsigned kind = 0; kind < sizeof counts / sizeof counts[0]; kind++)
        if (counts[kind])
            buffer_printf(d->b, "      %u %s\n", counts[kind], r2r_fixup_name((uint8_t)kind));
}

static void imports(dumper *d, const r2r_image *r) {
    for (uint32_t i = 0; i < r2r_imports_count(r) && text_out_flush(&d->out); i++) {
        r2r_imports found;
        buffer_printf(d->b, "  imports %u ", i);
        if (!r2r_try_imports(r, i, &found)) {
            dumper_bad(d, "import section", i);
            return;
        }
        buffer_printf(d->b, "flags 0x%x type %u RVA 0x%x, %u slots of %u bytes\n", found.flags, found.type,
                      found.slots.rva, found.count, found.entry_size);
        kinds(d, r, &found);
    }
}

static void inlining(dumper *d, const r2r_image *r) {
    r2r_inlining walk;
    buffer_string(d->b, "  inlined methods, each with those that it was put into\n");
    r2r_inlining_walk(&walk, r);
    while (text_out_flush(&d->out) && r2r_inlining_next(&walk)) {
        buffer_string(d->b, "    ");
        if (walk.other_module)
            buffer_string(d->b, "by its body ");
        else if (walk.module)
            buffer_printf(d->b, "module %u ", walk.module);
        buffer_printf(d->b, "0x%08x:", md_token_of(MD_TABLE_MethodDef, walk.row));
        for (uint32_t row = 0, module; text_out_flush(&d->out) && r2r_inliner_next(&walk, &row, &module);) {
            buffer_printf(d->b, " 0x%08x", md_token_of(MD_TABLE_MethodDef, row));
            if (module)
                buffer_printf(d->b, " of module %u", module);
        }
        buffer_u8(d->b, '\n');
    }
    if (walk.failed)
        dumper_bad(d, "map of inlined methods", walk.map);
}

void dump_native(dumper *d, bool asked) {
    r2r_image r;
    if (d->image->bare || d->image->pe.cli.managed_native.rva == 0) {
        if (asked)
            buffer_string(d->b, "no native code that was compiled ahead (ReadyToRun)\n");
        return;
    }
    const char *fault = r2r_open(&r, &d->image->pe);
    buffer_printf(d->b, "ReadyToRun header at RVA 0x%x\n", r.header_rva);
    if (fault) {
        dumper_bad(d, fault, r.header_rva);
        buffer_u8(d->b, '\n');
        return;
    }
    buffer_printf(d->b, "  version %u.%u\n  Flags 0x%08x\n", r.major, r.minor, r.flags);
    sections(d, &r);
    const char *why = ready_to_run_why_not(&r, d->image);
    buffer_printf(d->b, "  code that --native=keep %s%s\n", why ? "cannot keep: " : "keeps", why ? why : "");
    methods(d, &r);
    instances(d, &r);
    imports(d, &r);
    inlining(d, &r);
}
