/* policy.h - the files by which Silverlight and Flash learn that any page may send profiles here. */
#ifndef ILINJECT_SERVE_POLICY_H
#define ILINJECT_SERVE_POLICY_H

/* The content of the file at this path, or NULL. */
const char *policy_at(const char *path);

#endif
