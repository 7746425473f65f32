-- name: swaps/find_pools
-- Pools of a pair account, of a mint, or of both, with the slots of their first and their newest swap, and the first and
-- last slot that swaps of any pool may have, as in swaps/read_slot_bounds.
-- $1 text: pair address, $2 text: mint; null for any, never both.
-- Index: pool_pair_address_token_id_key or pool_token, each read only where it is requested; slot_span_pkey, both ends.
select own.id, own.first_slot, own.last_slot, bounds.low_slot, bounds.high_slot
from (
  select id, first_slot, last_slot
  from pool
  where pair_address = $1
    and ($2::text is null or token_id = (select id from token where address = $2))
  union all
  select id, first_slot, last_slot
  from pool
  where $1::text is null and token_id = (select id from token where address = $2)
) as own
cross join (
  select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from slot_span
  where width = 10000
) as bounds

-- name: swaps/find_slot_range
-- The slots that hold every swap of a window of time; no row without any.
-- $1 bigint, $2 bigint: first and last Unix ms. Index: slot_span_pkey.
-- Coarse by runs of 10,000 slots, then the two edges by runs of 100 slots within them. A bucket is
-- the first slot of its run.
with coarse as (
  select min(bucket) as low, max(bucket) as high
  from slot_span
  where width = 10000 and last_ms >= $1 and first_ms <= $2
)
select
  coalesce(
    (
      select min(bucket)
      from slot_span
      where width = 100
        and bucket between coarse.low and coarse.low + 9999
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.low
  ) as low_slot,
  coalesce(
    (
      select max(bucket) + least(99, 9007199254740991 - max(bucket))
      from slot_span
      where width = 100
        and bucket between coarse.high and coarse.high + 9999
        and last_ms >= $1 and first_ms <= $2
    ),
    coarse.high + least(9999, 9007199254740991 - coarse.high)
  ) as high_slot
from coarse
where coarse.low is not null

-- name: swaps/find_trader
-- The id of a wallet that ever traded, and the first and last slot that swaps of any wallet may have, as in
-- swaps/read_slot_bounds.
-- $1 text: address. Index: wallet_address_key; slot_span_pkey, both ends.
select wallet.id, bounds.low_slot, bounds.high_slot
from wallet
cross join (
  select min(bucket) as low_slot, max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
  from slot_span
  where width = 10000
) as bounds
where wallet.address = $1

-- name: swaps/find_venue_run
-- The {end} run of 10,000 slots in which a venue may have traded: at the time of its swaps there is volume of
-- the venue. No row: these slots hold no swap of it.
-- $1 smallint: venue, $2 bigint, $3 bigint: first and last slot to look at.
-- Index: slot_span_pkey, venue_volume_pkey. A bucket is the first slot of its run.
-- variant asc: end = first; order = asc
-- variant desc: end = last; order = desc
select bucket as low_slot, bucket + least(9999, 9007199254740991 - bucket) as high_slot
from slot_span
where width = 10000
  and bucket between $2::bigint - 9999 and $3
  and exists (
    select
    from venue_volume as traded
    where traded.width = 900000
      and traded.bucket_ms between slot_span.first_ms / 900000 * 900000 and slot_span.last_ms
      and traded.dex = $1
  )
order by bucket {order}
limit 1

-- name: swaps/find_wallet
-- The id of a wallet that ever traded.
-- $1 text: address. Index: wallet_address_key.
select id from wallet where address = $1

-- name: swaps/list_mint_pools
-- The busiest pools of a mint, for a caller that sent the mint instead of a pool. No row: no mint.
-- $1 text: address, $2 integer: rows, $3 bigint: last slot by which the mint and its pools are known; null: now. Index:
-- token_address_key, pool_token, pool_event_pool.
select p.pair_address
from token t
left join pool p on p.token_id = t.id and (
  $3::bigint is null or p.first_slot <= $3
  or exists (select from pool_event where pool_event.pool_id = p.id and pool_event.slot <= $3)
)
where t.address = $1 and (
  $3::bigint is null or p.id is not null or not exists (select from pool where pool.token_id = t.id)
  or coalesce(t.creator, t.sector, t.symbol, t.name, t.uri) is not null and coalesce(
    least(t.creator_slot, t.sector_slot, t.symbol_slot, t.name_slot, t.uri_slot), 0
  ) between 0 and $3
)
order by p.swap_count desc nulls last, p.pair_address
limit $2

-- name: swaps/read_slot_bounds
-- The first and last slot that swaps may have, in steps of 10,000; null before the first swap.
-- Index: slot_span_pkey, both ends. A bucket is the first slot of its run; no slot exceeds 2^53 - 1, beyond which
-- JavaScript's numbers are not exact.
select
  min(bucket) as low_slot,
  max(bucket) + least(9999, 9007199254740991 - max(bucket)) as high_slot
from slot_span
where width = 10000
