-- Webhooks that have a delivery to be attempted now. Reads the whole table, a row an endpoint.
select id
from webhook
where paused_at is null and stored > delivered and next_attempt_at <= now()
order by next_attempt_at
