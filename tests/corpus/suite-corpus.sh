#!/usr/bin/env bash
# A sample of the IL-only images under Mono's library folders: identity, instrumenting, foreign readers, Mono's JIT.
extent=sample
. "$(dirname "$0")/corpus.sh"
