-- Resumes a webhook: its oldest delivery is attempted at once. $1 integer: id. Result: its id.
update webhook
set paused_at = null, pause_reason = null, attempts = 0, failing_since = null, next_attempt_at = now()
where id = $1
returning id
