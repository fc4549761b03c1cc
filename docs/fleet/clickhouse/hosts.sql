-- 6. Hosts that are unlike the others: by how many standard deviations all of their runs' calls took longer.
WITH each AS (
    SELECT run_id, method_id, log(greatest(sum(exclusive_ns), 1) / sum(calls)) AS x
    FROM node FINAL WHERE calls > 0 GROUP BY run_id, method_id),
freed AS (SELECT run_id, x - avg(x) OVER (PARTITION BY method_id) AS y FROM each),
names AS (SELECT run_id, any(host) AS host FROM run GROUP BY run_id),
hosts AS (
    SELECT host, uniqExact(run_id) AS runs, avg(y) AS mean
    FROM freed GLOBAL JOIN names USING (run_id) GROUP BY host)
SELECT host, runs, round(100 * (exp(mean) - 1), 1) AS percent,
    round((mean - avg(mean) OVER ()) / (stddevSamp(mean) OVER () + 1e-300), 2) AS z
FROM hosts ORDER BY abs(z) DESC, host LIMIT 20;
