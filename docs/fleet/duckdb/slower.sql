-- 2. What became slower from one release to the next: SET VARIABLE before = '1.41'; SET VARIABLE after = '1.42'.
-- Own time by call on each path, by its logarithm, less what is usual there, and less how slow the run was as a whole.
-- t is Welch's: of 4,000 methods none that has not changed is likely to have more than 5.
WITH each AS (
    SELECT run_id, r.release, n.method_id, n.path_id, ln(greatest(exclusive_ns, 1) / calls) AS x
    FROM node n JOIN run r USING (run_id)
    WHERE r.release IN (getvariable('before'), getvariable('after')) AND calls > 0),
usual AS (SELECT path_id, avg(x) AS usual FROM each GROUP BY path_id),
methods AS (SELECT run_id, release, method_id, avg(x - usual) AS x FROM each JOIN usual USING (path_id) GROUP BY ALL),
freed AS (SELECT release, method_id, x - avg(x) OVER (PARTITION BY run_id) AS x FROM methods),
sides AS (
    SELECT method_id, release = getvariable('after') AS is_after, count(*) AS runs, avg(x) AS mean, var_samp(x) AS spread
    FROM freed GROUP BY ALL HAVING count(*) > 1)
SELECT m.name, round(100 * (exp(a.mean - b.mean) - 1), 2) AS percent,
    round((a.mean - b.mean) / sqrt(a.spread / a.runs + b.spread / b.runs + 1e-300), 2) AS t, b.runs AS runs_before,
    a.runs AS runs_after
FROM sides b JOIN sides a USING (method_id) JOIN method m USING (method_id)
WHERE a.is_after AND NOT b.is_after
ORDER BY t DESC, name LIMIT 20;
