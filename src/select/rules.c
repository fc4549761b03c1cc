#include "select/rules.h"

#include "il/opcode.h"
#include "metadata/names.h"
#include "select/suggest.h"

/* ---- Before the first method ----------------------------------------------------------------------------------- */

static bytes assembly_name(const ilj_image *image) {
    const md_view *view = &image->metadata;
    if (md_row_exists(view, MD_TABLE_Assembly, 1)) {
        const char *name = md_name(view, MD_Assembly_Name, 1);
        return bytes_of(name, strlen(name));
    }
    /* A netmodule is named by its file. */
    const char *name = md_name(view, MD_Module_Name, 1), *dot = strrchr(name, '.');
    return bytes_of(name, dot ? (size_t)(dot - name) : strlen(name));
}

static ecma_status find_named(attribute_marks *marks, ilj_image *image, const char *name) {
    pattern p;
    const char *fault;
    ecma_status status = pattern_compile(&p, name, &image->arena, &fault);
    return status ? diag_no_memory(&image->diag) : attributes_find(marks, image, &p);
}

static ecma_status activate(chooser *c) {
    ilj_selection *s = c->selection;
    const name_tree *tree = selection_tree(s);
    if (!tree)
        return diag_no_memory(&c->image->diag);
    c->tree = tree->node_count > NAME_TREE_ROOT + 1 ? tree : NULL;
    c->assembly = assembly_name(c->image);
    c->active = arena_alloc_array(&c->image->arena, tree->other_count + 1u, sizeof *c->active);
    c->open = arena_alloc_array(&c->image->arena, tree->other_count + 1u, sizeof *c->open);
    if (!c->active || !c->open)
        return diag_no_memory(&c->image->diag);
    for (uint32_t other = 0; other < tree->other_count; other++) {
        uint32_t i = tree->others[other];
        if (!pattern_matches_assembly(&s->rules[i].pattern, c->assembly))
            continue;
        active_rule *a = &c->active[c->active_count++];
        *a = (active_rule){.rule = &s->rules[i], .position = i};
        ecma_status status =
            a->rule->pattern.attribute ? attributes_find(&a->marks, c->image, &a->rule->pattern) : ECMA_OK;
        if (status)
            return status;
    }
    return s->leave_out_compiler_generated
               ? find_named(&c->generated, c->image, "@System.Runtime.CompilerServices.CompilerGeneratedAttribute")
               : ECMA_OK;
}

static bool includes_first(const ilj_selection *s) {
    for (uint32_t i = 0; s && i < s->rule_count; i++)
        if (!s->rules[i].chosen)
            return s->rules[i].include;
    return false;
}

ecma_status chooser_begin(chooser *c, ilj_selection *selection, ilj_image *image) {
    *c = (chooser){.selection = selection, .image = image, .includes_first = includes_first(selection)};
    ecma_status status = find_named(&c->profile, image, "@Instrumenter.ProfileAttribute");
    if (status == ECMA_OK)
        status = find_named(&c->no_profile, image, "@Instrumenter.NoProfileAttribute");
    if (status == ECMA_OK && selection) {
        selection->asked = true;
        status = activate(c);
    }
    c->any = c->profile.any || c->no_profile.any ||
             (selection && (selection->rule_count || selection->leave_out_compiler_generated));
    c->any_code = selection && (selection->min_il_size || selection->skip_trivial_accessors);
    return status;
}

/* ---- A type, once for all its methods -------------------------------------------------------------------------- */

/* From the type outwards; what is nested deeper than CHOOSER_DEPTH is cut at the outer end. */
static unsigned chain_of(const md_index *index, uint32_t type, uint32_t chain[CHOOSER_DEPTH]) {
    unsigned depth = 0;
    for (; type != 0 && depth < CHOOSER_DEPTH; type = md_enclosing_type(index, type))
        chain[depth++] = type;
    return depth;
}

static bool carried(const attribute_marks *marks, const uint32_t *chain, unsigned depth) {
    for (unsigned i = 0; marks->any && i < depth; i++)
        if (marks->types[chain[i]])
            return true;
    return false;
}

