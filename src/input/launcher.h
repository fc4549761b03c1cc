/* launcher.h - native launchers (MyApp, MyApp.exe), which start a managed assembly. */
#ifndef ILINJECT_INPUT_LAUNCHER_H
#define ILINJECT_INPUT_LAUNCHER_H

#include <stdbool.h>

/* Finds the assembly that a launcher starts: MyApp.dll beside MyApp or MyApp.exe, where symbolic links lead, too, or the
 * one that the launcher of an installed tool names. *name is its path, for the caller to free. False when memory ran
 * out, too. */
bool launcher_try_managed_name(const char *input, char **name);

#endif
