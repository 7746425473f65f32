-- Where and how an active webhook is sent. $1 integer: id. Result: URL and encrypted secrets, old_secret null without one
-- that is valid still, and attempts: failed ones of its oldest delivery; no row for one that is paused, or pauses before its
-- next attempt. Relies on the primary key.
select url, secret, case when old_secret_until > now() then old_secret end as old_secret, attempts
from webhook
where id = $1 and paused_at is null and next_attempt_at <= now()