/* The innermost counts; where both stand on the same, [NoProfile]. */
static uint32_t attribute_of_type(const chooser *c, const uint32_t *chain, unsigned depth) {
    for (unsigned i = 0; i < depth; i++) {
        if (c->no_profile.any && c->no_profile.types[chain[i]])
            return RULE_NO_PROFILE_TYPE;
        if (c->profile.any && c->profile.types[chain[i]])
            return RULE_PROFILE_TYPE;
    }
    return c->no_profile.assembly ? RULE_NO_PROFILE_ASSEMBLY : c->profile.assembly ? RULE_PROFILE_ASSEMBLY : RULE_NONE;
}

/* Names that no source can have in C#, Visual Basic or F#. */
static bool is_made_name(bytes name) {
    if (name.size == 0)
        return false;
    return name.data[0] == '<' || memchr(name.data, '$', name.size) || memchr(name.data, '@', name.size);
}

static bytes name_at(const md_view *view, md_column column, uint32_t row) {
    bytes name;
    return md_try_string(view, md_cell(view, column, row), &name) ? name : (bytes){0};
}

/* ---- Rules without wildcards ----------------------------------------------------------------------------------- */

static void follow(chooser *c, bytes name) {
    for (size_t at = 0, end; at < name.size && c->path[c->path_count - 1] != NAME_TREE_NONE; at = end + 1) {
        end = pattern_part_end(name, at);
        uint32_t next = name_tree_part(c->tree, c->path[c->path_count - 1], (bytes){name.data + at, end - at});
        c->path[c->path_count++] = next;
    }
}

/* The state of a rule's pattern after the names of the type that has been entered; 0 also in another assembly. */
static pattern_state after_type(const chooser *c, const pattern *p) {
    pattern_state state = pattern_matches_assembly(p, c->assembly) ? pattern_start(p) : 0;
    for (unsigned i = 0; i < c->name_count && state != 0; i++)
        state = pattern_feed(p, state, c->names[i]);
    return state;
}

/* Rules that name the type, one around it, or a namespace. */
static void cover_type(chooser *c) {
    for (unsigned i = 1; i < c->path_count && c->path[i] != NAME_TREE_NONE; i++)
        for (uint32_t at = c->tree->nodes[c->path[i]].rules; at != 0; at = c->tree->before[at - 1]) {
            selection_rule *rule = &c->selection->rules[at - 1];
            uint32_t *last = &c->type_rule[rule->chosen];
            if ((at <= *last && rule->hit) || !pattern_covers(&rule->pattern, after_type(c, &rule->pattern)))
                continue;
            rule->hit = true;
            if (at > *last)
                *last = at;
        }
}

/* ---- Entering a type ------------------------------------------------------------------------------------------- */

static void enter_namespace(chooser *c, uint32_t outermost) {
    const md_view *view = &c->image->metadata;
    uint32_t offset = md_cell(view, MD_TypeDef_TypeNamespace, outermost);
    if (c->namespace_known && offset == c->namespace_offset)
        return;
    bytes name = name_at(view, MD_TypeDef_TypeNamespace, outermost);
    c->names[0] = name;
    c->path[0] = NAME_TREE_ROOT;
    c->path_count = 1;
    if (c->tree)
        follow(c, name);
    c->namespace_count = c->path_count;
    for (uint32_t i = 0; i < c->active_count; i++) {
        const pattern *p = &c->active[i].rule->pattern;
        if (!p->attribute)
            c->active[i].in_namespace = pattern_feed(p, pattern_start(p), name);
    }
    c->namespace_known = true;
    c->namespace_offset = offset;
}

