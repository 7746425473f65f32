-- name: chart/choose_plan
-- Until the end of the transaction: whether plans are made for the values of each call, or cached for all values; sorts
-- may use 64 MB, and chunks are not excluded pool by pool: that takes longer than a probe of their indexes.
-- $1 text: force_custom_plan, force_generic_plan.
select
  set_config('plan_cache_mode', $1::text, true) as plans,
  set_config('work_mem', '64MB', true) as memory,
  set_config('timescaledb.enable_runtime_exclusion', 'off', true) as exclusion

-- name: chart/count_changes
-- Changes of swaps up to the end of each day of a span, by which its value is known to be that of the present swaps; null on every day
-- where pools of one of the tokens state different decimals: a later swap decides which count.
-- $1 bigint, $2 bigint: first and last day, Unix ms of their beginnings; $3 integer[]: tokens held in the span.
-- Index: the primary key of swap_day, which has few rows a day, and pool_token.
select
  wanted.day_ms,
  case
    when not exists (
      select
      from pool
      where pool.token_id = any ($3::integer[])
      group by pool.token_id
      having min(pool.last_quote_decimals) < max(pool.last_quote_decimals)
    ) then (sum(coalesce(changed.change_count, 0)) over (order by wanted.day_ms))::bigint
  end as change_count
from generate_series($1::bigint, $2::bigint, 86400000) as wanted (day_ms)
left join (
  select greatest(day_ms, $1::bigint) as day_ms, sum(change_count) as change_count
  from swap_day
  where day_ms <= $2::bigint
  group by 1
) as changed on changed.day_ms = wanted.day_ms
order by wanted.day_ms

-- name: chart/find_history
-- A wallet that ever traded: the time of its first trade (or its first stored day, or an hour of a day before in which
-- it traded: the first trade of a position is that by slot) and of the newest indexed swap of all, Unix ms; first and
-- last slot of its swaps, as far as the ledger has read; US dollars a SOL.
-- $1 text: address. No row: the ledger has read no swap of it. Index: wallet_address_key, the primary keys of position,
-- position_hour and chart_day, slot_span_pkey. A time lies in few runs of slots, the first of which does not begin
-- after its swap.
select
  traded.id,
  least(
    traded.first_ms,
    (select min(day_ms) from chart_day where wallet_id = traded.id),
    (
      select min(hour_ms)
      from position_hour
      where wallet_id = traded.id and hour_ms < traded.first_ms / 86400000 * 86400000
    )
  ) as first_ms,
  traded.high_slot,
  (
    select min(bucket)
    from slot_span
    where width = 10000 and last_ms >= traded.first_ms and first_ms <= traded.last_ms
  ) as low_slot,
  newest_swap_ms() as newest_ms,
  sol_usd() as sol_usd
from (
  select
    wallet.id,
    min(position.first_trade_ms) as first_ms,
    max(position.first_trade_ms) as last_ms,
    max(position.last_slot) as high_slot
  from wallet
  join position on position.wallet_id = wallet.id
  where wallet.address = $1
  group by wallet.id
) as traded

-- name: chart/find_rate
-- US dollars a SOL; null before any is known.
select sol_usd() as sol_usd

-- name: chart/find_start
-- The beginning of a wallet's positions that no swap after a slot changed: the least time of their first trades, and the first of
-- their hours of a day before, Unix ms, null without any; swaps of all its positions. $1 integer: wallet id, $2 bigint: slot, $3
-- integer[]: tokens of the others. Index: position_pkey, position_hour_pkey of the chunks of these days.
select
  first_ms,
  (
    select min(hour_ms)
    from position_hour
    where wallet_id = $1 and hour_ms < first_ms / 86400000 * 86400000 and token_id <> all ($3::integer[])
  ) as hour_ms,
  swap_count
from (
  select
    min(first_trade_ms) filter (where last_slot <= $2::bigint) as first_ms,
    coalesce(sum(swap_count), 0)::bigint as swap_count
  from position
  where wallet_id = $1
) as traded

-- name: chart/insert_days
-- Closed days of a wallet. The value of a day that is stored already is not changed; that of the present swaps is stored alongside it.
-- $1 integer: wallet id, $2 bigint[], $3 double precision[], $4 bigint[]: day_ms, value_sol, change_count of chart/count_changes
-- (pairwise).
insert into chart_day (wallet_id, day_ms, value_sol, change_count)
select $1, closed.day_ms, closed.value_sol, closed.change_count
from unnest($2::bigint[], $3::double precision[], $4::bigint[]) as closed (day_ms, value_sol, change_count)
on conflict (wallet_id, day_ms) do update set
  folded_sol = excluded.value_sol, change_count = excluded.change_count
where excluded.change_count > coalesce(chart_day.change_count, -1)

-- name: chart/list_balances
-- Holdings of a wallet by token by the ledger, in whole tokens, and whether it held that at the end of a day and ever
-- since: where all its trades are of that day, no later than the last requested one, their order by days is that of the
-- ledger.
-- $1 integer: wallet id, $2 bigint: last day, Unix ms of its beginning.
-- Result: as of list_quantities, by token; `is_whole` false: the caller must fold the token's swaps. Tokens with a
-- holding of 0 by then are left out. Index: the primary keys of position and position_hour, that of mint_decimals().
select token_id, from_ms, $2::bigint + 86400000 as until_ms, quantity, is_whole
from (
  select
    position.token_id,
    position.balance,
    position.balance::double precision / (
      10::double precision ^ (select newest.decimals from mint_decimals(position.token_id) as newest)
    ) as quantity,
    traded.first_ms / 86400000 * 86400000 as from_ms,
    coalesce(
      traded.first_ms / 86400000 = traded.last_ms / 86400000
        and traded.last_ms < $2::bigint + 86400000,
      false
    ) as is_whole
  from position
  -- By the hours: the first and the last trade of a position are those by slot.
  left join (
    select token_id, min(hour_ms) as first_ms, max(hour_ms) as last_ms
    from position_hour
    where wallet_id = $1
    group by token_id
  ) as traded on traded.token_id = position.token_id
  where position.wallet_id = $1
) as own
where balance > 0 or not is_whole
order by token_id

-- name: chart/list_changed_tokens
-- Tokens of a wallet's positions of which a pool has a swap after a slot, whose decimals may be of later (`is_later`), and those of which
-- pools state different decimals; `decimals`: of all pools, null where these differ.
-- $1 integer: wallet id, $2 bigint: slot. Index: position_pkey, pool_token.
select
  token_id, pools.is_later,
  case when pools.least = pools.greatest then pools.least end as decimals
from position
cross join lateral (
  select
    coalesce(max(pool.last_slot) > $2::bigint, false) as is_later,
    min(pool.last_quote_decimals) as least, max(pool.last_quote_decimals) as greatest
  from pool
  where pool.token_id = position.token_id
) as pools
where wallet_id = $1 and (pools.is_later or pools.least < pools.greatest)

