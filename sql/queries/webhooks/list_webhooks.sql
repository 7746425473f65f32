-- Webhooks by id. $1 integer: of this id alone, null: all. Result: the columns of the table that are no secret, and
-- waiting: deliveries that are stored and not yet accepted. Reads the whole table, a row an endpoint, or its primary key.
select
  id, url, channel, filter, int64, events_max, epoch, sequence, slot, stored, delivered, stored - delivered as waiting,
  created_at, paused_at, pause_reason, attempts, failing_since, next_attempt_at, last_error, last_error_at,
  last_delivery_id, last_delivered_at, case when old_secret_until > now() then old_secret_until end as old_secret_until
from webhook
where $1::integer is null or id = $1
order by id
