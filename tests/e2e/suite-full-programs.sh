#!/usr/bin/env bash
# Whole programs of others, instrumented: mcs, Newtonsoft.Json, Roslyn.
extent=all
. "$(dirname "$0")/programs.sh"
