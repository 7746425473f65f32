-- Dead letters, newest first. $1 integer: how many.
select id, actor, lane, sequence, part, subject, reason, octet_length(payload) as payload_bytes,
  created_at, retried_at
from dead_letter
order by id desc
limit $1
