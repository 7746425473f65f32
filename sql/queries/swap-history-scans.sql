-- name: swap-history/close_exported
-- Closes the cursor of swaps that were exported, and with it the files of its sort.
-- variant swaps: cursor = exported_swaps
-- variant lots: cursor = exported_lots
close {cursor}

-- name: swap-history/close_token_trades
-- Closes the cursor of open_token_trades, so that it may be opened again.
close token_trades

-- name: swap-history/close_venue_volumes
-- Closes the cursor of open_venue_volumes, so that it may be opened again.
close venue_volumes

-- name: swap-history/compare_market_traders
-- Traders of each minute and each hour, as stored and by the swaps: mixed wallets, ascending,
-- the least so many of a bucket. $1 bigint: the first hour, Unix ms; $2 integer: wallets a bucket.
-- Indexes: slot_span_pkey, swap_order, market_trader_pkey.
with recomputed as (
  select distinct
    is_hour, swap.timestamp_ms / width * width as bucket_ms, mixed_wallet(swap.wallet_id) as wallet
  from swap
  cross join (values (false, 60000), (true, 3600000)) as bucket (is_hour, width)
  where swap.slot >= (select min(bucket) from slot_span where width = 10000 and last_ms >= $1)
    and swap.timestamp_ms >= $1
),
folded as (
  select is_hour, bucket_ms, array_agg(wallet order by wallet) as wallets
  from (
    select recomputed.*, row_number() over (partition by is_hour, bucket_ms order by wallet) as ordinal
    from recomputed
  ) as placed
  where ordinal <= $2
  group by is_hour, bucket_ms
),
stored as (
  select is_hour, bucket_ms, array_agg(wallet order by wallet) as wallets
  from (
    select
      market_trader.*,
      row_number() over (partition by is_hour, bucket_ms order by wallet) as ordinal
    from market_trader
    where bucket_ms >= $1
  ) as placed
  where ordinal <= $2
  group by is_hour, bucket_ms
)
select is_hour, bucket_ms, stored.wallets as stored, folded.wallets as folded
from stored
full join folded using (is_hour, bucket_ms)

-- name: swap-history/count_doubled
-- How many identities of swaps of some pools are stored more than once. $1 integer[]: pool ids; of their swaps those of one part,
-- by the end of the signature: $2 integer: parts, $3 integer: number of the part, from 0 on. Index: swap_pool.
select count(*)::integer as doubled
from (
  select
  from swap
  where pool_id = any ($1::integer[])
    and (ascii(right(signature, 1)) + 64 * ascii(right(signature, 2))) % $2::integer = $3::integer
  group by signature, dex, ix_index, pool_id, wallet_id, is_buy, sol_amount, token_amount
  having count(*) > 1
) as doubled

-- name: swap-history/count_swaps
-- How many swaps are stored from a slot on, and how many identities are stored more than once. $1 bigint: slot.
select
  (select count(*) from swap where slot >= $1) as swaps,
  (
    select count(*)
    from (
      select
      from swap
      group by signature, dex, ix_index, pool_id, wallet_id, is_buy, sol_amount, token_amount
      having count(*) > 1
    ) as doubled
  ) as doubled

-- name: swap-history/fetch_exported
-- The next rows of a cursor of swaps that are exported; none at the end. A cursor each, because a prepared statement
-- returns the same columns whenever it runs.
-- variant swaps: cursor = exported_swaps
-- variant lots: cursor = exported_lots
fetch forward 5000 from {cursor}

-- name: swap-history/fetch_token_trades
-- The next rows of open_token_trades; none at the end.
fetch forward 20000 from token_trades

-- name: swap-history/fetch_venue_volumes
-- The next rows of open_venue_volumes; none at the end.
fetch forward 5000 from venue_volumes

-- name: swap-history/list_dangling
-- Ids that rows reference although the table of ids lacks them: how many of each kind, and one of them.
-- Result: a row for each kind that occurs. Reads every swap and position once, by index where there is one.
select kind, count(*) as ids, min(id) as example
from (
  select 'swap.wallet_id' as kind, used.id
  from (select distinct wallet_id as id from swap) as used
  where not exists (select from wallet where wallet.id = used.id)
  union all
  select 'swap.pool_id', used.id
  from (select distinct pool_id as id from swap) as used
  where not exists (select from pool where pool.id = used.id)
  union all
  select 'position.wallet_id', used.id
  from (select distinct wallet_id as id from position) as used
  where not exists (select from wallet where wallet.id = used.id)
  union all
  select 'position.token_id', used.id
  from (select distinct token_id as id from position) as used
  where not exists (select from token where token.id = used.id)
) as dangling
group by kind
order by kind

-- name: swap-history/list_missing_ids
-- Ids without a row that no swap of the table names. $1 integer[]: wallet ids, $2 integer[]: pool ids. Index: wallet_pkey, pool_pkey,
-- swap_wallet, swap_pool.
select 'swap.wallet_id' as kind, used.id
from unnest($1::integer[]) as used (id)
where not exists (select from wallet where wallet.id = used.id)
  and not exists (select from swap where swap.wallet_id = used.id)
union all
select 'swap.pool_id', used.id
from unnest($2::integer[]) as used (id)
where not exists (select from pool where pool.id = used.id)
  and not exists (select from swap where swap.pool_id = used.id)

