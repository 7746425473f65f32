-- The newest priced swap at or before a time among pools. $1 integer[]: pool ids, $2 bigint: Unix ms; $3 bigint: the least
-- lamports of a priced trade, $4 bigint[]: its least token base units by decimals from 0 on, $5 integer: agent_trade that
-- sets no price. Result: signature, slot, timestamp_ms, sol_amount, token_amount, quote_decimals, pair_address; no row
-- where there is none.
-- A pool's newest two priced minutes up to the time hold its swap: of the newer one all priced swaps may be later.
-- Within a minute the canonically last swap counts, of all pools. Index: candle_1m_pkey backwards, swap_pool, pool_pkey, wallet_pkey.
select
  found.signature, found.slot, found.timestamp_ms, found.sol_amount, found.token_amount,
  found.quote_decimals, pool.pair_address
from unnest($1::integer[]) as wanted (pool_id)
cross join lateral (
  select last.*, minute.bucket_ms
  from (
    select bucket_ms, first_slot, last_slot
    from candle_1m
    where pool_id = wanted.pool_id and bucket_ms <= $2 and open is not null
    order by bucket_ms desc
    limit 2
  ) as minute
  cross join lateral (
    select tied.*
    from (
      select
        signature, slot, block_tx_index, ix_index, dex, timestamp_ms, sol_amount, token_amount, quote_decimals,
        is_buy, wallet_id
      from swap
      where swap.pool_id = wanted.pool_id
        and slot between minute.first_slot and minute.last_slot
        and timestamp_ms >= minute.bucket_ms and timestamp_ms < minute.bucket_ms + 60000
        and timestamp_ms <= $2
        and sol_amount >= $3 and token_amount >= ($4::bigint[])[quote_decimals + 1] and agent_trade <> $5
      order by slot desc, block_tx_index desc, ix_index desc, dex desc
      fetch first 1 row with ties
    ) as tied
    join wallet on wallet.id = tied.wallet_id
    {+last_of_tied}
  ) as last
  order by minute.bucket_ms desc
  limit 1
) as found
join pool on pool.id = wanted.pool_id
order by
  found.bucket_ms desc, found.slot desc, found.block_tx_index desc, found.ix_index desc, found.dex desc, found.is_buy,
  found.signature desc, pool.pair_address desc
limit 1
