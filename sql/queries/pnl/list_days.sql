-- The UTC days on which a wallet traded, oldest first, each the sum of its hours over all mints.
-- $1 text: wallet; $2 text: pnl_mode.
-- Result: lamports realized by that mode, and the day's cash flow.
-- Index: wallet_address_key, position_hour_pkey of every chunk, by the wallet.
select
  hour_ms / 86400000 * 86400000 as day_ms,
  {+realized_of_hours},
  sum(realized_raw) as flow
from position_hour
where wallet_id = (select id from wallet where address = $1)
group by day_ms
order by day_ms
