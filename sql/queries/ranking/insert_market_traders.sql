-- Adds traders to buckets of the market. Pairwise: $1 boolean[] is_hour, $2 bigint[] bucket_ms,
-- $3 integer[] mixed wallet. Index: market_trader_pkey.
insert into market_trader
select * from unnest($1::boolean[], $2::bigint[], $3::integer[])
on conflict do nothing
