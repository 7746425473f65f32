-- Net changes of holders of tokens by the minute, from one on. $1 integer[]: token ids, $2 integer: minutes
-- since 1970. Index: position_token.
select token_id, abs(change) as minute, sum(sign(change))::integer as net
from position
cross join unnest(held_changes) as change
where token_id = any ($1::integer[]) and held_changes is not null and abs(change) >= $2
group by token_id, abs(change)
