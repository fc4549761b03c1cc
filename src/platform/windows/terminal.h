/* terminal.h - the consoles of the standard streams, and how this process ends by one. */
#ifndef ILINJECT_PLATFORM_WINDOWS_TERMINAL_H
#define ILINJECT_PLATFORM_WINDOWS_TERMINAL_H

#include <stdbool.h>

/* Has consoles obey escape sequences, until terminal_give_back or the end of the process, however it ends: the modes
 * belong to the console, which others go on using. */
void terminal_take(void);
void terminal_give_back(void);

/* For handlers of a console's events: when one that closes it has been handled, the system ends the process at once. So
 * this one waits for the process to end by itself, for which the system gives it some seconds. */
void terminal_stay(unsigned long event);

/* From the one to the other, in any thread, Ctrl-C and what else ends a console's programs waits: a temporary file stands.
 * When the process is ending already, the first does not return. */
void terminal_hold(void);
void terminal_release(void);

/* True if terminal_end has been called. */
bool terminal_is_ending(void);

/* Ends the process as Ctrl-C does, when nothing holds it. */
void terminal_end(void) __attribute__((noreturn));

#endif
