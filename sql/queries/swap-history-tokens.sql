-- name: swap-history/find_peak
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

-- name: swap-history/find_price_at
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

-- name: swap-history/list_bucket_traders
-- Wallets that traded tokens in buckets, by the stored swaps. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms;
-- $3 integer: width of the buckets, ms. Result: ordinal of the bucket from 1. Indexes: pool_token, candle_1m_pkey,
-- swap_pool.
select distinct wanted.ordinal::integer as ordinal, swap.is_buy, swap.wallet_id
from unnest($1::integer[], $2::bigint[]) with ordinality as wanted (token_id, bucket_ms, ordinal)
join pool on pool.token_id = wanted.token_id
join candle_1m as minute on minute.pool_id = pool.id
  and minute.bucket_ms >= wanted.bucket_ms and minute.bucket_ms < wanted.bucket_ms + $3::integer
join swap on swap.pool_id = pool.id
  and swap.slot >= minute.first_slot and swap.slot <= minute.last_slot
  and swap.timestamp_ms >= minute.bucket_ms and swap.timestamp_ms < minute.bucket_ms + 60000

-- name: swap-history/list_creator_sales
-- Sales of wallets by token and minute. Pairwise: $1 integer[] token ids, $2 integer[] wallet ids,
-- $3 bigint[] minutes, the first Unix ms of each; $4 $5 bigint: the least and the greatest of these. Indexes: pool_token, candle_1m_pkey, swap_wallet.
select
  wanted.token_id, (wanted.bucket_ms / 60000)::integer as minute, sum(swap.sol_amount) as lamports
from unnest($1::integer[], $2::integer[], $3::bigint[]) as wanted (token_id, wallet_id, bucket_ms)
join pool on pool.token_id = wanted.token_id
join candle_1m as candle
  on candle.pool_id = pool.id
  and candle.bucket_ms = wanted.bucket_ms
  and candle.bucket_ms between $4 and $5
join swap
  on swap.wallet_id = wanted.wallet_id
  and swap.slot between candle.first_slot and candle.last_slot
  and swap.pool_id = pool.id
  and not swap.is_buy
  and swap.timestamp_ms between wanted.bucket_ms and wanted.bucket_ms + 59999
group by wanted.token_id, wanted.bucket_ms

-- name: swap-history/list_early
-- The first buyers of a mint, from its canonically first swaps among some slots, within 24 hours of the first of
-- them: the very first, first buys of the wallets that bought first, and buys in one slot; with their wallets'
-- positions in the mint, null where the ledger has none, whether each is smart money in any mint, and `is_held`: false
-- of wallets whose newest pass did not find the mint on chain.
-- $1 integer: token id; $2 bigint, $3 bigint: first and last slot; $4 integer: swaps to search, and all that tie with
-- the last of them; $5 integer: wallets; $6 bigint: the one slot, or null. Unordered, with all that tie: the caller
-- compares them in full.
-- Index: pool_token, swap_pool, wallet_pkey, the primary key of position, that of mint_decimals(), token_pkey,
-- held_token_pkey, reconciliation_pkey; wallet_tag_smart, one probe a wallet: as `exists`, all smart money may be
-- hashed. A row that begins with the wallet, as in read_profile.
with ranked as materialized (
  select first.*, rank() over (order by slot, block_tx_index, ix_index, dex) as ordinal
  from (
    select own.*, pool.pair_address
    from pool
    cross join lateral (
      select
        slot, block_tx_index, ix_index, dex, is_buy, signature, timestamp_ms, sol_amount,
        token_amount, wallet_id
      from swap
      where swap.pool_id = pool.id and swap.slot between $2 and $3
      order by slot, block_tx_index, ix_index, dex
      fetch first $4 rows with ties
    ) as own
    where pool.token_id = $1
    order by own.slot, own.block_tx_index, own.ix_index, own.dex
    fetch first $4 rows with ties
  ) as first
),
placed as materialized (
  select *
  from ranked
  where timestamp_ms < (select min(timestamp_ms) from ranked where ordinal = 1) + 86400000
),
early as (
  select min(ordinal) as ordinal
  from placed
  where is_buy
  group by wallet_id
  order by 1
  limit $5
)
select
  given.slot, given.block_tx_index, given.ix_index, given.dex, given.is_buy, given.signature,
  given.timestamp_ms, given.sol_amount, given.token_amount, given.pair_address,
  wallet.address as "user",
  position.balance, (select newest.decimals from mint_decimals($1) as newest) as decimals,
  position.largest_buy_lamports,
  coalesce(
    (select true from wallet_tag where wallet_tag.wallet_id = wallet.id and wallet_tag.tag = 'smart_money' limit 1),
    false
  ) as is_smart,
  coalesce(
    (
      select held_token.quantity > 0
      from held_token
      where held_token.wallet_id = wallet.id
        and held_token.mint = (select address from token where token.id = $1)
    ),
    (select false from reconciliation where reconciliation.wallet_id = wallet.id),
    true
  ) as is_held
