-- name: past-ranking/find_ranking
-- A ranking of a lineage that is younger than a day.
-- $1 uuid, $2 text: id, lineage. Index: past_ranking_pkey.
select
  id, status, wallets, wallets_done, version, failure, answer,
  extract(epoch from now() - started_at)::float8 * 1000 as running_ms,
  extract(epoch from now() - changed_at)::float8 * 1000 as quiet_ms
from past_ranking
where id = $1 and lineage = $2 and created_at > now() - interval '1 day'

-- name: past-ranking/finish_ranking
-- Ends a ranking with its answer; no row: it was deleted, or has ended.
-- $1 uuid, $2 text: id, answer. Index: past_ranking_pkey.
update past_ranking
set status = 'done', job_slot = null, wallets_done = wallets, answer = $2, version = version + 1, changed_at = now()
where id = $1 and status = 'running'
returning id

-- name: past-ranking/note_progress
-- Notes the progress of a run; no row: it was deleted, or another run has ended it.
-- $1 uuid, $2 integer, $3 integer: id, wallets to fold, and how many are folded. Index: past_ranking_pkey.
update past_ranking
set wallets = $2, wallets_done = $3, version = version + 1, changed_at = now()
where id = $1 and status = 'running'
returning id
