-- The pool of a mint with the largest volume in a range, of those that ever had a priced trade; no row
-- where none traded in it. $1 text: mint; then first and last bucket, bigint, of the range's stretches:
-- $2 $3 and $4 $5 of minutes, $6 $7 and $8 $9 of quarters, $10 $11 of four hours; an absent one ends before it begins.
-- Indexes: pool_token, the primary keys of the candles.
select pool.id, pool.newest_ms, pool.pair_address, $1::text as token_address
from pool
cross join lateral (
  select sum(part.volume_lamports) as volume_lamports, sum(part.trade_count) as trade_count
  from (
    select volume_lamports, trade_count
    from candle_1m
    where pool_id = pool.id and bucket_ms between $2 and $3
    union all
    select volume_lamports, trade_count
    from candle_1m
    where pool_id = pool.id and bucket_ms between $4 and $5
    union all
    select volume_lamports, trade_count
    from candle_15m
    where pool_id = pool.id and bucket_ms between $6 and $7
    union all
    select volume_lamports, trade_count
    from candle_15m
    where pool_id = pool.id and bucket_ms between $8 and $9
    union all
    select volume_lamports, trade_count
    from candle_4h
    where pool_id = pool.id and bucket_ms between $10 and $11
  ) as part
) as traded
where pool.token_id = (select id from token where address = $1)
  and pool.last_price is not null
  and traded.trade_count > 0
order by traded.volume_lamports desc, traded.trade_count desc, pool.pair_address
limit 1
