-- 3. Who calls a method: SET VARIABLE method = 'Shop.Prices.Load(string)'.
SELECT coalesce(c.name, '(nobody that is instrumented)') AS caller, sum(n.calls) AS calls, sum(n.exclusive_ns) AS own_ns
FROM node n
JOIN method m USING (method_id)
JOIN path p ON p.path_id = n.path_id
LEFT JOIN path up ON up.path_id = p.parent_id
LEFT JOIN method c ON c.method_id = up.method_id
WHERE m.name = getvariable('method')
GROUP BY ALL ORDER BY calls DESC, caller LIMIT 20;
