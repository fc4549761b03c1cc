-- 6. Hosts that are unlike the others: by how many standard deviations all of their runs' calls took longer.
WITH each AS (
    SELECT r.host, n.run_id, n.method_id, ln(greatest(sum(exclusive_ns), 1) / sum(calls)) AS x
    FROM node n JOIN run r USING (run_id) WHERE calls > 0 GROUP BY ALL),
hosts AS (
    SELECT host, count(DISTINCT run_id) AS runs, avg(x - usual) AS x
    FROM (SELECT *, avg(x) OVER (PARTITION BY method_id) AS usual FROM each) GROUP BY host)
SELECT host, runs, round(100 * (exp(x) - 1), 1) AS percent,
    round((x - avg(x) OVER ()) / (stddev_samp(x) OVER () + 1e-300), 2) AS z
FROM hosts ORDER BY abs(z) DESC, host LIMIT 20;
