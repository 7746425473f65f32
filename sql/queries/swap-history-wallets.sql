-- name: swap-history/close_wallet_swaps
-- Closes the cursor of open_wallet_swaps, so that it may be opened again.
close wallet_swaps

-- name: swap-history/count_wallet_swaps
-- How many swaps a wallet has in some mints up to a slot, as far as that matters. $1 integer: wallet id, $2 integer[]: token
-- ids, $3 bigint: slot, $4 integer: the most to count. Index: swap_wallet.
select count(*)::integer as swap_count
from (
  select
  from swap
  join pool on pool.id = swap.pool_id
  where swap.wallet_id = any (array[$1::integer]) and swap.slot <= $3 and pool.token_id = any ($2::integer[])
  limit $4
) as counted

-- name: swap-history/fetch_wallet_swaps
-- The next rows of open_wallet_swaps; none at the end.
fetch forward 1000 from wallet_swaps

-- name: swap-history/find_recent_swap
-- A row where a wallet has a swap no older than some time.
-- $1 text: wallet; $2 bigint, $3 bigint: the slots that hold every swap since then; $4 bigint: Unix ms.
-- Index: wallet_address_key, swap_wallet, as rows that begin with the id: see list_wallet_swaps_asc.
select
from swap
where (wallet_id, slot) >= ((select id from wallet where address = $1), $2)
  and (wallet_id, slot) <= ((select id from wallet where address = $1), $3)
  and slot between $2 and $3
  and timestamp_ms >= $4
limit 1

-- name: swap-history/find_tied_mint
-- The mint of the canonically first of several sells at one position, and the number of those sells.
-- $1 integer: wallet id, $2 integer[]: token ids, $3 bigint: Unix ms before which sells do not count; the position: $4
-- bigint: slot, $5 bigint: block_tx_index, $6 integer: ix_index, $7 smallint: dex; $8 bigint: Unix ms from which on
-- sells do not count.
-- Index: swap_wallet, by one position; pool_pkey, token_pkey.
select token.address as mint, count(*) over ()::integer as sell_count
from swap
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
where swap.wallet_id = $1
  and swap.slot = $4
  and swap.block_tx_index = $5
  and swap.ix_index = $6
  and swap.dex = $7
  and not swap.is_buy
  and pool.token_id = any ($2::integer[])
  and swap.timestamp_ms >= $3
  and swap.timestamp_ms < $8
order by swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount, token.address
limit 1

-- name: swap-history/list_arbitrageurs
-- Wallets of which at least half of the transactions in some hours, and at least 3, bought and sold the same mint.
-- $1 integer[]: wallet ids; $2 $3 bigint: beginning of the first and of the last hour, Unix ms; $4 $5 bigint: the slots that
-- hold every swap of the hours. Index: swap_wallet, pool_pkey.
with by_transaction_mint as (
  select
    swap.wallet_id, swap.slot, swap.signature, bool_or(swap.is_buy) and bool_or(not swap.is_buy) as is_arbitrage
  from swap
  join pool on pool.id = swap.pool_id
  where swap.wallet_id = any ($1::integer[])
    and swap.slot between $4 and $5
    and swap.timestamp_ms between $2 and $3::bigint + 3599999
  group by swap.wallet_id, swap.slot, swap.signature, pool.token_id
),
by_transaction as (
  select wallet_id, bool_or(is_arbitrage) as is_arbitrage
  from by_transaction_mint
  group by wallet_id, slot, signature
)
select wallet_id
from by_transaction
group by wallet_id
having count(*) filter (where is_arbitrage) >= 3
  and 2 * count(*) filter (where is_arbitrage) >= count(*)

-- name: swap-history/list_miscounted
-- Positions that do not hold as many swaps as are stored. $1 integer[]: wallet ids; what sealed history has of them, pairwise:
-- $2 integer[] wallet id, $3 integer[] pool id, $4 bigint[] number of swaps; $5 bigint: the slot at which stored swaps begin, $6 bigint:
-- Unix ms: positions with an earlier swap are left out.
-- Indexes: swap_wallet; the primary keys of pool and position.
select coalesce(stored.wallet_id, position.wallet_id) as wallet_id,
  coalesce(stored.token_id, position.token_id) as token_id
