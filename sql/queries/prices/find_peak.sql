-- The priced swap with the highest price in a mint's top pool, and its price now. $1 text: mint; $2 bigint: the least
-- lamports of a priced trade, $3 bigint[]: its least token base units by decimals from 0 on, $4 integer: agent_trade that
-- sets no price. Result: the swap, `price`, `price_ms` and dollars a SOL of now; no row without a price.
-- Equal highs: the earliest minute, and in it the canonically first swap. Four hours lead to the minute, and this to
-- its swaps: nothing else of the history is read. Prices compare as fractions, which no double rounds.
-- Index: token_address_key, candle_4h_pkey, candle_1m_pkey, swap_pool, wallet_pkey, those of token_prices().
select
  found.signature, found.slot, found.timestamp_ms, found.sol_amount, found.token_amount,
  found.quote_decimals, found.dex, found."user",
  (select pair_address from pool where pool.id = priced.pool_id) as pair_address,
  priced.price, priced.price_ms, sol_usd() as sol_usd
from token_prices(array(select id from token where address = $1)) as priced
cross join lateral (
  select bucket_ms
  from candle_4h
  where candle_4h.pool_id = priced.pool_id and high is not null
  order by high desc, bucket_ms
  limit 1
) as four
cross join lateral (
  select bucket_ms, first_slot, last_slot
  from candle_1m
  where candle_1m.pool_id = priced.pool_id
    and bucket_ms >= four.bucket_ms
    and bucket_ms < four.bucket_ms + 14400000
    and high is not null
  order by high desc, bucket_ms
  limit 1
) as minute
cross join lateral (
  select
    swap.signature, swap.slot, swap.timestamp_ms, swap.sol_amount, swap.token_amount,
    swap.quote_decimals, swap.dex, wallet.address as "user"
  from swap
  join wallet on wallet.id = swap.wallet_id
  where swap.pool_id = priced.pool_id
    and swap.slot between minute.first_slot and minute.last_slot
    and swap.timestamp_ms >= minute.bucket_ms and swap.timestamp_ms < minute.bucket_ms + 60000
    and swap.sol_amount >= $2 and swap.token_amount >= ($3::bigint[])[swap.quote_decimals + 1]
    and swap.agent_trade <> $4
  order by
    swap.sol_amount * 10::numeric ^ swap.quote_decimals / swap.token_amount desc,
    swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy desc, swap.signature,
    wallet.address, swap.sol_amount, swap.token_amount
  limit 1
) as found
