-- name: webhooks/accept_delivery
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

-- name: webhooks/delete_webhook
-- Deletes a webhook with its deliveries. $1 integer: id. Result: its id.
delete from webhook where id = $1 returning id

-- name: webhooks/find_target
-- Where and how an active webhook is sent. $1 integer: id. Result: URL and encrypted secrets, old_secret null without one
-- that is valid still, and attempts: failed ones of its oldest delivery; no row for one that is paused, or pauses before its
-- next attempt. Relies on the primary key.
select url, secret, case when old_secret_until > now() then old_secret end as old_secret, attempts
from webhook
where id = $1 and paused_at is null and next_attempt_at <= now()

-- name: webhooks/insert_deliveries
-- Stores deliveries of a webhook and moves its position in FEED: both or neither. $1 integer: webhook, $2 text, $3 bigint:
-- epoch and sequence that it must be at, $4 text, $5 bigint: those to move to, $6 bigint: highest slot up to there, $7 text[]:
-- ids of the deliveries, $8 text[]: their bodies. Result: its id; no row, and nothing stored, where another moved it, or it is
-- paused. Relies on the primary key.
with moved as (
  update webhook
  set
    epoch = $4, sequence = $5, slot = greatest(slot, $6), stored = stored + cardinality($7::text[])
  where id = $1 and epoch = $2 and sequence = $3 and paused_at is null
  returning id, stored - cardinality($7::text[]) as stored_before
), added as (
  insert into webhook_delivery (webhook_id, number, event_id, body)
  select id, stored_before + ordinal, event_id, body
  from moved, unnest($7::text[], $8::text[]) with ordinality as given (event_id, body, ordinal)
)
select id from moved

-- name: webhooks/insert_webhook
-- Stores a webhook. $1 text: URL, $2 text: channel, $3 text: filter as JSON, $4 text: form of int64, $5 integer: events of a
-- delivery at most, $6 bytea: encrypted secret, $7 text, $8 bigint: epoch and sequence of FEED after which it begins, $9
-- integer: webhooks at most. Result: its id; no row where there are that many.
insert into webhook (url, channel, filter, int64, events_max, secret, epoch, sequence)
select $1, $2, $3, $4, $5, $6, $7, $8
where (select count(*) from webhook) < $9
returning id

-- name: webhooks/list_deliveries
-- The oldest deliveries that wait. $1 integer: webhook, $2 integer: rows at most. Relies on the primary key.
select number, event_id, body
from webhook_delivery
where webhook_id = $1
order by number
limit $2

-- name: webhooks/list_due
-- Webhooks that have a delivery to be attempted now. Reads the whole table, a row an endpoint.
select id
from webhook
where paused_at is null and stored > delivered and next_attempt_at <= now()
order by next_attempt_at

-- name: webhooks/list_reading
-- Active webhooks whose deliveries are to be stored. $1 integer: deliveries that may wait at most. Result: columns
-- that the reader of FEED needs. Reads the whole table, a row an endpoint.
select id, channel, filter, int64, events_max, epoch, sequence, slot, attempts
from webhook
where paused_at is null and stored - delivered < $1
order by id

-- name: webhooks/list_webhooks
-- Webhooks by id. $1 integer: of this id only, null: all. Result: the columns of the table that are no secret, and
-- waiting: deliveries that are stored and not yet accepted. Reads the whole table, a row an endpoint, or its primary key.
select
  id, url, channel, filter, int64, events_max, epoch, sequence, slot, stored, delivered, stored - delivered as waiting,
  created_at, paused_at, pause_reason, attempts, failing_since, next_attempt_at, last_error, last_error_at,
  last_delivery_id, last_delivered_at, case when old_secret_until > now() then old_secret_until end as old_secret_until
from webhook
where $1::integer is null or id = $1
order by id

-- name: webhooks/pause_active
-- Pauses every active webhook; its failures so far are not why. $1 text: reason. Result: their ids. Reads the whole table, a
-- row an endpoint.
update webhook
set paused_at = now(), pause_reason = $1, attempts = 0, failing_since = null
where paused_at is null
returning id

-- name: webhooks/pause_webhook
-- Pauses a webhook; one that is paused stays as it is. $1 integer: id, $2 text: reason. Result: its id.
update webhook
set paused_at = coalesce(paused_at, now()), pause_reason = coalesce(pause_reason, $2)
where id = $1
returning id

-- name: webhooks/read_totals
-- Figures of webhooks for metrics. Result: active, failing (active, and the newest attempt failed), paused, given_up (paused
-- after failed attempts), waiting: deliveries of those that are active. Reads the whole table, a row an endpoint.
select
  count(*) filter (where paused_at is null)::integer as active,
  count(*) filter (where paused_at is null and attempts > 0)::integer as failing,
  count(*) filter (where paused_at is not null)::integer as paused,
  count(*) filter (where paused_at is not null and attempts > 0)::integer as given_up,
  coalesce(sum(stored - delivered) filter (where paused_at is null), 0)::bigint as waiting
from webhook

-- name: webhooks/record_failure
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

-- name: webhooks/release_lock
-- Releases a lock of this session. $1 integer: its class, $2 integer: its number.
select pg_advisory_unlock($1, $2)

-- name: webhooks/resume_webhook
-- Resumes a webhook: its oldest delivery is attempted at once. $1 integer: id. Result: its id.
update webhook
set paused_at = null, pause_reason = null, attempts = 0, failing_since = null, next_attempt_at = now()
where id = $1
returning id

-- name: webhooks/rotate_secret
-- Replaces the secret of a webhook; the old one signs as well for a while. $1 integer: id, $2 bytea: encrypted secret, $3
-- double precision: milliseconds of that while. Result: until when.
update webhook
set old_secret = secret, old_secret_until = now() + $3 * interval '1 millisecond', secret = $2
where id = $1
returning old_secret_until

-- name: webhooks/try_lock
-- Takes a lock of this session, or does not wait for it. $1 integer: its class, $2 integer: its number. Result: is_taken.
select pg_try_advisory_lock($1, $2) as is_taken
