-- On one node of a cluster `fleet` whose shards have schema.sql in the database fleet: tables of the same names in
-- another database, which the questions are put to. All rows of a run lie on one shard, and what is summed there is
-- summed again here; methods and paths may lie on several.
CREATE TABLE node AS fleet.node ENGINE = Distributed(fleet, fleet, node, run_id);
CREATE TABLE run AS fleet.run ENGINE = Distributed(fleet, fleet, run, run_id);
CREATE TABLE method AS fleet.method ENGINE = Distributed(fleet, fleet, method, method_id);
CREATE TABLE path AS fleet.path ENGINE = Distributed(fleet, fleet, path, path_id);
CREATE TABLE path_day AS fleet.path_day ENGINE = Distributed(fleet, fleet, path_day, path_id);
