-- Takes nodes and runs away that are older than that many days: SET VARIABLE days = 30. Roll up before.
DELETE FROM node WHERE run_id IN (SELECT run_id FROM run WHERE day < getvariable('today') - getvariable('days'));
DELETE FROM run WHERE day < getvariable('today') - getvariable('days');
