/* Rows for databases (docs/fleet): JSON objects, one a line, or CSV as RFC 4180 has it, each with its table. Columns
 * are the rows of facts/row_columns.def. Texts stand as they are, in CSV, too: a program reads them. */
#include "report/export/table_rows.h"

#include <stdlib.h>
#include <time.h>

#include "report/export/row_ids.h"
#include "report/model/walk.h"
#include "report/view/frames.h"
#include "report/view/labels.h"
#include "report/view/names.h"
#include "report/view/source.h"

typedef enum row_table { TABLE_RUN, TABLE_METHOD, TABLE_PATH, TABLE_NODE } row_table;

typedef enum row_column {
#define ROW_COLUMN(ID, name, TYPE, tables, meaning) ROW_##ID,
#include "facts/row_columns.def"
#undef ROW_COLUMN
    ROW_COLUMNS,
} row_column;
_Static_assert(ROW_COLUMNS - ROW_FIGURE_BYTES == FIGURES, "the counted figures are the last columns, in their order");

typedef enum column_type { TYPE_ID, TYPE_NUMBER, TYPE_SIGNED, TYPE_TEXT, TYPE_TIME, TYPE_DAY, TYPE_MAP } column_type;

static const struct {
    const char *key; /* as it stands in an object: ,"name": */
    uint8_t size;    /* of that */
    uint8_t type;    /* column_type */
} columns_of_rows[ROW_COLUMNS] = {
#define ROW_COLUMN(ID, name, TYPE, tables, meaning) {",\"" name "\":", sizeof ",\"" name "\":" - 1, TYPE_##TYPE},
#include "facts/row_columns.def"
#undef ROW_COLUMN
};

/* One row, by column. `shows` has those that are there: a text that is empty is not, nor a 0 that says nothing. */
typedef struct row {
    uint64_t numbers[ROW_COLUMNS];
    bytes texts[ROW_COLUMNS];
    uint64_t shows; /* bits */
} row;
_Static_assert(ROW_COLUMNS <= 64, "a bit for each column");

static void set_number(row *to, row_column column, uint64_t number) {
    to->numbers[column] = number;
    to->shows |= UINT64_C(1) << column;
}

/* As set_number, unless it is 0. */
static void set_any(row *to, row_column column, uint64_t number) {
    if (number != 0)
        set_number(to, column, number);
}

static void set_text(row *to, row_column column, bytes text) {
    to->texts[column] = text;
    if (text.size > 0)
        to->shows |= UINT64_C(1) << column;
}

static void set_string(row *to, row_column column, const char *text) {
    set_text(to, column, bytes_of(text, strlen(text)));
}

/* A text of CSV, in quotes. */
static void print_quoted(printer *out, bytes s) {
    print_bytes(out, "\"", 1);
    for (size_t from = 0; from < s.size;) {
        const uint8_t *quote = memchr(s.data + from, '"', s.size - from);
        size_t to = quote ? (size_t)(quote - s.data) + 1 : s.size;
        print_bytes(out, (const char *)s.data + from, to - from);
        print_string(out, quote ? "\"" : "");
        from = to;
    }
    print_bytes(out, "\"", 1);
}

/* UTC, as SQL writes it. */
static void print_time(printer *out, uint64_t ns, bool day) {
    enum { NS = 1000000000, US = 1000 };
    time_t seconds = (time_t)(ns / NS);
    struct tm t;
    if (!gmtime_r(&seconds, &t))
        return;
    print_format(out, "%04d-%02d-%02d", t.tm_year + 1900, t.tm_mon + 1, t.tm_mday);
    if (!day)
        print_format(out, " %02d:%02d:%02d.%06u", t.tm_hour, t.tm_min, t.tm_sec, (unsigned)(ns % NS / US));
}

