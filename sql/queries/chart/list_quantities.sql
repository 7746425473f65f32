-- Holdings of a wallet by token at the ends of days, in whole tokens, by swap timestamp: a row for each
-- day that changed it and lasts into the range.
-- $1 integer: wallet id, $2 bigint, $3 bigint: first and last slot of its swaps, $4 bigint, $5
-- bigint: first and last day, Unix ms of their beginnings; $6 integer[]: token ids, null for all.
-- Result: token_id, from_ms (a day), until_ms (the day that ends it), quantity, and on every row first_ms,
-- the day of the first trade; by token and day. No row: no trade. Index: swap_wallet,
-- that of mint_decimals().
--
-- A balance does not fall below 0, however much is sold: with S the running sum of receipts and sales and M its least
-- so far, 0 at most, the balance is S - M. Materialized: the planner would weigh each order of the rows for each of the
-- chunks, which takes longer than to read them.
with moved as materialized (
  select
    pool.token_id,
    swap.timestamp_ms / 86400000 * 86400000 as day_ms,
    swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy, swap.signature,
    pool.pair_address, swap.sol_amount, swap.token_amount,
    case
      when swap.is_buy then greatest(swap.token_amount - swap.transfer_fee_out, 0)
      else -swap.token_amount::numeric - swap.transfer_fee_in
    end as quantity
  from swap
  join pool on pool.id = swap.pool_id
  where swap.wallet_id = $1
    and swap.slot between $2 and $3
    and swap.timestamp_ms < $5::bigint + 86400000
    and ($6::integer[] is null or pool.token_id = any ($6))
),
summed as (
  select *, sum(quantity) over place as running, lead(day_ms) over place as next_day_ms
  from moved
  window place as (
    partition by token_id
    order by day_ms, slot, block_tx_index, ix_index, dex, is_buy desc, signature, pair_address,
      sol_amount, token_amount
    rows between unbounded preceding and current row
  )
),
folded as (
  select *, least(min(running) over place, 0) as least_running
  from summed
  window place as (
    partition by token_id
    order by day_ms, slot, block_tx_index, ix_index, dex, is_buy desc, signature, pair_address,
      sol_amount, token_amount
    rows between unbounded preceding and current row
  )
),
day_end as (
  select
    token_id,
    day_ms as from_ms,
    coalesce(next_day_ms, $5::bigint + 86400000) as until_ms,
    running - least_running as balance,
    min(day_ms) over () as first_ms
  from folded
  where next_day_ms is distinct from day_ms
)
select
  token_id,
  from_ms,
  until_ms,
  balance::double precision / (
    10::double precision ^ (select newest.decimals from mint_decimals(day_end.token_id) as newest)
  ) as quantity,
  first_ms
from day_end
where until_ms > $4
order by token_id, from_ms
