-- Dead letters of SWAP to be sent again, oldest first. $1 bigint[]: ids, or null for all that were not; $2 bigint:
-- none above this id; $3 integer: how many at most. Index: dead_letter_pkey.
select id, subject, payload
from dead_letter
where actor = 'pool'
  and case when $1::bigint[] is null then retried_at is null else id = any ($1::bigint[]) end
  and id <= $2
order by id
limit $3
