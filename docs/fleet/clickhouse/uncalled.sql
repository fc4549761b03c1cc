-- 5. Methods that no run has called for {days} days. Serialisers, tests and reflection may call what no program's run
-- does.
SELECT assembly, name
FROM method
WHERE kind NOT IN ('leaf', 'scope', 'command', 'folded', 'resumed') AND method_id GLOBAL NOT IN (
    SELECT method_id FROM node WHERE day > (SELECT max(day) FROM run) - {days:UInt32} AND calls > 0)
GROUP BY assembly, name ORDER BY assembly, name;
