/* trend.h - what methods took in each of several profiles, in the order of their starts. */
#ifndef ILINJECT_REPORT_MODEL_TREND_H
#define ILINJECT_REPORT_MODEL_TREND_H

#include "report/model/model.h"

enum { TREND_MAX_METHODS = 100, TREND_MAX_POINTS = 200 };

typedef enum trend_value { TREND_CALLS, TREND_EXCLUSIVE, TREND_INCLUSIVE, TREND_VALUES } trend_value;

/* A profile's figures, as its report alone has them; times in ns. */
typedef struct trend_point {
    const report *r; /* that it is of: the one that is shown, or `before` */
    size_t profile;  /* position there */
    bool known;      /* trend_add was given it */
    uint64_t values[TREND_MAX_METHODS][TREND_VALUES];
} trend_point;

/* All zero: there is none. */
typedef struct trend {
    const report_function *methods[TREND_MAX_METHODS]; /* of the report that is shown */
    uint32_t method_count;
    trend_point *points;
    size_t point_count, left_out; /* of these the later ones are there, TREND_MAX_POINTS at most */
    uint64_t hashes[TREND_MAX_METHODS];
} trend;

/* Chooses the methods with the most own time, inclusive time and calls, and orders the profiles. There is no trend of
 * one profile, nor of one and the one that it is compared with. To be freed by trend_clear, also when memory ran out:
 * false. */
bool trend_start(trend *t, const report *r);

/* Adds what a point's profile comes to. Methods are matched by assembly and full name, as diff does. */
void trend_add(trend *t, size_t point, const aggregate *alone);

void trend_clear(trend *t);

#endif
