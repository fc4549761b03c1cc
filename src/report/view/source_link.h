/* source_link.h - where a source file is on the web, by the JSON that SourceLink left in the symbols
 * (https://github.com/dotnet/designs/blob/main/accepted/2020/diagnostics/source-link.md). */
#ifndef ILINJECT_REPORT_VIEW_SOURCE_LINK_H
#define ILINJECT_REPORT_VIEW_SOURCE_LINK_H

#include "base/buffer.h"

/* One module's; starts all zero. */
typedef struct source_link {
    void *documents; /* a json_t; NULL: there are none */
} source_link;

/* Takes the place of what it had. JSON that is none, or has no documents, leaves it empty. */
void source_link_read(source_link *l, bytes json);
void source_link_clear(source_link *l);

/* Makes the address of the file's page for people the content of `url`, with `{line}` where the line goes: SourceLink
 * names the file's bare text, and GitHub's, GitLab's, Azure DevOps', Bitbucket's and Gitea's rules lead from there to
 * the page. Of another host it is the bare text, without `{line}`. Empty: not known, or no address of the web.
 * `path`: as the compiler had it. */
void source_link_page(buffer *url, const source_link *l, bytes path);

#endif
