-- name: tokens/read_origins
-- How a mint began: its first pool with the event of its creation, its canonically first migration, and how many mints
-- its creator created. One row; columns without a value are null.
-- $1 integer: token id; $2 text: the creator, or null. Index: pool_token, pool_event_birth, those of token_birth()
-- and created_tokens().
select
  created.mint_count,
  birth.pair_address as first_pair, birth.dex as first_dex, birth.timestamp_ms as created_ms,
  birth.slot as created_slot, birth.signature as created_signature,
  migration.*
from (select count(*)::integer as mint_count from created_tokens($2)) as created
left join token_birth($1) as birth on true
left join (
  select
    pool.pair_address as migrated_pair, pool_event.dex as migrated_dex, pool_event.from_pair as migrated_from,
    pool_event.timestamp_ms as migrated_ms, pool_event.slot as migrated_slot,
    pool_event.signature as migrated_signature
  from pool
  join pool_event on pool_event.pool_id = pool.id
  where pool.token_id = $1 and pool_event.event = 'migrated'
  order by
    pool_event.slot, pool_event.block_tx_index, pool_event.ix_index, pool_event.dex, pool_event.signature,
    pool.pair_address
  limit 1
) as migration on true

-- name: tokens/read_profile
-- Profile of a mint in one statement: its token lines, and decimals by its newest swap, before the first the line's,
-- with the values of the line that contradict the profile; its market: the price and the pool that sets it, that pool's
-- highest price ever, first and last price of 24 hours (as in movers), how many pools traded; its distribution over
-- holders, by the ledger: their number, their sum, the largest and the ten largest of them, and the sum of their squares,
-- exact (null without a holder); its creator and the creating event, as in tags/list_creations, and the
-- creator's position, null where it never traded the mint; the slots that hold every swap of the mint's first day, as
-- in swaps/find_slot_range: 28 hours from the beginning of the four in which it first traded.
-- $1 text: address; no row for an unknown one. The pool is looked up by a subquery: a join would hash all pools for the
-- thousand rows that the planner assumes of a function. A row of positions that begins with the wallet: written as
-- token_id = y, the planner may scan all holders of a mint.
-- Indexes: token_address_key, pool_token, pool_pkey, candle_4h_pkey, position_token, the primary key of position,
-- wallet_address_key, slot_span_pkey, those of token_prices(), token_windows(), token_birth() and
-- mint_decimals().
select
  token.id, token.symbol, token.name, coalesce(counted.decimals, token.decimals) as decimals, token.supply,
  token.decimals as line_decimals, counted.decimals as swap_decimals,
  nullif(token.sector, '') as sector, nullif(token.uri, '') as uri,
  case when token.image_of = token.uri then token.image end as image,
  priced.price,
  priced.price_ms,
  sol_usd() as sol_usd,
  newest_swap_ms() as newest_ms,
  top.pair_address as top_pair,
  top.dex,
  top.last_sol_reserves,
  top.migrated_at_ms,
  top.last_virtual_quote_reserves,
  (select max(high) from candle_4h where pool_id = top.id) as peak,
  day.open as day_open,
  day.close as day_close,
  pools.pool_count,
  spread.*,
  creation.*,
  stake.*,
  days.low_slot,
  days.high_slot
from token
cross join lateral (
  select count(birth.bucket_ms)::integer as pool_count, min(birth.bucket_ms) as born_ms
  from pool
  cross join lateral (
    select bucket_ms from candle_4h where pool_id = pool.id order by bucket_ms limit 1
  ) as birth
  where pool.token_id = token.id
) as pools
left join token_prices(array[token.id]) as priced on true
cross join lateral (
  select coalesce(
    priced.decimals, (select newest.decimals from mint_decimals(token.id) as newest)
  ) as decimals
) as counted
left join lateral (select * from pool where pool.id = priced.pool_id limit 1) as top on true
left join token_windows(array[token.id], array[1440]) as day on true
cross join lateral (
  with held as materialized (
    select balance from position where token_id = token.id and balance > 0
  )
  select
    count(*)::integer as holder_count,
    coalesce(sum(balance), 0) as held,
    coalesce(max(balance), 0) as top1,
    coalesce(
      (select sum(balance) from (select balance from held order by balance desc limit 10) as largest), 0
    ) as top10,
    sum(balance * balance) as squares
  from held
) as spread
cross join lateral (
  select
    coalesce(token.creator, birth.creator) as creator,
    birth.slot as creation_slot,
    birth.signature as creation_signature,
    token.creator as line_creator,
    birth.creator as event_creator
  from (select) as one
  left join token_birth(token.id) as birth on true
) as creation
left join lateral (
  select
    position.balance as creator_balance, counted.decimals as creator_decimals,
    position.buys_lamports as creator_buys_lamports, position.sells_lamports as creator_sells_lamports
  from wallet
  join position
    on (position.wallet_id, position.token_id) >= (wallet.id, token.id)
      and (position.wallet_id, position.token_id) <= (wallet.id, token.id)
  where wallet.address = creation.creator
) as stake on true
left join lateral (
  with coarse as (
    select min(bucket) as low, max(bucket) as high
    from slot_span
    where width = 10000 and last_ms >= pools.born_ms and first_ms < pools.born_ms + 100800000
  )
  select
    coalesce(
      (
        select min(bucket)
        from slot_span
        where width = 100
          and bucket between coarse.low and coarse.low + 9999
          and last_ms >= pools.born_ms and first_ms < pools.born_ms + 100800000
      ),
      coarse.low
    ) as low_slot,
    coalesce(
      (
        select max(bucket) + least(99, 9007199254740991 - max(bucket))
        from slot_span
        where width = 100
          and bucket between coarse.high and coarse.high + 9999
          and last_ms >= pools.born_ms and first_ms < pools.born_ms + 100800000
      ),
      coarse.high + least(9999, 9007199254740991 - coarse.high)
    ) as high_slot
  from coarse
  where coarse.low is not null
) as days on true
where token.address = $1
  and {+known_token}