from (
  select wallet_id, token_id, sum(swap_count)::bigint as swap_count
  from (
    select swap.wallet_id, pool.token_id, count(*) as swap_count
    from swap
    join pool on pool.id = swap.pool_id
    where swap.wallet_id = any ($1::integer[]) and swap.slot >= $5
    group by swap.wallet_id, pool.token_id
    union all
    select counted.wallet_id, pool.token_id, counted.swap_count
    from unnest($2::integer[], $3::integer[], $4::bigint[]) as counted (wallet_id, pool_id, swap_count)
    join pool on pool.id = counted.pool_id
  ) as of_both
  group by wallet_id, token_id
) as stored
full join (
  select wallet_id, token_id, swap_count, first_trade_ms
  from position
  where wallet_id = any ($1::integer[])
) as position
  on position.wallet_id = stored.wallet_id and position.token_id = stored.token_id
where stored.swap_count is distinct from position.swap_count and coalesce(position.first_trade_ms, $6) >= $6

-- name: swap-history/list_position_swaps
-- Stored swaps of positions from a slot on, whole slots, each position's in the order of slots.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] first slot (pairwise), $4 integer: about how
-- many of each. Result: ordinal of the position from 1, and the fields that the ledger folds.
-- Index: swap_wallet, or swap_pool where the wallet has more swaps from the slot on than the token has in all: of a bot
-- with thousands of tokens each position would scan all of its swaps. The + 0 leave one index to each.
select
  wanted.ordinal, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy,
  swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount, swap.timestamp_ms,
  swap.quote_decimals, swap.transfer_fee_in, swap.transfer_fee_out
from unnest($1::integer[], $2::integer[], $3::bigint[])
  with ordinality as wanted (wallet_id, token_id, first_slot, ordinal)
cross join lateral (
  select array_agg(id) as pool_ids, sum(swap_count)::bigint as swap_count
  from pool
  where token_id = wanted.token_id
) as traded
cross join lateral (
  select count(*) as swap_count
  from (
    select
    from swap
    where swap.wallet_id = wanted.wallet_id and swap.slot >= wanted.first_slot
    limit traded.swap_count + 1
  ) as seen
) as own
cross join lateral (
  (
    select *
    from swap
    where own.swap_count <= traded.swap_count
      and wallet_id = wanted.wallet_id
      and slot >= wanted.first_slot
      and pool_id + 0 = any (traded.pool_ids)
    order by slot
    fetch first $4 rows with ties
  )
  union all
  (
    select of_pool.*
    from unnest(traded.pool_ids) as traded_pool (id)
    cross join lateral (
      select *
      from swap
      where pool_id = traded_pool.id
        and slot >= wanted.first_slot
        and wallet_id + 0 = wanted.wallet_id
      order by slot
      fetch first $4 rows with ties
    ) as of_pool
    where own.swap_count > traded.swap_count
    order by of_pool.slot
    fetch first $4 rows with ties
  )
) as swap
join pool on pool.id = swap.pool_id
order by wanted.ordinal, swap.slot

