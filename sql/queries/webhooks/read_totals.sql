-- Figures of webhooks for metrics. Result: active, failing (active, and the newest attempt failed), paused, given_up (paused
-- after failed attempts), waiting: deliveries of those that are active. Reads the whole table, a row an endpoint.
select
  count(*) filter (where paused_at is null)::integer as active,
  count(*) filter (where paused_at is null and attempts > 0)::integer as failing,
  count(*) filter (where paused_at is not null)::integer as paused,
  count(*) filter (where paused_at is not null and attempts > 0)::integer as given_up,
  coalesce(sum(stored - delivered) filter (where paused_at is null), 0)::bigint as waiting
from webhook