/* True if the rule covers the whole type. If not, but it may match single methods, it is left open. */
static bool covers_type(chooser *c, uint32_t at, const uint32_t *chain, unsigned depth) {
    active_rule *a = &c->active[at];
    const pattern *p = &a->rule->pattern;
    if (p->attribute) {
        if (a->marks.assembly || carried(&a->marks, chain, depth))
            return true;
        if (a->marks.any)
            c->open[c->open_count++] = at;
        return false;
    }
    a->in_type = a->in_namespace;
    for (unsigned i = 1; i < c->name_count && a->in_type != 0; i++)
        a->in_type = pattern_feed(p, a->in_type, c->names[i]);
    if (pattern_covers(p, a->in_type))
        return true;
    if (a->in_type != 0)
        c->open[c->open_count++] = at;
    return false;
}

static void enter_type(chooser *c, uint32_t type) {
    const md_view *view = &c->image->metadata;
    uint32_t chain[CHOOSER_DEPTH];
    unsigned depth = chain_of(&c->image->index, type, chain);
    c->name_count = depth + 1;
    for (unsigned i = 0; i < depth; i++)
        c->names[depth - i] = name_at(view, MD_TypeDef_TypeName, chain[i]);
    c->type_known = true;
    c->type = type;
    c->type_attribute = attribute_of_type(c, chain, depth);
    c->type_generated = carried(&c->generated, chain, depth);
    for (unsigned i = 1; i <= depth && !c->type_generated; i++)
        c->type_generated = is_made_name(c->names[i]);
    enter_namespace(c, depth ? chain[depth - 1] : 0);
    c->open_count = 0;
    c->type_rule[false] = c->type_rule[true] = 0;
    for (uint32_t i = 0; i < c->active_count; i++)
        if (covers_type(c, i, chain, depth)) {
            c->type_rule[c->active[i].rule->chosen] = c->active[i].position + 1;
            c->active[i].rule->hit = true;
        }
    if (!c->tree)
        return;
    c->path_count = c->namespace_count;
    for (unsigned i = 1; i <= depth; i++)
        follow(c, c->names[i]);
    cover_type(c);
}

/* ---- A method -------------------------------------------------------------------------------------------------- */

/* Squeezed; what follows from one call is kept for the next. */
static bytes parameters_of(chooser *c, uint32_t row) {
    if (c->parameters_row != row) {
        c->parameters_row = row;
        c->parameters.size = 0;
        md_append_parameters(&c->parameters, &c->image->metadata, &c->image->index, row);
        if (!c->parameters.failed)
            c->parameters.size = pattern_squeeze(c->parameters.data, c->parameters.size);
    }
    return buffer_bytes(&c->parameters);
}

static bool parameters_match(chooser *c, const pattern *p, uint32_t row) {
    bytes text = parameters_of(c, row);
    return !c->parameters.failed && pattern_matches_parameters(p, c->parameters.data, text.size);
}

static bool matches_method(chooser *c, const active_rule *a, uint32_t row) {
    const pattern *p = &a->rule->pattern;
    if (p->attribute)
        return a->marks.methods[row];
    if (!pattern_accepts(p, pattern_feed(p, a->in_type, name_at(&c->image->metadata, MD_MethodDef_Name, row))))
        return false;
    return !p->has_parameters || parameters_match(c, p, row);
}

/* Looks at the rules of a chain of the tree. `last`: 1 + the position of the last one that matches, of those of a
 * choice the second. */
static void match_chain(chooser *c, uint32_t last[2], uint32_t chain, bytes name, uint32_t row) {
    for (uint32_t at = chain; at != 0; at = c->tree->before[at - 1]) {
        selection_rule *rule = &c->selection->rules[at - 1];
        const pattern *p = &rule->pattern;
        if ((at <= last[rule->chosen] && rule->hit) || !pattern_accepts(p, pattern_feed(p, after_type(c, p), name)) ||
            (p->has_parameters && !parameters_match(c, p, row)))
            continue;
        rule->hit = true;
        if (at > last[rule->chosen])
            last[rule->chosen] = at;
    }
}

/* The same of all rules in the tree that do not cover the type. */
static void match_in_tree(chooser *c, uint32_t last[2], uint32_t row) {
    const name_tree *t = c->tree;
    uint32_t node = c->path[c->path_count - 1];
    bytes name = name_at(&c->image->metadata, MD_MethodDef_Name, row);
    for (size_t at = 0, end; at < name.size && node != NAME_TREE_NONE; at = end + 1) {
        end = pattern_part_end(name, at);
        node = name_tree_part(t, node, (bytes){name.data + at, end - at});
        if (node != NAME_TREE_NONE)
            match_chain(c, last, t->nodes[node].rules, name, row);
    }
    if (node == NAME_TREE_NONE)
        return;
    match_chain(c, last, t->nodes[node].open_rules, name, row);
    if (!t->nodes[node].overloads)
        return;
    bytes text = parameters_of(c, row);
    uint32_t below = c->parameters.failed ? NAME_TREE_NONE : name_tree_parameters(t, node, text);
    /* A pattern takes a comma at the end for nothing. */
    if (below == NAME_TREE_NONE && text.size > 0 && text.data[text.size - 1] == ',')
        below = name_tree_parameters(t, node, (bytes){text.data, text.size - 1});
    if (below != NAME_TREE_NONE)
        match_chain(c, last, t->nodes[below].rules, name, row);
}

/* `last`: 1 + the position of the last rule that matches, of those of a choice the second; 0: none. Rules that matched
 * nothing yet are asked even when a later one has decided, so that they are not said to match nothing. */
static void last_match(chooser *c, uint32_t last[2], uint32_t row) {
    last[false] = c->type_rule[false];
    last[true] = c->type_rule[true];
    if (c->tree && c->path[c->path_count - 1] != NAME_TREE_NONE)
        match_in_tree(c, last, row);
    for (uint32_t i = c->open_count; i-- > 0;) {
        active_rule *a = &c->active[c->open[i]];
        uint32_t *its_last = &last[a->rule->chosen];
        if ((a->position >= *its_last || !a->rule->hit) && matches_method(c, a, row)) {
            a->rule->hit = true;
            if (a->position >= *its_last)
                *its_last = a->position + 1;
        }
    }
}

/* True if the rule, an include that matches a method of the current type, names the method itself. */
static bool names_exactly(const chooser *c, const selection_rule *rule) {
    const pattern *p = &rule->pattern;
    return !p->attribute && pattern_is_literal(p) && !pattern_covers(p, after_type(c, p));
}

static uint32_t attribute_of_method(const chooser *c, uint32_t row) {
    if (c->no_profile.any && c->no_profile.methods[row])
        return RULE_NO_PROFILE_METHOD;
    if (c->profile.any && c->profile.methods[row])
        return RULE_PROFILE_METHOD;
    return c->type_attribute;
}

static bool is_generated(const chooser *c, uint32_t row) {
    static const char main_name[] = "<Main>$"; /* a program's top-level statements */
    bytes name = name_at(&c->image->metadata, MD_MethodDef_Name, row);
    if (bytes_equal(name, bytes_of(main_name, sizeof main_name - 1)))
        return false;
    return c->type_generated || is_made_name(name) || (c->generated.any && c->generated.methods[row]);
}

ilj_reason chooser_ask(chooser *c, uint32_t method_row, uint32_t *rule) {
    *rule = RULE_NONE;
    if (!c->any)
        return ILJ_INSTRUMENT;
    uint32_t type = md_method_type(&c->image->index, method_row);
    if (!c->type_known || type != c->type)
        enter_type(c, type);
    bool selected = true, stays = false;
    uint32_t last[2];
    last_match(c, last, method_row);
    if (last[false] != 0) {
        const selection_rule *decides = &c->selection->rules[last[false] - 1];
        selected = decides->include;
        stays = last[true] != 0 && names_exactly(c, decides);
        *rule = RULE_LISTED + last[false] - 1;
    } else if ((*rule = attribute_of_method(c, method_row)) != RULE_NONE) {
        selected = *rule < RULE_NO_PROFILE_ASSEMBLY;
        stays = *rule == RULE_PROFILE_METHOD;
    } else if (c->includes_first) {
        selected = false;
        *rule = RULE_NOT_INCLUDED;
    }
    if (selected && last[true] != 0 && !stays) {
        selected = false;
        *rule = RULE_LISTED + last[true] - 1;
    }
    if (!selected)
        return ILJ_EXCLUDED;
    return c->selection && c->selection->leave_out_compiler_generated && is_generated(c, method_row)
               ? ILJ_COMPILER_GENERATED
               : ILJ_INSTRUMENT;
}

