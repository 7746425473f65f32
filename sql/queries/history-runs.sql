-- name: history-runs/begin_seal
-- Stores that a run of the sealer begins. $1 integer: SEAL_AFTER_HOURS, or null. Where it was not set before, sealing counts as
-- caught up now. Index: history_run_pkey.
insert into history_run (kind, hours, outcome, caught_up_at)
values ('seal', $1, 'running', now())
on conflict (kind) do update
set
  hours = excluded.hours,
  started_at = now(),
  ended_at = null,
  caught_up_at = case when history_run.hours is null then now() else history_run.caught_up_at end

-- name: history-runs/count_wait
-- Counts a run of the sealer that ended by waiting. $1 text: the cause. Index: history_wait_pkey.
insert into history_wait (cause, waits, waited_at) values ($1, 1, now())
on conflict (cause) do update set waits = history_wait.waits + 1, waited_at = now()

-- name: history-runs/end_seal
-- Stores how a run of the sealer ended. $1 text: outcome; $2 text: cause, $3 text: reason, or null. Index: history_run_pkey.
update history_run
set
  outcome = $1,
  cause = $2,
  reason = $3,
  since = case when outcome = $1 and cause is not distinct from $2::text then since else now() end,
  ended_at = now(),
  caught_up_at = case when $1 = 'done' then now() else caught_up_at end
where kind = 'seal'

-- name: history-runs/list_holders
-- The sessions and prepared transactions of this database, standbys and slots with the oldest snapshots, for which rows that were
-- deleted are retained, oldest first. name: of the session, transaction or slot; age_ms: of the transaction, null where it is not known;
-- transactions: that began since. $1 integer: rows. Index: none, rows are few.
select kind, name, age_ms, transactions
from (
  select
    'session' as kind, coalesce(nullif(application_name, ''), 'session') || ' (pid ' || pid || ')' as name,
    (extract(epoch from clock_timestamp() - xact_start) * 1000)::bigint as age_ms,
    age(coalesce(backend_xmin, backend_xid))::bigint as transactions
  from pg_stat_activity
  where datname = current_database() and backend_type = 'client backend' and pid <> pg_backend_pid()
    and coalesce(backend_xmin, backend_xid) is not null
  union all
  select 'prepared', gid, (extract(epoch from clock_timestamp() - prepared) * 1000)::bigint, age(transaction)::bigint
  from pg_prepared_xacts
  where database = current_database()
  union all
  select 'standby', coalesce(nullif(application_name, ''), 'standby'), null, age(backend_xmin)::bigint
  from pg_stat_replication
  where backend_xmin is not null
  union all
  select 'slot', slot_name::text, null, age(xmin)::bigint
  from pg_replication_slots
  where xmin is not null
) as holder
order by transactions desc, age_ms desc nulls last
limit $1

-- name: history-runs/list_waits
-- How often runs of the sealer waited, by cause. Index: none, a row a cause.
select cause, waits, waited_at from history_wait order by waited_at desc, cause

-- name: history-runs/list_refusals
-- Refusals of what needs dropped swaps, by kind, with the newest of each. Index: none, a row a kind and lane.
select distinct on (kind)
  kind, (sum(refused) over (partition by kind))::bigint as refused, slot, subject, refused_at
from history_refusal
order by kind, refused_at desc

-- name: history-runs/read_bound
-- Where stored swaps begin, or that they will be dropped. Result: no row where none is to be dropped. Index: none, one row.
select since_slot, since_ms, dropped_swaps, days, begun_ms, dropped_at from history_bound

-- name: history-runs/merge_refusals
-- Counts what a lane refused because it needs dropped swaps. $1 text: kind; $2 smallint: lane; $3 bigint: how many; of the newest: $4
-- bigint: slot, $5 text: subject. Index: history_refusal_pkey.
insert into history_refusal (kind, lane, refused, slot, subject) values ($1, $2, $3, $4, $5)
on conflict (kind, lane) do update set
  refused = history_refusal.refused + excluded.refused,
  slot = excluded.slot,
  subject = excluded.subject,
  refused_at = now()

-- name: history-runs/read_runs
-- The newest seal and the newest verification, with ages by the clock of the database. Index: none, two rows.
select
  kind, hours, outcome, cause, reason, since, started_at, ended_at, segments, damaged,
  (extract(epoch from clock_timestamp() - since) * 1000)::bigint as since_age_ms,
  (extract(epoch from clock_timestamp() - ended_at) * 1000)::bigint as ended_age_ms,
  (extract(epoch from clock_timestamp() - caught_up_at) * 1000)::bigint as caught_up_age_ms
from history_run

-- name: history-runs/store_verification
-- Stores what a verification of sealed history found. $1 text: outcome; $2 text: the first damage, or null; $3 $4 integer:
-- segments, and those that are damaged. Index: history_run_pkey.
insert into history_run (kind, outcome, reason, ended_at, segments, damaged)
values ('verify', $1, $2, now(), $3, $4)
on conflict (kind) do update
set
  outcome = $1,
  reason = $2,
  since = case when history_run.outcome = $1 then history_run.since else now() end,
  ended_at = now(),
  segments = $3,
  damaged = $4

-- name: history-runs/switch_off
-- Stores that SEAL_AFTER_HOURS is not set any more. Index: history_run_pkey.
update history_run set hours = null where kind = 'seal' and hours is not null
