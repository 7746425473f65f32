-- name: lease/beat_worker
-- Heartbeat of a worker process. $1 text: worker id, $2 text[]: the actors that it runs.
insert into worker (id, actors, seen_at)
values ($1, $2::text[], clock_timestamp())
on conflict (id) do update set actors = excluded.actors, seen_at = excluded.seen_at

-- name: lease/claim_lane
-- Claims a lane of an actor without an owner, raising its epoch: a commit of the former owner fails.
-- $1 text: worker id, $2 integer: lease in milliseconds, $3 text: actor, $4 integer: its lane count: rows beyond it are
-- of streams that were recreated with fewer lanes. A lease that runs for over a minute is of a clock that was set back
-- since. Result: the lane, or no row.
update checkpoint
set
  owner = $1,
  epoch = checkpoint.epoch + 1,
  leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
from (
  select actor, lane
  from checkpoint
  where actor = $3 and lane < $4
    and (
      owner is null
      or leased_until not between clock_timestamp() and clock_timestamp() + interval '1 minute'
    )
  order by lane
  limit 1
  for update skip locked
) as free
where checkpoint.actor = free.actor and checkpoint.lane = free.lane
returning checkpoint.lane, checkpoint.epoch

-- name: lease/count_workers
-- How many live worker processes run each actor. $1 integer: milliseconds after which a silent one counts as dead. A
-- heartbeat over a minute in the future was written before the clock was set back.
select unnest(actors) as actor, count(*)::integer as workers
from worker
where seen_at > clock_timestamp() - $1::integer * interval '1 millisecond'
  and seen_at < clock_timestamp() + interval '1 minute'
group by 1

-- name: lease/end_lost_owners
-- Ends the sessions of worker processes whose lease expired. A frozen process, or one whose machine vanished, may have
-- left transactions open: their lanes could not be claimed, and other transactions would wait for their row locks. A
-- live one may have a long commit, which holds the row of its lease: it has a minute. A worker's sessions bear its id.
-- $1 text: the calling worker's id, $2 text[]: actors, $3 integer: milliseconds after which a silent worker counts as
-- dead.
-- Result: one row a session.
select pg_terminate_backend(pg_stat_activity.pid, 1000) as is_ended
from (
  select distinct owner
  from checkpoint
  where actor = any ($2::text[])
    and owner <> $1
    and leased_until < clock_timestamp()
    and (
      leased_until < clock_timestamp() - interval '1 minute'
      or not exists (
        select
        from worker
        where worker.id = checkpoint.owner
          and seen_at > clock_timestamp() - $3::integer * interval '1 millisecond'
      )
    )
) as lost
join pg_stat_activity
  on pg_stat_activity.application_name = lost.owner
  and pg_stat_activity.datname = current_database()

-- name: lease/ensure_lanes
-- The checkpoint rows of an actor's lanes. $1 text: actor, $2 integer: lane count. Existing rows are not touched: an
-- insert would wait for any commit to such a row, however long.
insert into checkpoint (actor, lane)
select $1, lane
from generate_series(0, $2::integer - 1) as lane
where not exists (select from checkpoint where actor = $1 and checkpoint.lane = lane.lane)
on conflict (actor, lane) do nothing

-- name: lease/forget_worker
-- Deletes a worker process that shut down, or died long ago. $1 text: worker id.
delete from worker where id = $1 or seen_at < clock_timestamp() - interval '10 minutes'

-- name: lease/hold_lanes
-- Renews what an owner still has of an actor's lanes. $1 text: owner, $2 integer: milliseconds, $3 text:
-- actor.
update checkpoint
set leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where actor = $3 and owner = $1
returning lane

-- name: lease/list_lanes
-- The lanes that a worker owns. $1 text: worker id. Waits for no lock.
select actor, lane, epoch from checkpoint where owner = $1

-- name: lease/list_worker_sessions
-- Processes of the server that work for workers of this database, or vacuum and analyse it: their pids. A worker's
-- sessions bear its id.
select pg_stat_activity.pid
from pg_stat_activity
left join worker on worker.id = pg_stat_activity.application_name
where pg_stat_activity.datname = current_database()
  and (worker.id is not null or pg_stat_activity.backend_type = 'autovacuum worker')

-- name: lease/release_lane
-- Gives a lane back. $1 text: worker id, $2 text: actor, $3 integer: lane, $4 bigint: epoch.
update checkpoint
set owner = null, leased_until = '-infinity'
where owner = $1 and actor = $2 and lane = $3 and epoch = $4

-- name: lease/release_lanes
-- Gives an actor's lanes back. $1 text: owner, $2 text: actor.
update checkpoint
set owner = null, leased_until = '-infinity'
where actor = $2 and owner = $1

-- name: lease/renew_lease
-- Renews a lane's lease for its owner; waits for a commit of the lane in progress. $1 text: worker id,
-- $2 integer: lease in milliseconds, $3 text: actor, $4 integer: lane. No row where it has another owner.
update checkpoint
set leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where owner = $1 and actor = $3 and lane = $4

-- name: lease/take_over_lanes
-- Takes over every lane of an actor from its owner, raising the epochs: commits of former owners fail.
-- $1 text: owner, $2 integer: lease in milliseconds, $3 text: actor.
update checkpoint
set
  owner = $1,
  epoch = epoch + 1,
  leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where actor = $3
returning lane, epoch
