/* tools.h - the tools that there are (tools.def), and their calls. */
#ifndef ILINJECT_MCP_TOOLS_H
#define ILINJECT_MCP_TOOLS_H

#include "mcp/call.h"

typedef enum mcp_tool_id {
#define TOOL(ID, ...) TOOL_##ID,
#include "mcp/tools.def"
    TOOLS,
} mcp_tool_id;

/* True: the result counts. False: c->problem says what the caller can mend, or memory ran out. */
typedef bool mcp_tool_fn(mcp_call *c);
mcp_tool_fn tool_profiles, tool_summary, tool_hot, tool_method, tool_compare, tool_tests, tool_exceptions,
    tool_left_out, tool_suggest, tool_run;

/* The parsed schemas, and the result of tools/list. */
typedef struct mcp_tools {
    json_t *inputs[TOOLS];
    json_t *list;
} mcp_tools;

/* `starts`: also those that start programs. NULL when memory ran out. */
mcp_tools *tools_make(bool starts);
void tools_free(mcp_tools *t);

/* TOOLS: there is none of this name, or it is not allowed. */
mcp_tool_id tools_find(const mcp_tools *t, const char *name);

/* Checks the arguments, and makes c->result. As mcp_tool_fn. */
bool tools_call(mcp_call *c, mcp_tool_id id);

/* Sets the end of the path that took most of the time as `hot_path`. False when memory ran out. */
bool summary_hot_path(mcp_call *c, const mcp_profile *p);

/* The key of that name; ILJ_SORT_TIME for other ones, and for NULL. */
ilj_sort_key tools_sort_key(const char *name);

#endif
