/* literal.h - text for ldstr. */
#ifndef ILINJECT_LITERAL_H
#define ILINJECT_LITERAL_H

#include "base/buffer.h"
#include "metadata/edit.h"

/* Adds UTF-8 text to #US, as UTF-16 (II.24.2.4), and gives its token. What is no UTF-8 becomes U+FFFD. The buffer holds
 * the text alone, and is left with more. Memory that runs out is remembered in the edit, and the token is then 0. */
md_token literal_add(md_edit *edit, buffer *text);

#endif
