-- Pauses every active webhook; its failures so far are not why. $1 text: reason. Result: their ids. Reads the whole table, a
-- row an endpoint.
update webhook
set paused_at = now(), pause_reason = $1, attempts = 0, failing_since = null
where paused_at is null
returning id
