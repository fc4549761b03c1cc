#include "inject/leaves/command_calls.h"

#include "il/emit.h"
#include "metadata/flags.h"
#include "metadata/signature.h"
#include "metadata/types.h"

#include <stdio.h>
#include <stdlib.h>

void command_types_clear(command_types *c) {
    free(c->list);
    *c = (command_types){0};
}

/* ---- Which calls ------------------------------------------------------------------------------------------------- */

static bool is_listed(const md_view *v, uint32_t type) {
    static const struct {
        const char *space, *name;
    } listed[] = {
#define COMMAND(space, type, reason) {space, type},
#include "select/commands.def"
    };
    md_token scope = md_cell_token(v, MD_TypeRef_ResolutionScope, type);
    for (size_t i = 0; i < sizeof listed / sizeof listed[0]; i++)
        if (md_name_is(v, MD_TypeRef_TypeName, type, listed[i].name) &&
            md_name_is(v, MD_TypeRef_TypeNamespace, type, listed[i].space))
            return md_token_table(scope) != MD_TABLE_TypeRef; /* nested in another one */
    return false;
}

/* A call of a command, read. */
typedef struct command_call {
    md_token type;
    uint32_t argument_count;
    bytes arguments[COMMAND_ARGUMENTS];
} command_call;

/* A type that a local can have, and that the method's generic parameters are no part of. */
static bool is_plain(bytes type) {
    reader r = reader_of(type);
    uint8_t element = reader_u8(&r);
    return (element >= MD_ELEMENT_BOOLEAN && element <= MD_ELEMENT_STRING) || element == MD_ELEMENT_VALUETYPE ||
           element == MD_ELEMENT_CLASS || element == MD_ELEMENT_OBJECT || element == MD_ELEMENT_I ||
           element == MD_ELEMENT_U;
}

static bool try_read(command_call *call, const command_types *c, md_token member) {
    static const char execute[] = "Execute";
    const md_view *v = &c->image->metadata;
    bytes signature;
    md_method_sig head;
    *call = (command_call){0};
    if (md_token_table(member) != MD_TABLE_MemberRef ||
        strncmp(md_member_name(v, member), execute, sizeof execute - 1) != 0)
        return false;
    call->type = md_member_type(v, &c->image->index, member);
    if (md_token_table(call->type) != MD_TABLE_TypeRef ||
        !md_row_exists(v, MD_TABLE_TypeRef, md_token_row(call->type)) || !is_listed(v, md_token_row(call->type)) ||
        !md_try_blob(v, md_cell(v, MD_MemberRef_Signature, md_token_row(member)), &signature))
        return false;
    reader r = reader_of(signature);
    if (!md_try_method_sig(&r, &head) || head.convention != MD_SIG_HASTHIS ||
        head.parameter_count > COMMAND_ARGUMENTS || !md_skip_type(&r))
        return false;
    for (; call->argument_count < head.parameter_count; call->argument_count++) {
        bytes *type = &call->arguments[call->argument_count];
        type->data = r.at;
        if (!md_skip_type(&r))
            return false;
        type->size = (size_t)(r.at - type->data);
        if (!is_plain(*type))
            return false;
    }
    return true;
}

static command_type *find(const command_types *c, md_token type) {
    for (uint32_t i = 0; i < c->count; i++)
        if (c->list[i].type == type)
            return &c->list[i];
    return NULL;
}

void command_types_note(command_types *c, md_token member) {
    command_call call;
    if (!c->image || !try_read(&call, c, member) || find(c, call.type))
        return;
    if (c->count == c->capacity) {
        uint32_t capacity = c->capacity ? 2 * c->capacity : 4;
        command_type *grown = realloc(c->list, capacity * sizeof *grown);
        if (!grown) {
            c->failed = true;
            return;
        }
        c->list = grown;
        c->capacity = capacity;
    }
    c->list[c->count++] = (command_type){.type = call.type};
}

/* ---- The helper type's methods ----------------------------------------------------------------------------------- */

/* Each of them uses these: the row of its locals, and System.Object. */
enum { LOCALS, OBJECT, USES };

/* static void NameCommand(TYPE command, int32 token):
 *     if (WantsCommandText(token)) { string text = null; try { text = command.CommandText; } catch { }
 *     WhenCommandHasText(command, text, token); } */
