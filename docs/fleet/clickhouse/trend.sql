-- 4. The method {method} day by day: own time by call, of each run.
SELECT day, count() AS runs, sum(run_calls) AS calls, quantileExactInclusive(0.5)(ns) AS median_ns,
    quantileExactInclusive(0.99)(ns) AS p99_ns
FROM (SELECT day, sum(calls) AS run_calls, sum(exclusive_ns) / sum(calls) AS ns FROM node FINAL
      WHERE method_id GLOBAL IN (SELECT method_id FROM method WHERE name = {method:String}) AND calls > 0
      GROUP BY day, run_id)
GROUP BY day ORDER BY day;