-- name: chart/list_closes
-- Closes of tokens' top pools: a row for each day on which a pool of the token traded that ever had a price,
-- and one for the time before the range, where its first day has no price of the pool.
-- $1 integer[]: token ids, $2 bigint[], $3 bigint[]: first day of each and the day after its last, Unix ms
-- (pairwise).
-- Result: token_id, day_ms, close (at the end of that day: of the pool with the largest volume of the day;
-- more trades, lower address), carried_close (on days of the range after it without a trade: of the pool that
-- traded last, by the minute, and within it in canonical order), SOL per whole token; by token and day.
-- Index: pool_token, the primary keys of candle_4h and candle_1m, swap_pool. Candles are looked up for all pools of a
-- range at once, one range after the other (offset 0; a token is requested once), and of a day on which one pool
-- traded, as on most, no volumes are compared; swaps are read where pools traded last in one minute and one slot.
with wanted as materialized (
  select requested.*, pool.id as pool_id, pool.pair_address
  from unnest($1::integer[], $2::bigint[], $3::bigint[]) as requested (token_id, from_ms, until_ms)
  -- A pool without a swap has none; as of a slot others have none yet.
  join pool on pool.token_id = requested.token_id and pool.first_slot is not null
),
traded as materialized (
  select
    candle.pool_id,
    candle.bucket_ms / 86400000 * 86400000 as day_ms,
    sum(candle.volume_lamports) as volume_lamports,
    sum(candle.trade_count) as trade_count,
    max(candle.bucket_ms) as last_bucket_ms,
    last(candle.close, candle.bucket_ms) filter (where candle.close is not null) as close
  from (select from_ms, until_ms, array_agg(pool_id) as pool_ids from wanted group by from_ms, until_ms) as span
  cross join lateral (
    select pool_id, bucket_ms, volume_lamports, trade_count, close
    from candle_4h
    where candle_4h.pool_id = any (span.pool_ids)
      and bucket_ms >= span.from_ms
      and bucket_ms < span.until_ms
    offset 0
  ) as candle
  group by candle.pool_id, candle.bucket_ms / 86400000
),
pool_day as (
  select * from traded
  union all
  select
    wanted.pool_id, before.bucket_ms / 86400000 * 86400000, 0, 0, before.bucket_ms, priced.close
  from wanted
  cross join lateral (
    select bucket_ms
    from candle_4h
    where candle_4h.pool_id = wanted.pool_id and bucket_ms < wanted.from_ms
    order by bucket_ms desc
    limit 1
  ) as before
  left join lateral (
    select close
    from candle_4h
    where candle_4h.pool_id = wanted.pool_id and bucket_ms < wanted.from_ms and close is not null
    order by bucket_ms desc
    limit 1
  ) as priced on true
  where (wanted.pool_id, wanted.from_ms) not in (select pool_id, day_ms from traded where close is not null)
),
placed as materialized (
  select
    *,
    first_value(day_ms) over (
      partition by token_id order by day_ms
      range between 86400000 following and unbounded following
    ) as next_day_ms,
    count(*) over (partition by token_id, day_ms) as pool_count
  from (
    select
      pool_day.*,
      wanted.token_id,
      wanted.until_ms,
      wanted.pair_address,
      last(close, day_ms) filter (where close is not null)
        over (partition by pool_day.pool_id order by day_ms) as known_close
    from pool_day
    join wanted on wanted.pool_id = pool_day.pool_id
  ) as known
  where known_close is not null
)
select token_id, day_ms, known_close as close, known_close as carried_close
from placed
where pool_count = 1
union all
select
  token_id,
  day_ms,
  (array_agg(known_close order by volume_lamports desc, trade_count desc, pair_address))[1],
  (array_agg(
    known_close order by minute_ms desc nulls last, minute_slot desc, swap_position desc, pair_address desc
  ))[1]
from (
  select
    *,
    case
      when minute_ms is not null and tied_count > 1 then last_place(pool_id, minute_slot, minute_ms)
    end as swap_position
  from (
    select
      placed.*,
      minute.bucket_ms as minute_ms,
      minute.last_slot as minute_slot,
      count(*) over (
        partition by placed.token_id, placed.day_ms, minute.bucket_ms, minute.last_slot
      ) as tied_count
    from placed
    left join lateral (
      select bucket_ms, last_slot
      from candle_1m
      where candle_1m.pool_id = placed.pool_id
        and bucket_ms between last_bucket_ms and last_bucket_ms + 14399999
        -- Here, not next to the join: so that no minute is looked up where the next day has a trade.
        and until_ms > day_ms + 86400000
        and next_day_ms is distinct from day_ms + 86400000
      order by bucket_ms desc
      limit 1
    ) as minute on true
    where pool_count > 1
  ) as dated
) as exact
group by token_id, day_ms
order by token_id, day_ms

-- name: chart/list_current_days
-- Stored days of a wallet whose value is that of the present swaps: no swap of the day or an earlier one came or went since it was
-- computed. Ascending.
-- $1 integer: wallet id, $2 bigint, $3 bigint: first and last day, Unix ms of their beginnings.
-- Index: the primary keys of chart_day and swap_day, which has few rows a day.
select day_ms, value_sol
from (
  select
    day_ms, coalesce(stored.folded_sol, stored.value_sol) as value_sol, stored.change_count,
    sum(coalesce(changed.change_count, 0)) over (order by day_ms) as present_count
  from (
    select greatest(day_ms, $2::bigint) as day_ms, sum(change_count) as change_count
    from swap_day
    where day_ms <= $3::bigint
    group by 1
  ) as changed
  full join (
    select day_ms, value_sol, folded_sol, change_count
    from chart_day
    where wallet_id = $1 and day_ms between $2::bigint and $3::bigint
  ) as stored using (day_ms)
) as counted
where change_count = present_count
order by day_ms

-- name: chart/list_days
-- Stored days of a wallet, ascending.
-- $1 integer: wallet id, $2 bigint, $3 bigint: first and last day, Unix ms of their beginnings.
-- Index: the primary key of chart_day.
select day_ms, value_sol
from chart_day
where wallet_id = $1 and day_ms between $2 and $3
order by day_ms