static void print_cell(const table_rows *s, const row *of, unsigned column) {
    printer *out = s->out;
    switch ((column_type)columns_of_rows[column].type) {
    case TYPE_ID:
    case TYPE_NUMBER:
        print_number(out, of->numbers[column]);
        break;
    case TYPE_SIGNED:
        print_signed(out, (int64_t)of->numbers[column]);
        break;
    case TYPE_TEXT:
        (s->csv ? print_quoted : print_json)(out, of->texts[column]);
        break;
    case TYPE_MAP:
        if (s->csv)
            print_quoted(out, of->texts[column]);
        else
            print_bytes(out, (const char *)of->texts[column].data, of->texts[column].size);
        break;
    case TYPE_TIME:
    case TYPE_DAY:
        print_string(out, s->csv ? "" : "\"");
        print_time(out, of->numbers[column], columns_of_rows[column].type == TYPE_DAY);
        print_string(out, s->csv ? "" : "\"");
        break;
    }
}

static void print_row(const table_rows *s, row_table table, const row *of) {
    static const char *const heads[] = {"{\"table\":\"run\"", "{\"table\":\"method\"", "{\"table\":\"path\"",
                                        "{\"table\":\"node\""};
    static const char *const names[] = {"run", "method", "path", "node"};
    printer *out = s->out;
    print_string(out, s->csv ? names[table] : heads[table]);
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        const bool shown = of->shows >> i & 1;
        if (s->csv)
            print_bytes(out, ",", 1);
        if (!shown)
            continue;
        if (!s->csv)
            print_bytes(out, columns_of_rows[i].key, columns_of_rows[i].size);
        print_cell(s, of, i);
    }
    print_string(out, s->csv ? "\r\n" : "}\n");
}

void table_rows_start(table_rows *s, printer *out, bool csv) {
    *s = (table_rows){.out = out, .csv = csv};
    if (!csv)
        return;
    print_string(out, "table");
    for (unsigned i = 0; i < ROW_COLUMNS; i++) {
        print_bytes(out, ",", 1);
        print_bytes(out, columns_of_rows[i].key + 2, columns_of_rows[i].size - 4u); /* the name alone */
    }
    print_string(out, "\r\n");
}

void table_rows_clear(table_rows *s) {
    map_clear(&s->methods);
    map_clear(&s->paths);
    map_clear(&s->modules);
}

/* Is it the first time? *failed: memory ran out. */
static bool is_new(map *known, uint64_t id, bool *failed) {
    uint32_t *slot = map_slot(known, id);
    if (!slot) {
        *failed = true;
        return false;
    }
    const bool first = *slot == MAP_NONE;
    *slot = 0;
    return first;
}

/* ---- Methods ---------------------------------------------------------------------------------------------------- */

static const char *kind_of(const report_function *f) {
    return f->command                             ? "command"
           : f->scope                             ? "scope"
           : f->leaf                              ? "leaf"
           : f->machine == PROFILE_PLAIN          ? "method"
           : f->machine == PROFILE_ITERATOR       ? "iterator"
           : f->machine == PROFILE_ASYNC_ITERATOR ? "iterator"
                                                  : "async";
}

/* The id of a frame's method; its row is written if it is new. */
static uint64_t method_of(table_rows *s, const view_frames *frames, uint32_t frame, buffer *text, bool *failed) {
    const report *r = frames->r;
    const report_function *f = view_frame_function(frames, frame);
    row of = {.shows = 0};
    buffer place = BUFFER_INIT;
    bytes assembly = {0}, name;
    text->size = 0;
    if (f) {
        const bytes plain = function_plain_name(f);
        if (f->module != NO_MODULE)
            assembly = names_assembly_name(r->sum->list.modules[f->module].assembly);
        buffer_append(text, plain.data, plain.size);
    }
    const bool resumed = f && frame >= r->sum->list.function_count;
    buffer_string(text, !f ? "(folded calls)" : resumed ? " (resumed)" : "");
    name = buffer_bytes(text);
    const uint64_t id = row_method_id(assembly, name);
    *failed |= text->failed;
    if (!is_new(&s->methods, id, failed))
        return id;
    set_number(&of, ROW_METHOD_ID, id);
    set_text(&of, ROW_ASSEMBLY, assembly);
    set_text(&of, ROW_NAME, name);
    set_string(&of, ROW_KIND, !f ? "folded" : resumed ? "resumed" : kind_of(f));
    if (f) {
        set_text(&of, ROW_TYPE, (bytes){f->name.data, f->parts.type_bytes});
        set_any(&of, ROW_LINE, view_source(&place, r, f));
        set_text(&of, ROW_FILE, buffer_bytes(&place));
    }
    print_row(s, TABLE_METHOD, &of);
    buffer_clear(&place);
    return id;
}

