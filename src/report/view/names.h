/* names.h - what things are called where a name is all there is: each is made the content of a buffer, in UTF-8 on one
 * line, without controls, and is never empty. */
#ifndef ILINJECT_REPORT_VIEW_NAMES_H
#define ILINJECT_REPORT_VIEW_NAMES_H

#include "report/model/model.h"

/* A thread's, "Thread 1 main"; of several profiles with the program's name and process. */
void view_thread_name(buffer *b, const report *r, const report_thread *t);

/* A module's: App.dll; of one without names the assembly's full name. */
void view_module_name(buffer *b, const report_module *m);

/* A text that the profile holds. */
void view_text(buffer *b, bytes text);

#endif
