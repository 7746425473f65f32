-- A wallet that ever traded: the time of its first trade (or its first stored day, or an hour of a day before in which
-- it traded: the first trade of a position is that by slot) and of the newest indexed swap of all, Unix ms; first and
-- last slot of its swaps, as far as the ledger has read; US dollars a SOL.
-- $1 text: address. No row: the ledger has read no swap of it. Index: wallet_address_key, the primary keys of position,
-- position_hour and chart_day, slot_span_pkey. A time lies in few runs of slots, the first of which does not begin
-- after its swap.
select
  traded.id,
  least(
    traded.first_ms,
    (select min(day_ms) from chart_day where wallet_id = traded.id),
    (
      select min(hour_ms)
      from position_hour
      where wallet_id = traded.id and hour_ms < traded.first_ms / 86400000 * 86400000
    )
  ) as first_ms,
  traded.high_slot,
  (
    select min(bucket)
    from slot_span
    where width = 10000 and last_ms >= traded.first_ms and first_ms <= traded.last_ms
  ) as low_slot,
  newest_swap_ms() as newest_ms,
  sol_usd() as sol_usd
from (
  select
    wallet.id,
    min(position.first_trade_ms) as first_ms,
    max(position.first_trade_ms) as last_ms,
    max(position.last_slot) as high_slot
  from wallet
  join position on position.wallet_id = wallet.id
  where wallet.address = $1
  group by wallet.id
) as traded
