-- Sums by release, path and day: of days that are over, so that each comes in once; keep these for years.
INSERT INTO path_day
SELECT r.service, coalesce(r.release, ''), r.day, n.path_id, any_value(n.method_id), sum(r.runs), sum(n.calls),
    sum(n.exclusive_ns), sum(n.exclusive_ns::DOUBLE * n.exclusive_ns), min(n.exclusive_ns), max(n.exclusive_ns),
    sum(n.waiting_ns), sum(n.exceptions), sum(n.bytes)
FROM node n JOIN run r USING (run_id)
WHERE r.day < getvariable('today') AND r.day NOT IN (SELECT day FROM path_day)
GROUP BY ALL;
