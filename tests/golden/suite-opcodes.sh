#!/usr/bin/env bash
# The opcode table beside what the runtime's own System.Reflection.Emit.OpCodes says.
. "$(dirname "$0")/../lib.sh"

# Reflection.Emit has every instruction of the standard but the prefix no.
agrees() {
    mcs -nologo -out:"$SCRATCH/opcodes.exe" "$ROOT/tests/golden/Opcodes.cs" &&
        mono "$SCRATCH/opcodes.exe" >"$SCRATCH/theirs" &&
        "$BUILD/tests/unit/test_il_opcode" print | grep -v '^fe19 no\. ' >"$SCRATCH/ours" &&
        [ "$(wc -l <"$SCRATCH/theirs")" -eq 218 ] &&
        diff "$SCRATCH/theirs" "$SCRATCH/ours"
}

sentence="name, encoding, operand, stack behaviour and flow of 218 opcodes are those of Reflection.Emit"
if has mcs && has mono; then
    check "$sentence" agrees
else
    skip "$sentence" "mono or mcs is missing"
fi
finish
