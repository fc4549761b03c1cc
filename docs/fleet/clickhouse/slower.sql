-- 2. What became slower from the release {before} to {after}. Own time by call on each path, by its logarithm, less what
-- is usual there, and less how slow the run was as a whole. t is Welch's: of 4,000 methods none that has not changed is
-- likely to have more than 5.
WITH each AS (
    SELECT run_id, release, method_id, path_id, log(greatest(exclusive_ns, 1) / calls) AS x
    FROM node FINAL WHERE release IN ({before:String}, {after:String}) AND calls > 0),
usual AS (SELECT path_id, avg(x) AS usual FROM each GROUP BY path_id),
methods AS (
    SELECT run_id, release, method_id, avg(x - usual) AS z FROM each GLOBAL JOIN usual USING (path_id)
    GROUP BY run_id, release, method_id),
freed AS (SELECT release, method_id, z - avg(z) OVER (PARTITION BY run_id) AS y FROM methods),
sides AS (
    SELECT method_id, countIf(release = {before:String}) AS b, countIf(release = {after:String}) AS a,
        avgIf(y, release = {after:String}) - avgIf(y, release = {before:String}) AS change,
        varSampIf(y, release = {before:String}) AS spread_b, varSampIf(y, release = {after:String}) AS spread_a
    FROM freed GROUP BY method_id HAVING a > 1 AND b > 1)
SELECT m.name AS name, round(100 * (exp(change) - 1), 2) AS percent,
    round(change / sqrt(spread_a / a + spread_b / b + 1e-300), 2) AS t, b AS runs_before, a AS runs_after
FROM sides GLOBAL JOIN (SELECT method_id, any(name) AS name FROM method GROUP BY method_id) AS m USING (method_id)
ORDER BY t DESC, name LIMIT 20;
