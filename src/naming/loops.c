#include "naming/loops.h"

#include "il/decode.h"
#include "metadata/types.h"
#include "naming/code.h"

enum {
#define NAMES_FILE_FLAG(ID, value, meaning)
#define NAME_FLAG(ID, value, KEPT, meaning) NAME_##ID = value,
#include "facts/name_flags.def"
#undef NAME_FLAG
#undef NAMES_FILE_FLAG
};

enum { MOST_METHODS = 64 }; /* of the entry point and what its calls lead to, nearest first */

static const struct {
    const char *space, *type, *method;
} loops[] = {
#define LOOP(space, type, method) {space, type, method},
#include "naming/loops.def"
#undef LOOP
};

static bool is_loop(const ilj_image *image, md_token member) {
    const md_view *v = &image->metadata;
    if (md_token_table(member) != MD_TABLE_MemberRef)
        return false;
    const md_token type = md_type_definition(v, md_member_type(v, &image->index, member));
    for (size_t i = 0; i < sizeof loops / sizeof loops[0] && md_token_table(type) == MD_TABLE_TypeRef; i++)
        if (md_name_is(v, MD_MemberRef_Name, md_token_row(member), loops[i].method) &&
            md_name_is(v, MD_TypeRef_TypeName, md_token_row(type), loops[i].type) &&
            md_name_is(v, MD_TypeRef_TypeNamespace, md_token_row(type), loops[i].space))
            return true;
    return false;
}

/* The methods of this image that are called, in the order of the calls. */
typedef struct reached {
    uint32_t rows[MOST_METHODS], count;
} reached;

static void reach(reached *of, const md_view *v, md_token member) {
    const uint32_t row = md_token_row(member);
    if (md_token_table(member) != MD_TABLE_MethodDef || !md_row_exists(v, MD_TABLE_MethodDef, row))
        return;
    for (uint32_t i = 0; i < of->count; i++)
        if (of->rows[i] == row)
            return;
    if (of->count < MOST_METHODS)
        of->rows[of->count++] = row;
}

void loops_mark(const ilj_image *image, uint16_t *roles) {
    const md_view *v = &image->metadata;
    reached of = {.count = 0};
    if (!(image->pe.cli.flags & PE_CLI_NATIVE_ENTRYPOINT))
        reach(&of, v, image->pe.cli.entry_point_token);
    if (of.count > 0 && md_name_is(v, MD_MethodDef_Name, of.rows[0], "<Main>")) /* waits for an async Main */
        roles[of.rows[0]] |= NAME_LOOP;
    for (uint32_t at = 0; at < of.count; at++) {
        il_body body;
        if (!method_code(image, of.rows[at], &body))
            continue;
        il_cursor cursor = il_cursor_of(body.code);
        for (il_instruction i; il_next(&cursor, &i);) {
            if (i.opcode != IL_call && i.opcode != IL_callvirt)
                continue;
            const md_token member = md_member(v, i.token);
            if (is_loop(image, member))
                roles[of.rows[at]] |= NAME_LOOP;
            reach(&of, v, member);
        }
    }
}
