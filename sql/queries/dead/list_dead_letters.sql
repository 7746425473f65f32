-- Dead letters, newest first. $1 integer: how many; $2 boolean: only those that wait;
-- $3 bigint: only ids below it (null: from the newest). Index: dead_letter_pkey.
select id, actor, lane, sequence, part, subject, reason, octet_length(payload) as payload_bytes,
  created_at, retried_at
from dead_letter
where ($3::bigint is null or id < $3) and (not $2 or retried_at is null and actor = 'pool')
order by id desc
limit $1
