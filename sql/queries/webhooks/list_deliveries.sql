-- The oldest deliveries that wait. $1 integer: webhook, $2 integer: rows at most. Relies on the primary key.
select number, event_id, body
from webhook_delivery
where webhook_id = $1
order by number
limit $2
