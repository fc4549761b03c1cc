/* user_string.h - text for ldstr. */
#ifndef ILINJECT_INJECT_MODULE_USER_STRING_H
#define ILINJECT_INJECT_MODULE_USER_STRING_H

#include "base/buffer.h"
#include "metadata/edit.h"
#include "metadata/index.h"

/* Adds UTF-8 text to #US, as UTF-16 (II.24.2.4), and gives its token. Bytes that are no UTF-8 become U+FFFD. The buffer
 * holds the text alone, and is left with more. Memory that runs out is remembered in the edit, and the token is then 0.
 */
md_token user_string_add(md_edit *edit, buffer *text);

/* The same of a method's full name; what is in `scratch` goes. */
md_token user_string_add_method(md_edit *edit, const md_index *index, uint32_t method_row, buffer *scratch);

#endif
