-- Sums by release, path and day: of days before {today}, each of which comes in once; keep these for years.
INSERT INTO path_day
SELECT n.service, n.release, n.day, n.path_id, any(n.method_id), sum(r.runs), sum(n.calls), sum(n.exclusive_ns),
    sum(toFloat64(n.exclusive_ns) * n.exclusive_ns), min(n.exclusive_ns), max(n.exclusive_ns), sum(n.waiting_ns),
    sum(n.exceptions), sum(n.bytes)
FROM (SELECT * FROM node FINAL) AS n
JOIN (SELECT run_id, any(runs) AS runs FROM run GROUP BY run_id) AS r USING (run_id)
WHERE n.day < {today:Date} AND n.day NOT IN (SELECT day FROM path_day)
GROUP BY n.service, n.release, n.day, n.path_id;
