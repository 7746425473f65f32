-- Dead letters to be sent again. $1 bigint[]: ids, or null for all that were not.
select id, subject, payload, part, reason
from dead_letter
where case when $1::bigint[] is null then retried_at is null else id = any ($1::bigint[]) end
order by id
