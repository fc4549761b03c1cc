/* views.h - names of what a report shows, the same for all commands that show one. */
#ifndef ILINJECT_CLI_VIEWS_H
#define ILINJECT_CLI_VIEWS_H

/* By ilj_report_view and ilj_report_by. */
#define VIEW_NAMES "default|functions|tree|callers|hot|exceptions|async|calls|objects|brief|never"
#define BY_NAMES   "function|type|namespace|assembly|thread|part|test"

#endif
