-- Processes of the server that work for workers of this database: their pids. A worker's sessions bear its id.
select pg_stat_activity.pid
from pg_stat_activity
join worker on worker.id = pg_stat_activity.application_name
where pg_stat_activity.datname = current_database()
