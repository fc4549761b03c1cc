#!/usr/bin/env bash
# ReadyToRun images lose their native code and run instrumented: some of the shared framework's.
extent=sample
. "$(dirname "$0")/../lib/sh/r2r.sh"