-- name: swap-history/open_exported_lots
-- Begins to read the swaps of positions that hold a balance, up to the slot that the ledger has read, each position in canonical
-- order, with how many swaps the position holds and what it states of the newest of them: a cursor of the transaction, read by
-- fetch_exported. Sorts them by wallet, mint and that order. Pairwise, null for all: $1 integer[] wallet id, $2 integer[] token id;
-- $3 $4 bigint: first and last slot.
declare exported_lots no scroll cursor for
select
  wallet.address as wallet, token.address as mint, pool.token_id, swap.slot, swap.block_tx_index, swap.ix_index,
  swap.dex, swap.is_buy, swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount,
  swap.timestamp_ms, swap.quote_decimals, swap.transfer_fee_in, swap.transfer_fee_out,
  position.swap_count, position.last_slot, position.last_ix_index, position.last_dex, position.last_is_buy,
  position.last_sol_amount, position.last_token_amount
from position
join wallet on wallet.id = position.wallet_id
join token on token.id = position.token_id
join pool on pool.token_id = position.token_id
join swap on swap.pool_id = pool.id and swap.wallet_id = position.wallet_id
where position.balance > 0 and swap.slot <= position.last_slot
  and swap.slot between $3 and $4
  and (
    $1::integer[] is null
    or (position.wallet_id, position.token_id) in (select * from unnest($1::integer[], $2::integer[]))
  )
order by
  wallet.address, token.address, swap.slot, swap.block_tx_index, swap.ix_index, swap.dex, swap.is_buy desc,
  swap.signature, pool.pair_address, swap.sol_amount, swap.token_amount

-- name: swap-history/open_exported_swaps
-- Begins to read swaps by the interface's names in canonical order: a cursor of the transaction, read by fetch_exported.
-- $1 $2 bigint: first and last slot, which hold all swaps of the times; $3 $4 bigint: first and last timestamp_ms.
-- The order is that of compareSwaps() in domain/events/swap.ts. Index: swap_order, a sort of the ties within it.
declare exported_swaps no scroll cursor for
select
  {+served_swap_columns},
  p.pair_address
from swap s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id
where s.slot between $1 and $2 and s.timestamp_ms between $3 and $4
order by
  s.slot, s.block_tx_index, s.ix_index, s.dex, s.is_buy desc, s.signature, p.pair_address, w.address,
  s.sol_amount, s.token_amount

-- name: swap-history/open_token_trades
-- Begins to read all stored swaps of tokens: a cursor of the transaction, read by fetch_token_trades, as one token may
-- have more of them than fit into memory. $1 $2 integer: from the first to before the second; $3 $4 bigint: Unix ms from the first to
-- before the second. Hour by hour, so that no more than one is held. Indexes: pool_token, swap_pool.
declare token_trades no scroll cursor for
select
  pool.token_id, swap.timestamp_ms, swap.is_buy, swap.wallet_id,
  swap.timestamp_ms / 3600000 * 3600000 as hour_ms
from pool
join swap on swap.pool_id = pool.id
where pool.token_id >= $1 and pool.token_id < $2 and swap.timestamp_ms >= $3 and swap.timestamp_ms < $4
order by hour_ms

-- name: swap-history/open_venue_volumes
-- Opens the volumes of venues by minute and quarter, as stored over all lanes and as computed from the swaps: a cursor
-- of the transaction, read by fetch_venue_volumes, as years have millions of minutes. In the order of the table's key.
-- $1 integer: ms of the buckets, null for both widths; $2 $3 bigint: Unix ms from the first to before the second, whole quarters; what
-- sealed swaps add, pairwise: $4 bigint[] bucket_ms, $5 smallint[] dex, $6 bigint[] trades, $7 numeric[] lamports, of that width.
-- Reads all of swap, once. Index: none.
declare venue_volumes no scroll cursor for
select
  width, bucket_ms, dex, stored.trade_count || ' ' || stored.volume_lamports as stored,
  folded.trade_count || ' ' || folded.volume_lamports as folded
from (
  select width, bucket_ms, dex, sum(trade_count) as trade_count, sum(volume_lamports) as volume_lamports
  from venue_volume
  where ($1::integer is null or width = $1) and bucket_ms >= $2 and bucket_ms < $3
  group by width, bucket_ms, dex
) as stored
full join (
  select width, bucket_ms, dex, sum(trade_count)::bigint as trade_count, sum(volume_lamports) as volume_lamports
  from (
    select
      case when grouping(minute_ms) = 0 then 60000 else 900000 end as width,
      case when grouping(minute_ms) = 0 then minute_ms else quarter_ms end as bucket_ms, dex,
      count(*) as trade_count, sum(sol_amount) as volume_lamports
    from (
      select
        timestamp_ms / 60000 * 60000 as minute_ms, timestamp_ms / 900000 * 900000 as quarter_ms, dex, sol_amount
      from swap
      where timestamp_ms >= $2 and timestamp_ms < $3
    ) as traded
    group by grouping sets ((minute_ms, dex), (quarter_ms, dex))
    union all
    select $1::integer, bucket_ms, dex, trade_count, volume_lamports
    from unnest($4::bigint[], $5::smallint[], $6::bigint[], $7::numeric[])
      as added (bucket_ms, dex, trade_count, volume_lamports)
  ) as of_both
  where $1::integer is null or width = $1
  group by width, bucket_ms, dex
) as folded using (width, bucket_ms, dex)
order by width, bucket_ms, dex

-- name: swap-history/sum_swaps
-- How many swaps a range of time has, and a sum of hashes of their rows, which any change of a row changes.
-- $1 $2 bigint: first and last slot, which hold all swaps of the times; $3 $4 bigint: first and last timestamp_ms.
-- Index: swap_order, or a scan of the chunks.
select count(*) as swaps, coalesce(sum(hash_record_extended(s, 0)::numeric), 0)::text as content_hash
from swap s
where s.slot between $1 and $2 and s.timestamp_ms between $3 and $4
