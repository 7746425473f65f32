-- name: feed/list_candle_pools
-- The pools whose candles are requested, by the rules of REST: of each pair account the busiest of its mints (ties
-- by mint), of each mint its top pool. $1 text[]: pair addresses, $2 text[]: mints. `wanted`: the one of them. Looked up as in
-- tokens/read_profile.
-- Indexes: pool_pair_address_token_id_key, token_pkey, those of token_prices().
select wanted, is_token, pool_id, pair_address, token_address, newest_ms
from (
  select distinct on (pool.pair_address)
    pool.pair_address as wanted, false as is_token, pool.id as pool_id, pool.pair_address,
    token.address as token_address, pool.newest_ms
  from pool
  join token on token.id = pool.token_id
  where pool.pair_address = any ($1::text[])
    and {+known_pool}
  order by pool.pair_address, pool.swap_count desc, token.address
) as of_pair
union all
select
  token.address, true, pool.id, pool.pair_address, token.address, pool.newest_ms
from token_prices(array(select id from token where address = any ($2::text[]))) as priced
cross join lateral (select address from token where id = priced.token_id limit 1) as token
cross join lateral (select id, pair_address, newest_ms from pool where id = priced.pool_id limit 1) as pool

-- name: feed/list_candles
-- Candles with a price of pools, of a width each, ascending. Pairwise: $1 integer[] pool ids, $2 $3 bigint[]
-- first bucket, and the end of the last, $4 bigint[] width in milliseconds; $5 $6 bigint: the least and the
-- greatest of the bounds, which exclude all other chunks. `ordinal`: that of the pair, from 1 on. A sum is null
-- where one of the parts was not counted, or the width counts no traders.
-- Index: {table}_pkey.
-- variant 1m: table = candle_1m; width_ms = 60000; wide_ms = 300000
-- variant 15m: table = candle_15m; width_ms = 900000; wide_ms = 3600000
-- variant 4h: table = candle_4h; width_ms = 14400000; wide_ms = 86400000
select wanted.ordinal::integer as ordinal, candle.*
from unnest($1::integer[], $2::bigint[], $3::bigint[], $4::bigint[]) with ordinality
  as wanted (pool_id, first_ms, end_ms, width_ms, ordinal)
cross join lateral (
  select
    time_bucket(wanted.width_ms, bucket_ms) as bucket_ms,
    {+merged_candle},
    case
      when wanted.width_ms = {width_ms} then min(trader_count)
      when wanted.width_ms = {wide_ms} and count(wide_trader_count) = count(*)
        then sum(wide_trader_count)
    end as trader_count
  from {table}
  where pool_id = wanted.pool_id and bucket_ms >= wanted.first_ms and bucket_ms < wanted.end_ms
    and bucket_ms >= $5::bigint and bucket_ms < $6::bigint
  group by 1
  having count(open) > 0
) as candle
order by wanted.ordinal, candle.bucket_ms

-- name: feed/list_commits
-- How far each pool lane has committed, and published: its newest commit that publishes any event, and in how many
-- messages of FEED. is_settled: its newest commit publishes no event, or its owner recorded that FEED holds it; or it
-- is a day old and the lane has no owner while another has, because streams were recreated with fewer lanes. However
-- long a commit waits otherwise, its next owner publishes it.
-- Index: the primary key of checkpoint.
select
  lane,
  commit_number,
  published_commit,
  published_parts,
  first_slots = '{}' or (
    committed_at < now() - interval '1 day'
    and leased_until < now()
    and exists (
      select from checkpoint as other where other.actor = 'pool' and other.leased_until > now()
    )
  ) as is_settled
from checkpoint
where actor = 'pool'

-- name: feed/list_published
-- The newest commit of each pool lane that publishes any event, and in how many messages of FEED; no row for a lane
-- without one. Index: the primary key of checkpoint.
select lane, published_commit, published_parts
from checkpoint
where actor = 'pool' and published_commit > 0

-- name: feed/read_instant
-- Inputs of all token statistics besides their token: the minute that windows end with, US dollars a SOL,
-- and the sequence of FEED, and its epoch, up to which traders are counted and rankings refreshed; null: never yet.
-- $1 integer: version of the formulas, because a ranking by others is not served.
-- Indexes: those of newest_swap_ms() and sol_usd(), checkpoint_pkey.
select
  newest_swap_ms() / 60000 as minute, sol_usd() as rate, ranking.stream_epoch as ranking_epoch,
  ranking.sequence as ranking_sequence, refreshed.feed_sequence as refreshed_sequence
from (select) as one
left join ranking_roll as refreshed on refreshed.formula_version = $1
left join checkpoint as ranking on ranking.actor = 'ranking' and ranking.lane = 0
