-- name: ranking/count_starts
-- How many tokens have a swap. Reads the whole of token_start.
select count(*) as tokens from token_start

-- name: ranking/create_stage
-- Where a session puts down buckets of traders before they replace what is stored; empty after each
-- transaction.
create temp table if not exists trader_stage (
  is_hour boolean not null, like trader_minute including defaults
) on commit delete rows

-- name: ranking/delete_empty_hours
-- Deletes buckets of traders in which no trade is left. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms. Index:
-- the primary key.
delete from trader_hour
using unnest($1::integer[], $2::bigint[]) as gone (token_id, bucket_ms)
where trader_hour.token_id = gone.token_id and trader_hour.bucket_ms = gone.bucket_ms
  and trader_hour.buy_count = 0 and trader_hour.sell_count = 0

-- name: ranking/delete_empty_minutes
-- Deletes buckets of traders in which no trade is left. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms. Index:
-- the primary key.
delete from trader_minute
using unnest($1::integer[], $2::bigint[]) as gone (token_id, bucket_ms)
where trader_minute.token_id = gone.token_id and trader_minute.bucket_ms = gone.bucket_ms
  and trader_minute.buy_count = 0 and trader_minute.sell_count = 0

-- name: ranking/delete_market_buckets
-- Deletes buckets of the market that are to be recounted. Pairwise: $1 boolean[] is_hour, $2 bigint[] bucket_ms. Index:
-- market_trader_pkey.
delete from market_trader
using (select distinct * from unnest($1::boolean[], $2::bigint[]) as given (is_hour, bucket_ms)) as gone
where market_trader.is_hour = gone.is_hour and market_trader.bucket_ms = gone.bucket_ms

-- name: ranking/delete_market_traders
-- Deletes buckets of the market before an hour. $1 bigint: Unix ms. Index: market_trader_pkey.
delete from market_trader where is_hour in (false, true) and bucket_ms < $1

-- name: ranking/estimate_minutes
-- How much there is to read of tokens: minutes in which their pools traded from a time on, and wallets that bought in
-- them; at most so many. $1 integer[]: token ids, $2 bigint: Unix ms, where a candle of four hours begins. A pool of
-- few swaps is taken to have had them all since. Indexes: pool_token, candle_4h_pkey.
select
  pool.token_id,
  sum(case when pool.swap_count > 256 then recent.minute_count else pool.swap_count end)::bigint
    as minute_count,
  sum(case when pool.swap_count > 256 then recent.buyer_count else pool.swap_count end)::bigint
    as buyer_count
from pool
left join lateral (
  select
    coalesce(sum(least(candle.trade_count, 240)), 0) as minute_count,
    coalesce(sum(least(candle.trade_count, 240 * 1024)), 0) as buyer_count
  from candle_4h as candle
  where candle.pool_id = pool.id and candle.bucket_ms >= $2
) as recent on pool.swap_count > 256
where pool.token_id = any ($1::integer[])
group by pool.token_id

-- name: ranking/find_holder_positions
-- Some positions, those that there are, likewise (list_holder_positions.sql). Pairwise: $1 integer[] wallet ids,
-- $2 integer[] token ids. Index: position_pkey.
select position.token_id, position.wallet_id, position.balance, position.held_changes
from unnest($1::integer[], $2::integer[]) as wanted (wallet_id, token_id)
join position
  on position.wallet_id = wanted.wallet_id and position.token_id = wanted.token_id

-- name: ranking/insert_market_traders
-- Adds traders to buckets of the market. Pairwise: $1 boolean[] is_hour, $2 bigint[] bucket_ms,
-- $3 integer[] mixed wallet. Index: market_trader_pkey.
insert into market_trader
select * from unnest($1::boolean[], $2::bigint[], $3::integer[])
on conflict do nothing

-- name: ranking/list_active_tokens
-- Tokens with a trade at or after a time. $1 bigint: Unix ms. Reads the whole of pool.
select distinct token_id from pool where newest_ms >= $1

-- name: ranking/list_buyer_hours
-- Buyers of tokens by the hour, from a time to before another, in order. $1 integer[]: token ids, $2 $3 bigint: Unix ms.
-- Index: trader_hour_pkey.
select token_id, (bucket_ms / 3600000)::integer as at, buyers, buyers_below
from trader_hour
where token_id = any ($1::integer[]) and bucket_ms >= $2 and bucket_ms < $3
order by token_id, bucket_ms

-- name: ranking/list_buyer_minutes
-- Buyers of tokens by the minute, from a time to before another, in order. `creator_may_have_sold`: the token's creator
-- is among the sellers, or is indistinguishable from them. Pairwise: $1 integer[] token ids, $2 integer[] their
-- creators (mixed wallets, or null); $3 $4 bigint: Unix ms. Index: trader_minute_pkey.
select
  bucket.token_id, (bucket.bucket_ms / 60000)::integer as at, bucket.buyers, bucket.buyers_below,
  coalesce(
    wanted.creator = any (bucket.sellers) or wanted.creator >= bucket.sellers_below, false
  ) as creator_may_have_sold
from unnest($1::integer[], $2::integer[]) as wanted (token_id, creator)
join trader_minute as bucket on bucket.token_id = wanted.token_id
where bucket.bucket_ms >= $3 and bucket.bucket_ms < $4
order by bucket.token_id, bucket.bucket_ms

-- name: ranking/list_holder_positions
-- Every position of tokens, as far as rankings have to do with it: by token, then wallet. $1 integer[]: token ids.
-- Index: position_token.
select token_id, wallet_id, balance, held_changes
from position
where token_id = any ($1::integer[])
order by token_id, wallet_id