/* Those of a module that were not called: a question for dead code asks for them. */
static void add_uncalled(table_rows *s, const report *r, const report_module *m, buffer *text, bool *failed) {
    enum { NO_METHOD = NAMES_SCOPE | NAMES_LEAF | NAMES_OUTERMOST };
    uint64_t of_module = row_hash_number(HASH_START, load_u64(m->mvid));
    of_module = row_hash_number(row_hash_number(of_module, load_u64(m->mvid + 8)), m->method_count);
    if (!m->named || !is_new(&s->modules, of_module, failed))
        return;
    buffer place = BUFFER_INIT;
    for (uint32_t i = 0; i < m->names->method_count && !*failed; i++) {
        const names_method *method = &m->names->methods[i];
        report_function f = {.names = m->names, .method = i};
        if (method->flags & NO_METHOD || (method->owner != 0 && !r->options->raw_names))
            continue;
        names_of_method(text, &f.parts, m->names, i, r->options->raw_names);
        f.name = buffer_bytes(text);
        const bytes assembly = names_assembly_name(m->assembly), name = function_plain_name(&f);
        const uint64_t id = row_method_id(assembly, name);
        *failed |= text->failed;
        if (!is_new(&s->methods, id, failed))
            continue;
        row of = {.shows = 0};
        set_number(&of, ROW_METHOD_ID, id);
        set_text(&of, ROW_ASSEMBLY, assembly);
        set_text(&of, ROW_TYPE, (bytes){f.name.data, f.parts.type_bytes});
        set_text(&of, ROW_NAME, name);
        set_string(&of, ROW_KIND,
                   method->flags & NAMES_IS_ITERATOR ? "iterator"
                   : method->flags & NAMES_IS_ASYNC  ? "async"
                                                     : "method");
        set_any(&of, ROW_LINE, view_source(&place, r, &f));
        set_text(&of, ROW_FILE, buffer_bytes(&place));
        print_row(s, TABLE_METHOD, &of);
    }
    buffer_clear(&place);
}

/* ---- A profile -------------------------------------------------------------------------------------------------- */

/* The value of a label that all runs share; else `otherwise`. */
static bytes label_or(const profile *p, const char *name, bytes otherwise) {
    const profile_label *l = profile_label_of(p, bytes_of(name, strlen(name)));
    const bool one = l && l->of.count == 1 && l->of.others == 0 && l->of.values[0].runs == profile_runs_in(&p->run);
    return one ? l->of.values[0].value : otherwise;
}

static void add_run(const table_rows *s, const profile *p, uint64_t id, buffer *labels) {
    const profile_run *run = &p->run;
    const profile_facts *facts = p->runs.facts;
    row of = {.shows = 0};
    profile_run shown = *run;
    for (int kind = 0; run->merged && kind < PROFILE_FACTS; kind++) /* where all runs have the same */
        if (facts[kind].count == 1 && facts[kind].others == 0)
            *profile_fact_of(&shown, (profile_fact_kind)kind) = facts[kind].values[0].value;
    set_number(&of, ROW_RUN_ID, id);
    set_number(&of, ROW_DAY, run->start_ns);
    set_number(&of, ROW_STARTED, run->start_ns);
    const bytes version = label_or(p, "service.version", label_or(p, "version", (bytes){0}));
    set_text(&of, ROW_SERVICE, label_or(p, "service.name", shown.name));
    set_text(&of, ROW_RELEASE, label_or(p, "release", version));
    set_text(&of, ROW_HOST, label_or(p, "host", shown.host));
    set_text(&of, ROW_PROGRAM, shown.name);
    set_any(&of, ROW_PID, run->pid);
    set_text(&of, ROW_RUNTIME, shown.runtime);
    set_text(&of, ROW_CLOCK, shown.clock);
    set_text(&of, ROW_REASON, shown.reason);
    set_number(&of, ROW_WALL_NS, profile_ns(run, run->wall_ticks));
    set_number(&of, ROW_RUNS, profile_runs_in(run));
    set_number(&of, ROW_COUNTED, run->only_counts);
    view_labels_json(labels, p);
    set_text(&of, ROW_LABELS, p->label_count > 0 ? buffer_bytes(labels) : (bytes){0});
    print_row(s, TABLE_RUN, &of);
}

