-- name: backtest/insert_job
-- Stores a back-test that waits, in the lowest free job slot of its lineage; no row: none was free, or another took it meanwhile.
-- $1 uuid, $2 text, $3 text, $4 text, $5 integer: id, lineage, identity, request, orders, $6 integer: job slots.
-- Index: backtest_lineage_job_slot_key.
insert into backtest (id, lineage, identity, request, orders, job_slot)
select $1, $2, $3, $4, $5, free.job_slot
from generate_series(1, $6::integer) as free (job_slot)
where not exists (
  select from backtest where backtest.lineage = $2 and backtest.job_slot = free.job_slot
)
order by free.job_slot
limit 1
on conflict do nothing
returning id

-- name: backtest/find_job
-- A back-test of a lineage that is younger than a day.
-- $1 uuid, $2 text: id, lineage. Index: backtest_pkey.
select
  id, status, orders, orders_done, slot, version, failure, answer, trades,
  extract(epoch from now() - started_at)::float8 * 1000 as running_ms,
  extract(epoch from now() - changed_at)::float8 * 1000 as quiet_ms
from backtest
where id = $1 and lineage = $2 and created_at > now() - interval '1 day'

-- name: backtest/find_equal_job
-- The newest back-test of a lineage with an identity, younger than a day, that has not failed.
-- $1 text, $2 text: lineage, identity. Index: backtest_identity.
select id
from backtest
where lineage = $1 and identity = $2 and status <> 'failed' and created_at > now() - interval '1 day'
order by created_at desc
limit 1

-- name: backtest/list_job_trades
-- Trades of an answer, in lists of a thousand.
-- $1 uuid, $2 integer, $3 integer: id, index of the first and the last list by their first trades. Index: backtest_trades_pkey.
select first, body
from backtest_trades
where backtest_id = $1 and first between $2 and $3
order by first

-- name: backtest/delete_job
-- Ends a back-test of a lineage and deletes its answer.
-- $1 uuid, $2 text: id, lineage. Index: backtest_pkey.
delete from backtest where id = $1 and lineage = $2 returning id

-- name: backtest/start_job
-- Begins a run of a back-test that has not ended; no row: it has, or was deleted.
-- $1 uuid. Index: backtest_pkey.
update backtest
set status = 'running', starts = starts + 1, orders_done = 0, slot = null, version = version + 1,
  started_at = now(), changed_at = now()
where id = $1 and status in ('waiting', 'running')
returning request, starts

-- name: backtest/note_job_progress
-- Notes the progress of a run; no row: it was deleted, or another run has ended it.
-- $1 uuid, $2 integer, $3 bigint: id, orders that were taken, slot of the last. Index: backtest_pkey.
update backtest
set orders_done = $2, slot = $3, version = version + 1, changed_at = now()
where id = $1 and status = 'running'
returning id

-- name: backtest/insert_job_trades
-- Stores trades of an answer.
-- $1 uuid, $2 integer, $3 text: id, index of the first, JSON list. Index: backtest_trades_pkey.
insert into backtest_trades (backtest_id, first, body)
values ($1, $2, $3)

-- name: backtest/finish_job
-- Ends a back-test with its answer; no row: it was deleted, or has ended.
-- $1 uuid, $2 text, $3 integer: id, answer, trades. Index: backtest_pkey.
update backtest
set status = 'done', job_slot = null, orders_done = orders, answer = $2, trades = $3, version = version + 1, changed_at = now()
where id = $1 and status = 'running'
returning id

-- name: backtest/fail_job
-- Ends a back-test without an answer.
-- $1 uuid, $2 text: id, reason. Index: backtest_pkey.
update backtest
set status = 'failed', job_slot = null, failure = $2, version = version + 1, changed_at = now()
where id = $1 and status in ('waiting', 'running')

-- name: backtest/delete_old_jobs
-- Deletes back-tests that are older than a day. Index: backtest_age.
delete from backtest where created_at <= now() - interval '1 day'

-- name: backtest/list_quiet_jobs
-- Back-tests that have not ended and that nothing has changed for a minute, the oldest first. Few rows: all are read.
select id
from backtest
where status in ('waiting', 'running') and changed_at < now() - interval '1 minute'
order by created_at