-- name: ranking/list_holdings
-- Holders of tokens by the ledger: their number, the balances of all and of the ten largest, how many
-- positions there are at all, and in which minutes they became holders and ceased to be (as positions have them,
-- with commas between; null where there are none). $1 integer[]: token ids. Positions are read once, in the order
-- of the index. Index: position_token.
select
  token_id, count(*) as position_count, count(*) filter (where balance > 0) as holder_count,
  sum(balance) as held,
  (
    select sum(largest)
    from unnest((array_agg(balance order by balance desc))[1:10]) as largest
  ) as held_by_ten,
  string_agg(array_to_string(held_changes, ','), ',') filter (where held_changes <> '{}') as changes
from position
where token_id = any ($1::integer[])
group by token_id

-- name: ranking/list_ledger_lanes
-- How far the ledger has read the feed that the ranking reads, by lane; 0 where it has read a FEED that was lost. No
-- row for a lane that never committed: it has read nothing. Index: checkpoint_pkey.
select
  ledger.lane,
  case when ledger.stream_epoch <> ranking.stream_epoch then 0 else ledger.sequence end as sequence
from checkpoint as ledger
left join checkpoint as ranking on ranking.actor = 'ranking' and ranking.lane = 0
where ledger.actor = 'ledger' and ledger.stream_epoch is not null

-- name: ranking/list_market_traders
-- The least traders of a bucket, ascending. $1 boolean: an hour, $2 bigint: bucket, $3 integer: how many.
-- Index: market_trader_pkey.
select wallet from market_trader where is_hour = $1 and bucket_ms = $2 order by wallet limit $3

-- name: ranking/list_minutes
-- Candles of the pools of tokens by the minute, from a time to before another, in order. $1 integer[]: token ids,
-- $2 $3 bigint: Unix ms. Indexes: pool_token, candle_1m_pkey.
select
  pool.token_id, pool.id as pool_id, pool.pair_address, pool.dex,
  (candle.bucket_ms / 60000)::integer as minute, candle.open, candle.high, candle.low, candle.close,
  candle.volume_lamports, candle.trade_count
from pool
join candle_1m as candle on candle.pool_id = pool.id
where pool.token_id = any ($1::integer[]) and candle.bucket_ms >= $2 and candle.bucket_ms < $3
order by pool.id, candle.bucket_ms

-- name: ranking/list_token_changes
-- Tokens whose sector, creator or positions (by more than the events of FEED) may have changed; with `wallet_id`, of
-- which only that wallet's position may; or, `of_candles`, whose candles may. $1 integer: how many rows at most. Index:
-- token_change_pkey.
select id, token_id, wallet_id, of_candles from token_change order by id limit $1

-- name: ranking/list_tokens
-- Facts of tokens apart from their trades. $1 integer[]: token ids. `creator_id`: the wallet of the token line's creator,
-- else of who created the first pool; null also where that wallet never traded, which `has_creator` distinguishes.
-- Indexes: token_pkey, token_start_pkey, those of token_birth(), the unique key of wallet.
select
  token.id as token_id, token.address as mint, token.sector, start.first_ms, wallet.id as creator_id,
  coalesce(token.creator, birth.creator) is not null as has_creator
from token
join token_start as start on start.token_id = token.id
left join lateral token_birth(case when token.creator is null then token.id end) as birth on true
left join wallet on wallet.address = coalesce(token.creator, birth.creator)
where token.id = any ($1::integer[])

-- name: ranking/load_traders
-- Stored buckets. Pairwise: $1 integer[] token_id, $2 bigint[] bucket_ms; $3 $4 bigint: the least and the
-- greatest of these. Index: the primary key.
-- variant minute: table = trader_minute
-- variant hour: table = trader_hour
select
  bucket.token_id, bucket.bucket_ms, bucket.buy_count, bucket.sell_count, bucket.buyers_below,
  bucket.sellers_below, bucket.buyers, bucket.sellers
from unnest($1::integer[], $2::bigint[]) as wanted (token_id, bucket_ms)
join {table} as bucket
  on bucket.token_id = wanted.token_id and bucket.bucket_ms = wanted.bucket_ms
where bucket.bucket_ms between $3 and $4

-- name: ranking/merge_starts
-- The first swaps of tokens. Pairwise: $1 integer[] token_id, $2 bigint[] Unix ms. Index: the primary key.
insert into token_start as stored (token_id, first_ms)
select * from unnest($1::integer[], $2::bigint[])
on conflict (token_id) do update set first_ms = excluded.first_ms
where stored.first_ms > excluded.first_ms

-- name: ranking/merge_traders
-- Buckets as they are now in place of those that are stored. Index: the primary key.
-- variant minute: table = trader_minute; is_own = not is_hour
-- variant hour: table = trader_hour; is_own = is_hour
insert into {table}
select token_id, buy_count, bucket_ms, sell_count, buyers_below, sellers_below, buyers, sellers
from trader_stage
where {is_own}
on conflict (token_id, bucket_ms) do update set
  buy_count = excluded.buy_count,
  sell_count = excluded.sell_count,
  buyers_below = excluded.buyers_below,
  sellers_below = excluded.sellers_below,
  buyers = excluded.buyers,
  sellers = excluded.sellers

-- name: ranking/read_newest
-- Where trailing windows end, Unix ms: the newest indexed swap's time, or now if that is earlier; null before
-- the first swap.
select newest_swap_ms() as newest_ms
