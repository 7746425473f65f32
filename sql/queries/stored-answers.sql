-- name: stored-answers/delete_answer
-- variant backtest: table = backtest
-- variant ranking: table = past_ranking
-- Ends the job of a question of a lineage and deletes its answer.
-- $1 uuid, $2 text: id, lineage. Index: backtest_pkey, past_ranking_pkey.
delete from {table} where id = $1 and lineage = $2 returning id

-- name: stored-answers/delete_old_answers
-- variant backtest: table = backtest
-- variant ranking: table = past_ranking
-- Deletes questions that are older than a day. Index: backtest_age, past_ranking_age.
delete from {table} where created_at <= now() - interval '1 day'

-- name: stored-answers/fail_answer
-- variant backtest: table = backtest
-- variant ranking: table = past_ranking
-- Ends a question without an answer.
-- $1 uuid, $2 text: id, reason. Index: backtest_pkey, past_ranking_pkey.
update {table}
set status = 'failed', job_slot = null, failure = $2, version = version + 1, changed_at = now()
where id = $1 and status in ('waiting', 'running')

-- name: stored-answers/find_equal
-- variant backtest: table = backtest
-- variant ranking: table = past_ranking
-- The newest question of a lineage with an identity, younger than a day, that has not failed.
-- $1 text, $2 text: lineage, identity. Index: backtest_identity, past_ranking_identity.
select id
from {table}
where lineage = $1 and identity = $2 and status <> 'failed' and created_at > now() - interval '1 day'
order by created_at desc
limit 1

-- name: stored-answers/insert_question
-- variant backtest: table = backtest; total = orders
-- variant ranking: table = past_ranking; total = wallets
-- Stores a question that waits, in the lowest free job slot of its lineage; no row: none was free, or another took it meanwhile.
-- $1 uuid, $2 text, $3 text, $4 text, $5 integer: id, lineage, identity, request, total, $6 integer: job slots.
-- Index: backtest_lineage_job_slot_key, past_ranking_lineage_job_slot_key.
insert into {table} (id, lineage, identity, request, {total}, job_slot)
select $1, $2, $3, $4, $5, free.job_slot
from generate_series(1, $6::integer) as free (job_slot)
where not exists (
  select from {table} as taken where taken.lineage = $2 and taken.job_slot = free.job_slot
)
order by free.job_slot
limit 1
on conflict do nothing
returning id

-- name: stored-answers/list_quiet
-- variant backtest: table = backtest
-- variant ranking: table = past_ranking
-- Questions that have no answer and that nothing has changed for a minute, the oldest first. Few rows: all are read.
select id
from {table}
where status in ('waiting', 'running') and changed_at < now() - interval '1 minute'
order by created_at

-- name: stored-answers/start_answer
-- variant backtest: table = backtest; begin = orders_done = 0, slot = null
-- variant ranking: table = past_ranking; begin = wallets = 0, wallets_done = 0
-- Begins to compute the answer of a question that has none; no row: it has one, or was deleted.
-- $1 uuid. Index: backtest_pkey, past_ranking_pkey.
update {table}
set status = 'running', starts = starts + 1, {begin}, version = version + 1, started_at = now(), changed_at = now()
where id = $1 and status in ('waiting', 'running')
returning request, starts
