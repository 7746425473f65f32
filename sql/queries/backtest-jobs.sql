-- name: backtest/find_job
-- A back-test of a lineage that is younger than a day.
-- $1 uuid, $2 text: id, lineage. Index: backtest_pkey.
select
  id, status, orders, orders_done, slot, version, failure, answer, trades,
  extract(epoch from now() - started_at)::float8 * 1000 as running_ms,
  extract(epoch from now() - changed_at)::float8 * 1000 as quiet_ms
from backtest
where id = $1 and lineage = $2 and created_at > now() - interval '1 day'

-- name: backtest/finish_job
-- Ends a back-test with its answer; no row: it was deleted, or has ended.
-- $1 uuid, $2 text, $3 integer: id, answer, trades. Index: backtest_pkey.
update backtest
set status = 'done', job_slot = null, orders_done = orders, answer = $2, trades = $3, version = version + 1, changed_at = now()
where id = $1 and status = 'running'
returning id

-- name: backtest/insert_job_trades
-- Stores trades of an answer.
-- $1 uuid, $2 integer, $3 text: id, index of the first, JSON list. Index: backtest_trades_pkey.
insert into backtest_trades (backtest_id, first, body)
values ($1, $2, $3)

-- name: backtest/list_job_trades
-- Trades of an answer, in lists of a thousand.
-- $1 uuid, $2 integer, $3 integer: id, index of the first and the last list by their first trades. Index: backtest_trades_pkey.
select first, body
from backtest_trades
where backtest_id = $1 and first between $2 and $3
order by first

-- name: backtest/note_job_progress
-- Notes the progress of a run; no row: it was deleted, or another run has ended it.
-- $1 uuid, $2 integer, $3 bigint: id, orders that were taken, slot of the last. Index: backtest_pkey.
update backtest
set orders_done = $2, slot = $3, version = version + 1, changed_at = now()
where id = $1 and status = 'running'
returning id
