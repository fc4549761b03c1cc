-- 1. The methods that took most own time, over all hosts.
SELECT m.name, s.runs, s.calls, s.ns / 1e9 AS seconds
FROM (SELECT method_id, count(DISTINCT run_id) AS runs, sum(calls) AS calls, sum(exclusive_ns) AS ns
      FROM node GROUP BY method_id) s
JOIN method m USING (method_id)
ORDER BY ns DESC, name LIMIT 20;
