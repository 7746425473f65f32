-- Processes of the server that work for workers of this database, or vacuum and analyse it: their pids. A worker's
-- sessions bear its id.
select pg_stat_activity.pid
from pg_stat_activity
left join worker on worker.id = pg_stat_activity.application_name
where pg_stat_activity.datname = current_database()
  and (worker.id is not null or pg_stat_activity.backend_type = 'autovacuum worker')
