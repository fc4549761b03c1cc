#!/usr/bin/env bash
# level: full
# ReadyToRun images lose their native code and run instrumented: all of the shared framework and the SDK, and Roslyn at work.
extent=all
. "$(dirname "$0")/../lib/sh/r2r.sh"
