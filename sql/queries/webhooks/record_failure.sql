-- Records a failed attempt, and pauses a webhook that has failed for too long, or must not be tried again. $1 integer: webhook,
-- $2 text: error, $3 double precision: milliseconds to the next attempt, $4 double precision: milliseconds of failing after which it
-- is paused, $5 text: reason of a pause at once, null: none. Result: attempts, and whether it is paused by now.
update webhook
set
  attempts = attempts + 1,
  failing_since = coalesce(failing_since, now()),
  next_attempt_at = now() + $3 * interval '1 millisecond',
  last_error = $2,
  last_error_at = now(),
  paused_at = case
    when paused_at is not null then paused_at
    when $5::text is not null or now() - failing_since >= $4 * interval '1 millisecond' then now()
  end,
  pause_reason = case
    when paused_at is not null then pause_reason
    when $5::text is not null then $5
    when now() - failing_since >= $4 * interval '1 millisecond' then 'it failed for too long: ' || $2
  end
where id = $1
returning attempts, paused_at is not null as is_paused
