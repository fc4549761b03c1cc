/* command_packages.h - packages that run commands for the program, as Dapper and Entity Framework do. */
#ifndef ILINJECT_INJECT_LEAVES_COMMAND_PACKAGES_H
#define ILINJECT_INJECT_LEAVES_COMMAND_PACKAGES_H

#include "inject/leaves/leaf_calls.h"
#include "select/selection.h"

/* Reports which of them the leaves call, and the rules that bring their commands' texts; nothing where the
 * selection has these rules. */
void command_packages_report(const leaves *l, const ilj_selection *selection);

#endif
