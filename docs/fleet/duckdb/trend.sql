-- 4. A method day by day: SET VARIABLE method = 'Shop.Prices.Load(string)'. Own time by call, of each run.
SELECT day, count(*) AS runs, sum(calls) AS calls, quantile_cont(ns, 0.5) AS median_ns, quantile_cont(ns, 0.99) AS p99_ns
FROM (SELECT r.day, sum(n.calls) AS calls, sum(n.exclusive_ns) / sum(n.calls) AS ns
      FROM node n JOIN run r USING (run_id) JOIN method m USING (method_id)
      WHERE m.name = getvariable('method') AND n.calls > 0
      GROUP BY r.day, n.run_id)
GROUP BY day ORDER BY day;
