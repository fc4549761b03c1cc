/* messages.h - what a client sends, a JSON-RPC message a line: read, bounded, and waiting for its turn.
 *
 * One thread gives bytes, another one takes messages. A line that is too long is passed over up to its end, and is a
 * message with a fault. messages_open, messages_give and messages_next, messages_close. */
#ifndef ILINJECT_MCP_MESSAGES_H
#define ILINJECT_MCP_MESSAGES_H

#include <jansson.h>

#include "base/buffer.h"
#include "platform/system.h"

enum {
    MESSAGE_BYTES = 1 << 20, /* of a line, without its end */
    MESSAGE_ID_BYTES = 256,  /* of an id as JSON, with a terminator */
    MESSAGES_WAITING = 64,   /* further ones are not read until there is room */
};

/* The codes of JSON-RPC's errors, and those of the protocol's own. */
enum {
    FAULT_PARSE = -32700,
    FAULT_REQUEST = -32600,
    FAULT_METHOD = -32601,
    FAULT_PARAMETERS = -32602,
    FAULT_INTERNAL = -32603,
    FAULT_VERSION = -32022,
};

typedef struct message {
    json_t *request;           /* an object with a method and an id, owned; NULL: there is a fault */
    int fault;                 /* its code; 0: none */
    const char *problem;       /* static */
    char id[MESSAGE_ID_BYTES]; /* as JSON text; "null" where it is not known */
    bool cancelled;            /* the client does not wait for the answer any more */
} message;

#define MESSAGE_INIT ((message){.id = "null"})

typedef struct messages {
    system_monitor *monitor;
    message list[MESSAGES_WAITING]; /* a ring */
    uint32_t first, count;
    message now; /* the one that is being answered; its request is the taker's */
    bool answering, ended;
    buffer line; /* that has not come whole */
    bool passes; /* over the rest of a line that is too long */
} messages;

/* False when memory ran out. */
bool messages_open(messages *m);
void messages_close(messages *m);

/* Takes bytes that came; returns how many: fewer when there is no room for one more message. Notices which requests
 * are cancelled. */
size_t messages_give(messages *m, const char *text, size_t size);

/* No more will come; a last line may have no end. True: it was taken; else there was no room for it. */
bool messages_end(messages *m);

/* Waits until there is room, or until the taker has ended. */
void messages_wait_for_room(messages *m);

/* Takes the next message, waiting for it if `waits`. False: there is none, or none will come. Ends the answering of
 * the one before. The request is the caller's to release. */
bool messages_next(messages *m, message *next, bool waits);

/* True if the message that is being answered was cancelled. */
bool messages_is_cancelled(messages *m);

#endif
