/* Which files decide an output, besides what the options name: those that symbols.c, companions.c and modules.c read.
 */
#include "input/image.h"
#include "output/companions.h"
#include "output/deps_folder.h"
#include "output/symbols.h"
#include "platform/os.h"
#include "platform/path.h"

#include <string.h>

typedef struct lookout {
    arena memory;
    const char *input;
    ilj_path_fn *visit;
    void *user;
    bool lost;
} lookout;

/* The first `length` bytes of the input's path, and an ending; visited when such a file is there. */
static void look_for(lookout *r, size_t length, const char *ending) {
    size_t size = strlen(ending) + 1;
    char *path = arena_alloc(&r->memory, length + size);
    if (!path) {
        r->lost = true;
        return;
    }
    memcpy(path, r->input, length);
    memcpy(path + length, ending, size);
    if (os_exists(path) && !os_is_directory(path))
        r->visit(r->user, path);
}

static void look_inside(lookout *r, ilj_image *image, size_t folder) {
    const md_view *v = &image->metadata;
    const char *pdb = NULL;
    for (uint32_t row = 1; row <= md_row_count(v, MD_TABLE_File); row++) {
        const char *name = md_name(v, MD_File_Name, row);
        if (*name && !strchr(name, '/') && !strchr(name, '\\'))
            look_for(r, folder, name);
    }
    if (symbols_name_beside(&pdb, image, r->input) != ECMA_OK)
        r->lost = true;
    if (pdb)
        r->visit(r->user, pdb);
}

/* Visits the program's deps.json when it may list the input; `from` is the place of its name in the path. */
static void look_at_program(lookout *r, size_t from, const char *name) {
    diag silent = {.file = r->input};
    os_map map = OS_MAP_INIT;
    size_t size = strlen(name) + 1;
    char *path = arena_alloc(&r->memory, from + size);
    if (!path) {
        r->lost = true;
        return;
    }
    memcpy(path, r->input, from);
    memcpy(path + from, name, size);
    if (!os_is_directory(path) && os_map_file(&map, &silent, path) == ECMA_OK &&
        deps_may_list(map.content, r->input + from))
        r->visit(r->user, path);
    os_unmap(&map);
}

/* The deps.json files beside the input, but for its own; `stem` is the length of its path without the extension. */
static void look_for_programs(lookout *r, size_t from, size_t stem) {
    diag silent = {.file = r->input};
    deps_folder beside = {.memory = ARENA_INIT};
    size_t length = stem - from;
    r->lost |= deps_folder_turn(&beside, r->input, NULL, &silent) != ECMA_OK ||
               deps_folder_list(&beside, true, &silent) != ECMA_OK;
    for (size_t i = 0; i < beside.count; i++) {
        const char *name = beside.names[i];
        bool own = strncmp(name, r->input + from, length) == 0 && strcmp(name + length, DEPS_ENDING) == 0;
        if (!own)
            look_at_program(r, from, name);
    }
    deps_folder_clear(&beside);
}

ilj_status ilj_files_read(ilj_context *context, const char *input, ilj_path_fn *visit, void *user) {
    diag d = context_diag(context, input);
    ilj_context silent = {0};
    lookout r = {.memory = ARENA_INIT, .input = input, .visit = visit, .user = user};
    ilj_image *image = NULL;
    const char *slash = path_last_separator(input), *dot = strrchr(slash ? slash : input, '.');
    size_t length = strlen(input),
           stem = dot && dot > input && !path_is_separator(dot[-1]) ? (size_t)(dot - input) : length;
    visit(user, input);
    look_for(&r, stem, ".deps.json");
    look_for(&r, stem, ".runtimeconfig.json");
    look_for(&r, length, ".config");
    look_for(&r, length, ".mdb");
    look_for(&r, stem, ".pdb");
    look_for_programs(&r, slash ? (size_t)(slash - input) + 1 : 0, stem);
    if (ilj_image_open(&image, &silent, input) == ILJ_OK)
        look_inside(&r, image, slash ? (size_t)(slash - input) + 1 : 0);
    ilj_image_free(image);
    arena_clear(&r.memory);
    return r.lost ? diag_no_memory(&d) : ILJ_OK;
}
