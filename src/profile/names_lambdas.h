/* names_lambdas.h - the numbers of lambdas, by which names of methods tell them apart. */
#ifndef ILINJECT_PROFILE_NAMES_LAMBDAS_H
#define ILINJECT_PROFILE_NAMES_LAMBDAS_H

#include "profile/names.h"

/* Numbers the lambdas of a module whose names were read: to be called once, before names_of_method where that is to
 * show them (without numbers it shows those that the compiler gave). Takes memory from the arena of the names, which
 * stays in use as long as that. False when memory ran out. */
bool names_number_lambdas(names *n, arena *a);

#endif
