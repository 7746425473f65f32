-- name: wallet-days/list_days
-- The UTC days on which a wallet traded, oldest first, each the sum of its hours over all mints.
-- $1 text: wallet; $2 text: pnl_mode; $3 bigint, $4 bigint: first and last day, Unix ms of their beginnings; $5 integer[]:
-- token ids to leave out, null for none.
-- Result: lamports realized by that mode and by the mode that the cost basis goes by, cash flow and volume, and counts.
-- Index: wallet_address_key, position_hour_pkey of the chunks of the range, by the wallet.
select
  hour_ms / 86400000 * 86400000 as day_ms,
  {+realized_of_hours},
  sum(case $2 when 'strict' then realized_strict else realized_adjusted end) as profit,
  sum(realized_raw) as flow,
  sum(volume_lamports) as volume_lamports,
  sum(buy_count)::bigint as buy_count,
  sum(sell_count)::bigint as sell_count,
  sum(covered_sell_count)::bigint as covered_sell_count,
  sum(win_count)::bigint as win_count,
  count(distinct token_id)::integer as token_count
from position_hour
where wallet_id = (select id from wallet where address = $1)
  and hour_ms >= $3
  and hour_ms < $4::bigint + 86400000
  and ($5::integer[] is null or token_id <> all ($5))
group by day_ms
order by day_ms

-- name: wallet-days/list_uncosted
-- Positions of a wallet with cash flow that no cost basis knows: sells without a buy, and buys that brought nothing.
-- $1 text: wallet. Result: the ids, how many swaps the position holds, and what it states of the newest of them.
-- Without either, basis = realized_adjusted - (sells - buys). Index: wallet_address_key, position_pkey.
select
  wallet_id, token_id, swap_count, last_slot, last_ix_index, last_dex, last_is_buy,
  last_sol_amount, last_token_amount
from position
where wallet_id = (select id from wallet where address = $1)
  and (
    uncovered_lamports <> 0
    or basis <> realized_adjusted - sells_lamports + buys_lamports
  )
