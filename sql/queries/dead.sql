-- name: dead/count_waiting
-- Dead letters of SWAP that were not sent again. Result: waiting bigint. Reads the whole of dead_letter.
select count(*) as waiting from dead_letter where retried_at is null and actor = 'pool'

-- name: dead/list_dead_letters
-- Dead letters, newest first. $1 integer: how many; $2 boolean: only those that wait;
-- $3 bigint: only ids below it (null: from the newest). Index: dead_letter_pkey.
select id, actor, lane, sequence, part, subject, reason, octet_length(payload) as payload_bytes,
  created_at, retried_at
from dead_letter
where ($3::bigint is null or id < $3) and (not $2 or retried_at is null and actor = 'pool')
order by id desc
limit $1

-- name: dead/load_dead_letters
-- Dead letters of SWAP that wait to be sent again, oldest first. $1 bigint[]: ids, or null for all; $2 bigint:
-- none above this id; $3 integer: how many at most. Index: dead_letter_pkey.
select id, subject, payload
from dead_letter
where actor = 'pool'
  and retried_at is null
  and ($1::bigint[] is null or id = any ($1::bigint[]))
  and id <= $2
order by id
limit $3

-- name: dead/mark_retried
-- Records that a dead letter was sent again. $1 bigint: id, $2 text: operator. Index: dead_letter_pkey.
with marked as (
  update dead_letter set retried_at = now() where id = $1 returning id
)
insert into operator_audit (action, target, actor)
select 'dead_letter_retried', 'dead letter ' || id, $2 from marked
