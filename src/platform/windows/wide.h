/* wide.h - between the UTF-8 of the program and what Windows asks for: UTF-16 names, its own error numbers. */
#ifndef ILINJECT_PLATFORM_WINDOWS_WIDE_H
#define ILINJECT_PLATFORM_WINDOWS_WIDE_H

#define WIN32_LEAN_AND_MEAN
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <wchar.h>
#include <windows.h>

/* UTF-16 of a text, and back, for the caller to free; NULL: memory ran out. Invalid parts become U+FFFD. */
wchar_t *wide_text(const char *text);
char *wide_utf8(const wchar_t *text);

/* A path as the system's functions take it, for the caller to free: backslashes, and where it is long, whole and with
 * the prefix that long ones need (\\?\). NULL: memory ran out. */
wchar_t *wide_path(const char *path);

/* A path that the system has given, without that prefix, for the caller to free. */
char *wide_shown_path(const wchar_t *path);

/* The errno that says the same as one of the system's errors. */
int wide_errno(DWORD error);

/* A pause before another try of what is refused because another program has a file open, as an antivirus has for a
 * moment. `attempt` begins at 0. False: two seconds have passed. */
bool wide_pause(unsigned *attempt);

/* A function's answer for files: a handle, or INVALID_HANDLE_VALUE with errno. `share` and the rest as CreateFileW. A
 * file that another program has open is waited for; then errno is EBUSY. */
HANDLE wide_open(const char *path, DWORD access, DWORD share, DWORD disposition, DWORD flags);

/* A stream that writes bytes to a handle, which is closed with it, also when NULL is returned: memory ran out. */
FILE *wide_stream(HANDLE file);

/* The path without links, for the caller to free; NULL with errno. */
char *wide_real_path(const char *path);

/* Moves a file over another one. Waits for those that have it open; a program that runs is moved aside. `keeps`: what
 * the replaced file has beside its content stays. Returns 0 or an errno; EBUSY: it is open in another program still. */
int wide_replace(const wchar_t *from, const wchar_t *to, bool keeps);

/* Removes a file, or a link to a folder. `waits`: for those that have it open. Returns 0 or an errno. */
int wide_remove(const wchar_t *path, bool waits);

/* Writes `size` random bytes. */
bool wide_random(void *bytes, size_t size);

/* The rights of a file that is its owner's alone; NULL: the default. */
SECURITY_ATTRIBUTES *wide_private(void);

#endif
