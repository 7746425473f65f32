-- Pauses a webhook; one that is paused stays as it is. $1 integer: id, $2 text: reason. Result: its id.
update webhook
set paused_at = coalesce(paused_at, now()), pause_reason = coalesce(pause_reason, $2)
where id = $1
returning id