/* What is kept of a node while those below it are written. */
typedef struct place {
    uint64_t path;
    uint32_t depth;
    uint32_t waiting; /* the node below it of its waits; 0: none */
} place;

static void add_node(table_rows *s, const report_node *n, const place *its, uint64_t run, uint64_t method,
                     const call_tree *tree) {
    row of;
    of.shows = 0;
    set_number(&of, ROW_RUN_ID, run);
    set_number(&of, ROW_PATH_ID, its->path);
    set_number(&of, ROW_METHOD_ID, method);
    set_number(&of, ROW_CALLS, n->calls);
    const uint64_t own = (uint64_t)(report_exclusive(&n->times) - (int64_t)n->times.exclusive_over_ns);
    set_number(&of, ROW_EXCLUSIVE_NS, own);
    if (n->times.exclusive_low_ns != own)
        set_number(&of, ROW_LOW_NS, n->times.exclusive_low_ns);
    if (n->times.exclusive_high_ns != own)
        set_number(&of, ROW_HIGH_NS, n->times.exclusive_high_ns);
    if (its->waiting != 0)
        set_any(&of, ROW_WAITING_NS, node_times(tree, its->waiting).exclusive_ns);
    set_any(&of, ROW_EXCEPTIONS, n->thrown);
    for (int kind = 0; kind < FIGURES; kind++)
        set_any(&of, (row_column)(ROW_FIGURE_BYTES + kind), n->figures.all[kind]);
    print_row(s, TABLE_NODE, &of);
}

static void add_path(const table_rows *s, const place *its, uint64_t parent, uint64_t method) {
    row of;
    of.shows = 0;
    set_number(&of, ROW_PATH_ID, its->path);
    set_number(&of, ROW_PARENT_ID, parent);
    set_number(&of, ROW_METHOD_ID, method);
    set_number(&of, ROW_DEPTH, its->depth);
    print_row(s, TABLE_PATH, &of);
}

/* The ids of frames, 0: not made yet; false when memory ran out. */
static bool add_nodes(table_rows *s, const report *r, const view_frames *frames, uint64_t *methods, place *places,
                      uint64_t run) {
    const call_tree *tree = &r->sum->tree;
    const fold_link *links = tree->places.links;
    buffer text = BUFFER_INIT;
    bool failed = false;
    for (uint32_t i = 1; i < tree->node_count; i++)
        if (node_kind(&links[i]) == NODE_WAITING)
            places[links[i].parent].waiting = i;
    for (uint32_t node = walk_next(links, 0); node != 0 && !failed; node = walk_next(links, node)) {
        const report_node n = call_tree_node(tree, node);
        const place *above = &places[n.parent];
        if (n.kind == NODE_WAITING)
            continue;
        const uint32_t frame = view_frame_of(frames, &links[node]);
        if (methods[frame] == 0)
            methods[frame] = method_of(s, frames, frame, &text, &failed);
        place *its = &places[node];
        its->path = row_path_id(above->path, methods[frame]);
        its->depth = above->depth + 1;
        if (is_new(&s->paths, its->path, &failed))
            add_path(s, its, above->path, methods[frame]);
        add_node(s, &n, its, run, methods[frame], tree);
    }
    for (uint32_t i = 0; i < r->sum->list.module_count && !failed; i++)
        add_uncalled(s, r, &r->sum->list.modules[i], &text, &failed);
    buffer_clear(&text);
    return !failed;
}

bool table_rows_add(table_rows *s, const report *r) {
    view_frames frames;
    if (!view_frames_make(&frames, r))
        return false;
    const uint64_t run = row_run_id(&r->profiles[0]);
    uint64_t *methods = calloc((size_t)frames.count + 1, sizeof *methods);
    place *places = calloc((size_t)r->sum->tree.node_count + 1, sizeof *places);
    buffer labels = BUFFER_INIT;
    bool done = methods && places;
    if (done) {
        add_run(s, &r->profiles[0], run, &labels);
        done = !labels.failed && add_nodes(s, r, &frames, methods, places, run);
    }
    buffer_clear(&labels);
    free(methods);
    free(places);
    view_frames_clear(&frames);
    return done;
}