static void add_method(command_type *t, md_edit *edit, references *refs, uint32_t number, const md_token uses[USES]) {
    enum { MAX_STACK = 3 };
    static const uint8_t getter[] = {MD_SIG_HASTHIS, 0, MD_ELEMENT_STRING};
    char name[32];
    snprintf(name, sizeof name, "NameCommand%u", number);
    md_token text = references_member(edit, t->type, "get_CommandText", bytes_of(getter, sizeof getter));
    buffer body = BUFFER_INIT, *b = &body;
    il_emit_head(b, MAX_STACK, uses[LOCALS]);
    il_emit_ldarg(b, 1);
    il_emit_call(b, refs->method[TRACKER_WANTS_TEXT]);
    size_t unwanted = il_emit_branch(b, IL_OP_brfalse_s);
    size_t try_at = b->size;
    il_emit_ldarg(b, 0);
    il_emit_token(b, IL_OP_callvirt, text);
    il_emit_stloc(b, 0);
    size_t tried = il_emit_branch(b, IL_OP_leave_s);
    size_t catch_at = b->size;
    il_emit(b, IL_OP_pop);
    size_t caught = il_emit_branch(b, IL_OP_leave_s);
    size_t end = b->size;
    il_emit_land(b, tried);
    il_emit_land(b, caught);
    il_emit_ldarg(b, 0);
    il_emit_ldloc(b, 0);
    il_emit_ldarg(b, 1);
    il_emit_call(b, refs->method[TRACKER_HAS_TEXT]);
    il_emit_land(b, unwanted);
    il_emit(b, IL_OP_ret);
    il_emit_catch(b, try_at, catch_at, end, uses[OBJECT]);
    buffer signature = BUFFER_INIT;
    buffer_append(&signature, (uint8_t[]){MD_SIG_DEFAULT, 2, MD_ELEMENT_VOID, MD_ELEMENT_CLASS}, 4);
    buffer_compressed(&signature, md_coded_encode(MD_CODED_TypeDefOrRef, t->type));
    buffer_u8(&signature, MD_ELEMENT_I4);
    refs->helper.code.failed |= b->failed;
    edit->blobs.failed |= signature.failed;
    t->name_command = helper_add_fat_method(&refs->helper, edit, name, buffer_bytes(&signature), MD_IMPL_NO_INLINING,
                                            buffer_bytes(b));
    buffer_clear(b);
    buffer_clear(&signature);
}

void command_types_reference(command_types *c, md_edit *edit, references *refs, const tracker *tracker) {
    if (!c->count)
        return;
    references_add_group(refs, edit, tracker, TRACKER_GROUP_COMMANDS);
    static const uint8_t one_string[] = {MD_SIG_LOCALS, 1, MD_ELEMENT_STRING};
    const md_token uses[USES] = {
        [LOCALS] = md_edit_row(edit, MD_TABLE_StandAloneSig,
                               (uint32_t[]){md_edit_blob(edit, bytes_of(one_string, sizeof one_string))}),
        [OBJECT] = references_core_type(edit, "System", "Object")};
    for (uint32_t i = 0; i < c->count; i++)
        add_method(&c->list[i], edit, refs, i, uses);
}

/* ---- Calls ------------------------------------------------------------------------------------------------------- */

enum { NO_PLACE = UINT32_MAX };

static uint32_t place_of(const command_spills *s, uint32_t position, bytes type) {
    for (uint32_t i = 0; i < s->count; i++)
        if (s->list[i].position == position && bytes_equal(s->list[i].type, type))
            return i;
    return NO_PLACE;
}

void command_spills_take(command_spills *s, const command_types *c, md_token member) {
    command_call call;
    if (!c->image || !try_read(&call, c, member))
        return;
    for (uint32_t i = 0; i < call.argument_count; i++)
        if (place_of(s, i, call.arguments[i]) == NO_PLACE && s->count < SPILLS_MOST) {
            s->list[s->count].position = i;
            s->list[s->count++].type = call.arguments[i];
        }
}

void command_spills_types(const command_spills *s, buffer *types) {
    for (uint32_t i = 0; i < s->count; i++)
        buffer_append(types, s->list[i].type.data, s->list[i].type.size);
}

bool command_emit_name(const command_types *c, buffer *code, md_token member, const command_spills *s, uint32_t leaf,
                       uint32_t first) {
    command_call call;
    if (!c->image || !try_read(&call, c, member))
        return false;
    const command_type *type = find(c, call.type);
    uint32_t places[COMMAND_ARGUMENTS];
    for (uint32_t i = 0; i < call.argument_count; i++)
        if ((places[i] = place_of(s, i, call.arguments[i])) == NO_PLACE)
            return false;
    if (!type || !type->name_command)
        return false;
    for (uint32_t i = call.argument_count; i-- > 0;)
        il_emit_stloc(code, first + places[i]);
    il_emit(code, IL_OP_dup);
    il_emit_ldloc(code, leaf);
    il_emit_call(code, type->name_command);
    for (uint32_t i = 0; i < call.argument_count; i++)
        il_emit_ldloc(code, first + places[i]);
    return true;
}
