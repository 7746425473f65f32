-- name: swap-history/list_past_ends
-- The canonically last swap of pools up to a slot, and the last of them that set a price. Pairwise: $1 integer[] pool id,
-- $2 bigint[] slot of its first swap; $3 bigint: slot; $4 bigint: the least lamports of a priced trade, $5 bigint[]: its
-- least token base units by decimals from 0 on, $6 integer: agent_trade that sets no price. Result: `price_slot` and what
-- follows are null without a priced swap; no row for a pool without a swap. Index: swap_pool, backwards; `any` of one id:
-- only that index has the order then. Swaps at one position are ordered after.
select
  wanted.pool_id, last.slot, last.block_tx_index, last.ix_index, last.dex, last.is_buy, last.signature, last.quote_decimals,
  last.real_sol_reserves, last.virtual_quote_reserves,
  priced.slot as price_slot, priced.timestamp_ms as price_ms, priced.sol_amount, priced.token_amount,
  priced.quote_decimals as price_decimals
from unnest($1::integer[], $2::bigint[]) as wanted (pool_id, first_slot)
cross join lateral (
  select tied.*
  from (
    select
      slot, block_tx_index, ix_index, dex, is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals,
      real_sol_reserves, virtual_quote_reserves
    from swap
    where pool_id = any (array[wanted.pool_id]) and slot between wanted.first_slot and $3::bigint
    order by pool_id desc, slot desc, block_tx_index desc, ix_index desc, dex desc
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  {+last_of_tied}
) as last
left join lateral (
  select tied.*
  from (
    select slot, timestamp_ms, is_buy, signature, wallet_id, sol_amount, token_amount, quote_decimals
    from swap
    where pool_id = any (array[wanted.pool_id]) and slot between wanted.first_slot and $3::bigint
      and sol_amount >= $4 and token_amount >= ($5::bigint[])[quote_decimals + 1] and agent_trade <> $6
    order by pool_id desc, slot desc, block_tx_index desc, ix_index desc, dex desc
    fetch first 1 row with ties
  ) as tied
  join wallet on wallet.id = tied.wallet_id
  {+last_of_tied}
) as priced on true

-- name: swap-history/list_past_trades
-- Trades of wallets in tokens up to a slot, by the minute. Pairwise: $1 integer[] pool_id, $2 bigint[] bucket_ms, $3 bigint[]:
-- first slot of the minute's swaps; $4 bigint: slot, $5 bigint: least of $3, which excludes chunks. Result: `wallet` is mixed.
-- Index: swap_pool, pool_pkey.
select
  pool.token_id, wanted.bucket_ms, swap.is_buy, mixed_wallet(swap.wallet_id) as wallet, count(*)::integer as trade_count
from unnest($1::integer[], $2::bigint[], $3::bigint[]) as wanted (pool_id, bucket_ms, first_slot)
join pool on pool.id = wanted.pool_id
join swap on swap.pool_id = wanted.pool_id
  and swap.slot >= wanted.first_slot and swap.slot <= $4::bigint
  and swap.timestamp_ms >= wanted.bucket_ms and swap.timestamp_ms < wanted.bucket_ms + 60000
where swap.slot between $5::bigint and $4::bigint
group by pool.token_id, wanted.bucket_ms, swap.is_buy, swap.wallet_id

-- name: swap-history/read_earliest_after
-- The least time of a swap after a slot, Unix ms; null without one. $1 bigint: slot. Whole runs of slots by their rows, at
-- the three widths, and the swaps of the first run of 100. Index: slot_span_pkey, swap_order.
select least(
  (
    select min(first_ms) from slot_span
    where width = 1000000000 and bucket >= ($1::bigint + 1000000000) / 1000000000 * 1000000000
  ),
  (
    select min(first_ms) from slot_span
    where width = 10000
      and bucket >= ($1::bigint + 10000) / 10000 * 10000
      and bucket < ($1::bigint + 1000000000) / 1000000000 * 1000000000
  ),
  (
    select min(first_ms) from slot_span
    where width = 100
      and bucket >= ($1::bigint + 100) / 100 * 100 and bucket < ($1::bigint + 10000) / 10000 * 10000
  ),
  (
    select min(timestamp_ms) from swap
    where slot > $1::bigint and slot < ($1::bigint + 100) / 100 * 100
  )
) as earliest_ms

-- name: swap-history/sum_past_minutes
-- Sums of the swaps of pools' minutes up to a slot, by the decimals that they state. Pairwise: $1 integer[] pool_id,
-- $2 bigint[] bucket_ms, $3 bigint[]: first slot of the minute's swaps; $4 bigint: slot, $5 bigint: least of $3, which
-- excludes chunks; $6 bigint: the least lamports of a priced trade, $7 bigint[]: its least token base units by decimals
-- from 0 on, $8 integer: agent_trade that sets no price. Result: lamports and trades of all swaps; lamports and base units
-- of those that set a price, null where none does. Index: swap_pool.
select
  wanted.pool_id, wanted.bucket_ms, swap.quote_decimals, sum(swap.sol_amount) as volume_lamports,
  count(*) as trade_count,
  sum(swap.sol_amount) filter (where priced.is_priced) as priced_lamports,
  sum(swap.token_amount) filter (where priced.is_priced) as priced_units
from unnest($1::integer[], $2::bigint[], $3::bigint[]) as wanted (pool_id, bucket_ms, first_slot)
join swap on swap.pool_id = wanted.pool_id
  and swap.slot >= wanted.first_slot and swap.slot <= $4::bigint
  and swap.timestamp_ms >= wanted.bucket_ms and swap.timestamp_ms < wanted.bucket_ms + 60000
cross join lateral (
  select
    coalesce(
      swap.sol_amount >= $6 and swap.token_amount >= ($7::bigint[])[swap.quote_decimals + 1]
        and swap.agent_trade <> $8,
      false
    ) as is_priced
) as priced
where swap.slot between $5::bigint and $4::bigint
group by wanted.pool_id, wanted.bucket_ms, swap.quote_decimals
