-- 1. The methods that took most own time, over all hosts.
SELECT m.name AS name, s.runs AS runs, s.calls AS calls, s.ns / 1e9 AS seconds
FROM (SELECT method_id, uniqExact(run_id) AS runs, sum(calls) AS calls, sum(exclusive_ns) AS ns
      FROM node FINAL GROUP BY method_id) AS s
GLOBAL JOIN (SELECT method_id, any(name) AS name FROM method GROUP BY method_id) AS m USING (method_id)
ORDER BY s.ns DESC, name LIMIT 20;