/* ---- Its code -------------------------------------------------------------------------------------------------- */

/* Reads or writes one field, or gives a constant: up to two arguments, the access, perhaps a local through which an
 * unoptimised getter passes its result, ret. */
static bool is_trivial(bytes code) {
    /* A br.s to the instruction after it: 0. */
    static const uint8_t through_local[] = {IL_OP_stloc_0, IL_OP_br_s, 0, IL_OP_ldloc_0};
    reader r = reader_of(code);
    uint8_t opcode;
    do
        opcode = reader_u8(&r);
    while (opcode == IL_OP_nop && !r.failed);
    for (unsigned arguments = 0; arguments < 2 && (opcode == IL_OP_ldarg_0 || opcode == IL_OP_ldarg_1); arguments++)
        opcode = reader_u8(&r);
    if (opcode == IL_OP_ldfld || opcode == IL_OP_stfld || opcode == IL_OP_ldsfld || opcode == IL_OP_stsfld ||
        opcode == IL_OP_ldc_i4 || opcode == IL_OP_ldstr)
        reader_skip(&r, 4);
    else if (opcode == IL_OP_ldc_i4_s)
        reader_skip(&r, 1);
    else if (opcode != IL_OP_ldnull && (opcode < IL_OP_ldc_i4_m1 || opcode > IL_OP_ldc_i4_8))
        return false;
    if (reader_left(&r) > sizeof through_local && memcmp(r.at, through_local, sizeof through_local) == 0)
        reader_skip(&r, sizeof through_local);
    do
        opcode = reader_u8(&r);
    while (opcode == IL_OP_nop && !r.failed);
    return !r.failed && opcode == IL_OP_ret && reader_left(&r) == 0;
}

ilj_reason chooser_ask_code(const chooser *c, uint32_t method_row, bytes code) {
    const ilj_selection *s = c->selection;
    if (!s)
        return ILJ_INSTRUMENT;
    if (code.size < s->min_il_size)
        return ILJ_TOO_SMALL;
    if (!s->skip_trivial_accessors)
        return ILJ_INSTRUMENT;
    uint32_t semantics = md_method_semantics(&c->image->index, method_row);
    uint32_t kind = semantics ? md_cell(&c->image->metadata, MD_MethodSemantics_Semantics, semantics) : 0;
    return kind & (MD_SEMANTICS_GETTER | MD_SEMANTICS_SETTER) && is_trivial(code) ? ILJ_TRIVIAL_ACCESSOR
                                                                                  : ILJ_INSTRUMENT;
}

void chooser_end(chooser *c) {
    if (c->selection)
        suggest_names(c->selection, c->image);
    buffer_clear(&c->parameters);
}

/* ---- For people ------------------------------------------------------------------------------------------------ */

void rule_describe(buffer *b, const ilj_selection *selection, uint32_t rule) {
    static const char *const texts[RULE_LISTED] = {
        "",
        "no include names it",
        "[Profile] of the assembly",
        "[Profile] of the type",
        "[Profile] of the method",
        "[NoProfile] of the assembly",
        "[NoProfile] of the type",
        "[NoProfile] of the method",
    };
    if (rule < RULE_LISTED) {
        buffer_string(b, texts[rule]);
        return;
    }
    const selection_rule *r = &selection->rules[rule - RULE_LISTED];
    const char *verb = r->include ? "include" : "exclude";
    if (r->file)
        buffer_printf(b, "%s:%u %s '%s'", r->file, r->line, verb, r->pattern.text);
    else
        buffer_printf(b, "--%s '%s'", verb, r->pattern.text);
}
