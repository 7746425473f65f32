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
  select id, stored_before + place, event_id, body
  from moved, unnest($7::text[], $8::text[]) with ordinality as given (event_id, body, place)
)
select id from moved
