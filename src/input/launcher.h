/* launcher.h - native launchers (MyApp, MyApp.exe), which start the managed assembly beside them. */
#ifndef ILINJECT_INPUT_LAUNCHER_H
#define ILINJECT_INPUT_LAUNCHER_H

#include <stdbool.h>

/* Is there a file MyApp.dll beside the launcher MyApp or MyApp.exe? *name is its path, for the caller to free. False
 * when memory ran out, too. */
bool launcher_try_managed_name(const char *input, char **name);

#endif
