-- Who traded anything at all, by the minute and by the hour, of the last day: mixed wallets, of each bucket at
-- least the 1,025 least (all, where there are no more). Kept by the ranking actor; older rows go.
create table market_trader (
  is_hour boolean not null,
  bucket_ms bigint not null,
  wallet integer not null,
  primary key (is_hour, bucket_ms, wallet)
);

-- How many wallets traded in the n minutes that end with the newest swap's, up to a day: exact while no
-- bucket has more than 1,024, else with a standard error of 3.1 %. Whole hours are read as hours.
-- Index: market_trader_pkey.
create function market_traders(minutes integer) returns bigint language sql stable
begin atomic
  with edge as (
    select end_ms - $1 * 60000::bigint as from_ms, end_ms
    from (select newest_swap_ms() / 60000 * 60000 + 60000 as end_ms) as newest
  ),
  split as (
    select from_ms, end_ms, least((from_ms + 3599999) / 3600000 * 3600000, end_ms) as hour_ms
    from edge
  ),
  bucket as (
    select false as is_hour, generate_series(from_ms, hour_ms - 60000, 60000) as bucket_ms from split
    union all
    select true, generate_series(hour_ms, end_ms - 1, 3600000) from split
  ),
  found as materialized (
    select bucket.is_hour, bucket.bucket_ms, kept.wallet
    from bucket
    cross join lateral (
      select trader.wallet
      from market_trader as trader
      where trader.is_hour = bucket.is_hour and trader.bucket_ms = bucket.bucket_ms
      order by trader.wallet
      limit 1025
    ) as kept
  ),
  bound as (
    select min(last_wallet) as below
    from (
      select max(found.wallet) as last_wallet
      from found
      group by found.is_hour, found.bucket_ms
      having count(*) > 1024
    ) as full_bucket
  )
  select estimated_traders(count(distinct found.wallet), (select below from bound))
  from found
  where (select below from bound) is null or found.wallet < (select below from bound);
end;

-- What was indexed before this table was there; see sql/queries/ranking/insert_market_traders.sql.
insert into market_trader
select distinct is_hour, swap.timestamp_ms / width * width, mixed_wallet(swap.wallet_id)
from swap
cross join (values (false, 60000), (true, 3600000)) as bucket (is_hour, width)
where swap.timestamp_ms >= newest_swap_ms() / 3600000 * 3600000 - 90000000;
