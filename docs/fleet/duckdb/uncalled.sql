-- 5. Methods that no run has called for some days: SET VARIABLE days = 30. Serialisers, tests and
-- reflection may call what no program's run does.
SELECT m.assembly, m.name
FROM method m
WHERE m.kind NOT IN ('leaf', 'scope', 'command', 'folded', 'resumed')
    AND m.method_id NOT IN (
        SELECT n.method_id FROM node n JOIN run r USING (run_id)
        WHERE r.day > (SELECT max(day) FROM run) - getvariable('days') AND n.calls > 0)
ORDER BY ALL;
