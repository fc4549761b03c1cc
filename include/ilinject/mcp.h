/* ilinject/mcp.h - answers questions about profiles that a program asks, by the Model Context Protocol. */
#ifndef ILINJECT_MCP_H
#define ILINJECT_MCP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"

#ifdef __cplusplus
extern "C" {
#endif
#ifdef __ELF__
#pragma GCC visibility push(default)
#endif

/* Answers requests of the Model Context Protocol, revisions 2026-07-28 and 2025-11-25, a message a line. It works while
 * ilj_mcp_serve is called, on that thread and, where the system has threads, one that reads and one that helps. */
typedef struct ilj_mcp ilj_mcp;

typedef struct ilj_mcp_options {
    size_t size;           /* sizeof(ilj_mcp_options) */
    const char *root;      /* profiles may be read here and in folders below, and nowhere else */
    const char *program;   /* the ilinject that may be started to record one: a path, or a name along $PATH. NULL: none */
    uint64_t memory_bytes; /* that profiles may take between calls; 0: 512 MiB */
} ilj_mcp_options;

/* Reads at least one byte, at most `size`; returns how many, 0 at the end. */
typedef size_t ilj_read_fn(void *user, char *to, size_t size);

/* *mcp must be freed before its context. Returns ILJ_OK, ILJ_IO (no such folder), ILJ_NO_MEMORY. */
ilj_status ilj_mcp_new(ilj_mcp **mcp, ilj_context *context, const ilj_mcp_options *options);
void ilj_mcp_free(ilj_mcp *mcp);

/* Reads messages until the end, and answers them in their order. `write` gets one whole line a call. `read` is called
 * from a thread of its own where there are threads. Returns ILJ_OK, ILJ_IO (a write was refused), ILJ_NO_MEMORY. */
ilj_status ilj_mcp_serve(ilj_mcp *mcp, ilj_read_fn *read, ilj_write_fn *write, void *user);

#ifdef __ELF__
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif
