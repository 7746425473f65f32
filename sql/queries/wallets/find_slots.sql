-- The slots between which all swaps of a wallet's positions stand: from the run of 100 slots of the
-- canonically first one to the newest; no row for a wallet without a position.
-- $1 integer: wallet id, $2 integer: token id, null for all. Index: the primary key of position,
-- slot_span_pkey. A time lies in few runs of slots, the first of which is not behind that of its swap.
select
  (
    select min(bucket)
    from slot_span
    where width = 10000 and last_ms >= span.first_ms and first_ms <= span.last_ms
  ) as low_slot,
  span.high_slot
from (
  select
    min(first_trade_ms) as first_ms,
    max(first_trade_ms) as last_ms,
    max(last_slot) as high_slot
  from position
  where wallet_id = $1 and ($2::integer is null or token_id = $2)
) as span
where span.high_slot is not null
