#!/usr/bin/env bash
# level: full
# Whole programs of others, instrumented: mcs, Newtonsoft.Json, Roslyn.
extent=all
. "$(dirname "$0")/../lib/sh/programs.sh"
