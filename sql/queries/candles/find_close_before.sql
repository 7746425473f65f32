-- The close of a pool's newest priced minute before a time, by few looks: in its quarter of an hour, in
-- its four hours, before. $1 integer: pool id, $2 bigint: a whole minute, $3 $4 bigint: the quarter and
-- the four hours that hold it. Indexes: the primary keys of the candles.
select close
from (
  (
    select bucket_ms, close
    from candle_1m
    where pool_id = $1 and bucket_ms >= $3 and bucket_ms < $2 and close is not null
    order by bucket_ms desc
    limit 1
  )
  union all
  (
    select bucket_ms, close
    from candle_15m
    where pool_id = $1 and bucket_ms >= $4 and bucket_ms < $3 and close is not null
    order by bucket_ms desc
    limit 1
  )
  union all
  (
    select bucket_ms, close
    from candle_4h
    where pool_id = $1 and bucket_ms < $4 and close is not null
    order by bucket_ms desc
    limit 1
  )
) as near
order by bucket_ms desc
limit 1
