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
