/* protocol.h - answers to single messages, in both eras of the protocol: by the revision that a request names in its
 * _meta (2026-07-28), or as those before it, which begin with `initialize`. Nothing is remembered between two. */
#ifndef ILINJECT_MCP_PROTOCOL_H
#define ILINJECT_MCP_PROTOCOL_H

#include "mcp/tools.h"

/* Makes the content of `out` the answer, one line with its end: whole, or an error where memory ran out. Nothing:
 * the message was cancelled meanwhile. */
void protocol_answer(buffer *out, ilj_mcp *mcp, const message *m);

#endif
