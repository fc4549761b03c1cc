#!/usr/bin/env bash
# level: full
# Every IL-only image under Mono's library folders: identity, instrumenting, foreign readers, Mono's JIT.
extent=all
. "$(dirname "$0")/corpus.sh"
