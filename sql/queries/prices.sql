-- name: prices/find_peak
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

-- name: prices/find_price_at
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

-- name: prices/list_pools
-- Ids of a mint's pools that ever had a priced trade. $1 text: mint. Index: token_address_key, pool_token.
select id from pool
where token_id = (select id from token where address = $1) and last_price is not null
order by id

-- name: prices/list_prices
-- Prices of tokens now; no row for a token without one. $1 text[]: mints. Result: mint, price double precision (SOL per
-- whole token), price_ms bigint, sol_usd double precision or null.
-- Indexes: token_address_key, token_pkey, those of token_prices() and sol_usd().
select token.address as mint, priced.price, priced.price_ms, (select sol_usd()) as sol_usd
from token_prices(array(select id from token where address = any ($1))) as priced
join token on token.id = priced.token_id
order by mint
