-- What a wallet did from an hour on, all mints together, and its best and worst covered sell by adjusted
-- profit; of equal ones the canonically earlier. Mints are looked up of those alone.
-- $1 integer: wallet id, $2 bigint: the first hour, Unix ms. Result: one row, sums of nothing are 0.
-- Index: the primary key of position_hour, token_pkey.
with hour as materialized (
  select * from position_hour where wallet_id = $1 and hour_ms >= $2
),
total as (
  select
    coalesce(sum(buy_count + sell_count), 0)::bigint as trade_count,
    coalesce(sum(covered_sell_count), 0)::bigint as covered_sell_count,
    coalesce(sum(win_count), 0)::bigint as win_count,
    coalesce(sum(volume_lamports), 0) as volume_lamports
  from hour
),
best as (
  select most.lamports, token.address as mint
  from (
    select best_lamports as lamports, token_id
    from hour
    where best_lamports is not null
    order by best_lamports desc, best_slot, best_block_tx_index, best_ix_index, best_dex
    fetch first 1 rows with ties
  ) as most
  join token on token.id = most.token_id
  order by token.address
  limit 1
),
worst as (
  select least.lamports, token.address as mint
  from (
    select worst_lamports as lamports, token_id
    from hour
    where worst_lamports is not null
    order by worst_lamports, worst_slot, worst_block_tx_index, worst_ix_index, worst_dex
    fetch first 1 rows with ties
  ) as least
  join token on token.id = least.token_id
  order by token.address
  limit 1
)
select
  total.trade_count,
  total.covered_sell_count,
  total.win_count,
  total.volume_lamports,
  best.lamports as best_lamports,
  best.mint as best_mint,
  worst.lamports as worst_lamports,
  worst.mint as worst_mint
from total
left join best on true
left join worst on true
