/* command_calls.h - calls of ADO.NET's commands, whose leaves are distinguished by the commands' texts
 * (docs/leaves.md).
 *
 * After the call that enters such a leaf its command is on the stack, below the arguments. They go into locals while
 * the helper type is given the command,
 *
 *     stloc ARGUMENT…; dup; ldloc LEAF; call NameCommand; ldloc ARGUMENT…
 *
 * and NameCommand, which there is for each type of commands, reads the text and gives it to the tracker. A reader that
 * throws is caught there (docs/decisions/05-leaves.md).
 *
 * Life cycle: all zero but for image, command_types_note for each call, command_types_reference, command_types_clear.
 */
#ifndef ILINJECT_INJECT_LEAVES_COMMAND_CALLS_H
#define ILINJECT_INJECT_LEAVES_COMMAND_CALLS_H

#include "input/image.h"
#include "tracker/references.h"

/* A type as the module names it. */
typedef struct command_type {
    md_token type;
    md_token name_command; /* of the helper type; 0: not there yet */
} command_type;

typedef struct command_types {
    const ilj_image *image; /* NULL: texts are not asked for */
    command_type *list;
    uint32_t count, capacity;
    bool failed; /* memory ran out */
} command_types;

void command_types_clear(command_types *c);

/* Takes the type of the member that a call names, if the call is a command's. */
void command_types_note(command_types *c, md_token member);

/* Adds the tracker's methods, and one of the helper type for each type, if there is any. */
void command_types_reference(command_types *c, md_edit *edit, references *refs, const tracker *tracker);

/* The arguments of a method's calls, each kind at each position: a local keeps it. Starts all zero. */
enum { SPILLS_MOST = 8, COMMAND_ARGUMENTS = 2 };
typedef struct command_spills {
    struct {
        uint32_t position;
        bytes type; /* borrowed from the view */
    } list[SPILLS_MOST];
    uint32_t count;
} command_spills;

/* Gives the arguments of a call of the member their places. */
void command_spills_take(command_spills *s, const command_types *c, md_token member);

/* Appends the types of the locals. */
void command_spills_types(const command_spills *s, buffer *types);

/* Appends the code that names the command of a call of the member; false: the call is no command's, or has arguments
 * without places. `leaf`: the local of the leaf's token, `first`: that of the first place. */
bool command_emit_name(const command_types *c, buffer *code, md_token member, const command_spills *s, uint32_t leaf,
                       uint32_t first);

#endif