-- name: swap-history/list_quantities
-- Holdings of a wallet by token at the ends of days, in whole tokens, by swap timestamp: a row for each
-- day that changed it and lasts into the range.
-- $1 integer: wallet id, $2 bigint, $3 bigint: first and last slot of its swaps, $4 bigint, $5
-- bigint: first and last day, Unix ms of their beginnings; $6 integer[]: token ids, null for all; $7 integer[], $8
-- smallint[]: tokens, and their decimals where they are not those of now (pairwise).
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
  select *, sum(quantity) over by_day as running, lead(day_ms) over by_day as next_day_ms
  from moved
  window by_day as (
    partition by token_id
    order by day_ms, slot, block_tx_index, ix_index, dex, is_buy desc, signature, pair_address,
      sol_amount, token_amount
    rows between unbounded preceding and current row
  )
),
folded as (
  select *, least(min(running) over by_day, 0) as least_running
  from summed
  window by_day as (
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
    10::double precision ^ coalesce(
      (
        select known.decimals
        from unnest($7::integer[], $8::smallint[]) as known (token_id, decimals)
        where known.token_id = day_end.token_id
      ),
      (select newest.decimals from mint_decimals(day_end.token_id) as newest)
    )
  ) as quantity,
  first_ms
from day_end
where until_ms > $4
order by token_id, from_ms

-- name: swap-history/count_swaps_of_runs
-- Counts of swaps by runs of wallets. $1 integer: ids of a run. Reads all chunks.
select wallet_id / $1::integer as run, count(*) as swaps from swap group by 1

-- name: swap-history/list_swaps_of_wallets
-- All swaps of wallets. $1 integer, $2 integer: first and last id. Unordered. Index: swap_wallet.
select
  wallet_id, slot, block_tx_index, ix_index, dex, is_buy, signature, pool_id, sol_amount, token_amount, timestamp_ms,
  quote_decimals, transfer_fee_in, transfer_fee_out
from swap
where wallet_id between $1 and $2

-- name: swap-history/merge_transactions
-- Counts the transactions of hours in leaderboard_judged from the swaps, where a wallet's kind hangs on
-- them and they are not known. Pairwise, null for all: $1 integer[] wallet id, $2 bigint[] hours, Unix ms. Index: wallet_transactions_pkey, slot_span_pkey, swap_wallet: an hour's
-- slots by runs of 10,000.
with {+uncounted_hours}
insert into wallet_transactions
select unknown.wallet_id, unknown.hour_ms, transactions_most, arbitrages_most,
  counted.transactions, counted.arbitrages
from unknown
join slots on slots.hour_ms = unknown.hour_ms
cross join lateral (
  select count(*) as transactions, count(*) filter (where is_arbitrage) as arbitrages
  from (
    select bool_or(is_arbitrage) as is_arbitrage
    from (
      select slot, signature, bool_or(is_buy) and bool_or(not is_buy) as is_arbitrage
      from swap
      join pool on pool.id = swap.pool_id
      where swap.wallet_id = unknown.wallet_id
        and swap.slot between slots.low_slot and slots.high_slot
        and swap.timestamp_ms between unknown.hour_ms and unknown.hour_ms + 3599999
      group by slot, signature, pool.token_id
    ) as of_mint
    group by slot, signature
  ) as of_transaction
) as counted
where $1::integer[] is null
  or (unknown.wallet_id, unknown.hour_ms) in (select * from unnest($1::integer[], $2::bigint[]))
on conflict (wallet_id, hour_ms) do update set
  transaction_sum = excluded.transaction_sum, arbitrage_sum = excluded.arbitrage_sum,
  transaction_count = excluded.transaction_count, arbitrage_count = excluded.arbitrage_count

-- name: swap-history/open_wallet_swaps
-- Begins to read a wallet's swaps, oldest first: a cursor of the transaction, read by fetch_wallet_swaps.
-- $1 integer: wallet id, $2 bigint, $3 bigint: first and last slot; null for any: $4 integer[]: token ids,
-- $5 smallint: dex. Order: slot, block_tx_index, ix_index, dex; ties are the caller's to order.
-- Index: swap_wallet. The bounds are on rows that begin with the id, as in swap-history/list_wallet_swaps_asc.
declare wallet_swaps no scroll cursor for
select
  pool.token_id, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy,
  swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount, swap.timestamp_ms,
  swap.quote_decimals, swap.transfer_fee_in, swap.transfer_fee_out
from swap
join pool on pool.id = swap.pool_id
where (swap.wallet_id, swap.slot) >= ($1::integer, $2::bigint)
  and (swap.wallet_id, swap.slot) <= ($1::integer, $3::bigint)
  and swap.slot between $2 and $3
  and ($4::integer[] is null or pool.token_id = any ($4))
  and ($5::smallint is null or swap.dex = $5)
order by swap.wallet_id, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex
