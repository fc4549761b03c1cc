-- 3. Who calls the method {method}.
WITH sums AS (
    SELECT path_id, sum(calls) AS calls, sum(exclusive_ns) AS own_ns FROM node FINAL
    WHERE method_id GLOBAL IN (SELECT method_id FROM method WHERE name = {method:String}) GROUP BY path_id),
paths AS (SELECT path_id, any(parent_id) AS parent, any(method_id) AS method_id FROM path GROUP BY path_id),
names AS (SELECT method_id, any(name) AS name FROM method GROUP BY method_id)
SELECT if(c.name = '', '(nobody that is instrumented)', c.name) AS caller, sum(s.calls) AS calls, sum(s.own_ns) AS own_ns
FROM sums AS s
GLOBAL JOIN paths AS p ON p.path_id = s.path_id
GLOBAL LEFT JOIN paths AS up ON up.path_id = p.parent
GLOBAL LEFT JOIN names AS c ON c.method_id = up.method_id
GROUP BY caller ORDER BY calls DESC, caller LIMIT 20;
