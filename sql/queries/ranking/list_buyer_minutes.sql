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