from (
  select *
  from placed
  where ordinal = 1 or (is_buy and (slot = $6 or ordinal in (select ordinal from early)))
) as given
join wallet on wallet.id = given.wallet_id
left join position
  on (position.wallet_id, position.token_id) >= (given.wallet_id, $1)
    and (position.wallet_id, position.token_id) <= (given.wallet_id, $1)

-- name: swap-history/list_early_buys
-- Mints' first slots among some slots, and the wallet's first buy within a few slots of each; mints without
-- such a buy have no row.
-- $1 integer: wallet id, $2 integer[]: token ids, $3 bigint, $4 bigint: first and last slot to read, $5 bigint: slots
-- after the first. Index: pool_token, swap_pool.
select wanted.token_id, birth.slot as mint_slot, own.slot as buy_slot
from unnest($2::integer[]) as wanted (token_id)
cross join lateral (
  select min(first.slot) as slot
  from pool
  cross join lateral (
    select slot
    from swap
    where pool_id = pool.id and slot between $3 and $4
    order by slot, block_tx_index, ix_index, dex
    limit 1
  ) as first
  where pool.token_id = wanted.token_id
) as birth
cross join lateral (
  select min(swap.slot) as slot
  from pool
  join swap on swap.pool_id = pool.id
  where pool.token_id = wanted.token_id
    and swap.wallet_id = $1
    and swap.is_buy
    and swap.slot between birth.slot and birth.slot + $5
    and swap.slot between $3 and $4 + $5
) as own
where own.slot is not null

-- name: swap-history/list_first_swaps
-- The canonically first swaps of a mint among some slots, and all that tie with the last of them.
-- $1 integer: token id; $2 bigint, $3 bigint: first and last slot; $4 integer: rows. Unordered.
-- Index: pool_token, swap_pool, wallet_pkey.
select
  first.slot, first.block_tx_index, first.ix_index, first.dex, first.is_buy, first.signature,
  first.timestamp_ms, first.sol_amount, first.token_amount,
  first.pair_address, wallet.address as "user"
from (
  select own.*, pool.pair_address
  from pool
  cross join lateral (
    select
      slot, block_tx_index, ix_index, dex, is_buy, signature, timestamp_ms, sol_amount,
      token_amount, wallet_id
    from swap
    where swap.pool_id = pool.id and swap.slot between $2 and $3
    order by slot, block_tx_index, ix_index, dex
    fetch first $4 rows with ties
  ) own
  where pool.token_id = $1
  order by own.slot, own.block_tx_index, own.ix_index, own.dex
  fetch first $4 rows with ties
) first
join wallet on wallet.id = first.wallet_id

-- name: swap-history/list_past_decimals
-- Decimals of mints as of a slot: those that the canonically newest swap up to it states; no row for a mint without one. $1
-- integer[]: token ids, $2 bigint: slot. Index: pool_token, swap_pool; see list_pool_swaps.
select distinct on (pool.token_id) pool.token_id, newest.quote_decimals as decimals
from pool
cross join lateral (
  select *
  from swap
  where pool_id = any (array[pool.id]) and slot between pool.first_slot and $2::bigint
  order by pool_id desc, slot desc, block_tx_index desc, ix_index desc, dex desc
  fetch first 1 rows with ties
) as newest
where pool.token_id = any ($1::integer[]) and pool.first_slot <= $2::bigint
order by
  pool.token_id, newest.slot desc, newest.block_tx_index desc, newest.ix_index desc, newest.dex desc,
  newest.is_buy, newest.signature desc, pool.pair_address desc

-- name: swap-history/list_slot_buys
-- Buys of mints in one slot each.
-- $1 integer[]: token ids, $2 bigint[]: slots (pairwise), $3 bigint, $4 bigint: the least and the greatest
-- of them. Index: pool_token, swap_pool.
select
  pool.token_id, wallet.address as "user", swap.signature, swap.slot, swap.block_tx_index,
  swap.ix_index, swap.dex, pool.pair_address, swap.sol_amount, swap.token_amount
from unnest($1::integer[], $2::bigint[]) as wanted (token_id, slot)
join pool on pool.token_id = wanted.token_id
join swap on swap.pool_id = pool.id and swap.slot = wanted.slot
join wallet on wallet.id = swap.wallet_id
where swap.is_buy and swap.slot between $3 and $4
