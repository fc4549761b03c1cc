/* policy.h - the files that let pages of any origin send profiles here from Silverlight and Flash. */
#ifndef ILINJECT_SERVE_POLICY_H
#define ILINJECT_SERVE_POLICY_H

/* The content of the file at this path, or NULL. */
const char *policy_at(const char *path);

#endif
