#!/usr/bin/env bash
# Whole programs of others, instrumented: the quick ones.
extent=sample
. "$(dirname "$0")/../lib/sh/programs.sh"
