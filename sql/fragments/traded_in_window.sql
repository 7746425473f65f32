-- Volume and trades of a pool from minute $4 on: by minutes to $5, by quarters of an hour to $6, then by four hours. A pool
-- that was silent is not summed.
left join lateral (
  select sum(part.volume_lamports) as volume_lamports, sum(part.trade_count) as trade_count
  from (
    select volume_lamports, trade_count
    from candle_1m
    where pool_id = pool.id and bucket_ms >= $4 and bucket_ms < $5
    union all
    select volume_lamports, trade_count
    from candle_15m
    where pool_id = pool.id and bucket_ms >= $5 and bucket_ms < $6
    union all
    select volume_lamports, trade_count
    from candle_4h
    where pool_id = pool.id and bucket_ms >= $6
  ) as part
  where pool.newest_ms >= $4
) as traded on true
