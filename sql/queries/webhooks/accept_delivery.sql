-- Records that the endpoint accepted a delivery, and deletes it. $1 integer: webhook, $2 bigint: number. Result: whether it is
-- paused; no row where it was deleted. Relies on the primary keys.
with gone as (
  delete from webhook_delivery where webhook_id = $1 and number = $2 returning event_id
)
update webhook
set
  delivered = delivered + 1, attempts = 0, failing_since = null, next_attempt_at = now(), last_delivered_at = now(),
  last_delivery_id = gone.event_id
from gone
where id = $1
returning paused_at is not null as is_paused
