-- Rankings: who traded a token when, and the pages that are made of it.

-- A wallet as a place on a circle of 2^32: distinct for distinct ids, and as good as random. Sets of
-- traders hold these, so that the least thousand of a set are a fair sample of it.
create function mixed_wallet(id integer) returns integer language sql immutable parallel safe
begin atomic
  with
    given as (select id::bigint & 4294967295 as h),
    once as (select ((h # (h >> 16)) * 73244475) & 4294967295 as h from given),
    twice as (select ((h # (h >> 16)) * 73244475) & 4294967295 as h from once),
    mixed as (select h # (h >> 16) as h from twice)
  select (case when h >= 2147483648 then h - 4294967296 else h end)::integer from mixed;
end;

-- Who bought and who sold a token in a minute, dust and agents included. `buyers`, `sellers`: mixed
-- wallets, ascending; all of them while they are at most 1,024. Of more the 1,024 least are kept, and
-- `buyers_below` is the least that is not: their number is then estimated, with a standard error of 3.1 %.
create table trader_minute (
  token_id integer not null,
  buy_count integer not null,
  bucket_ms bigint not null,
  sell_count integer not null,
  buyers_below integer,
  sellers_below integer,
  buyers integer[] not null,
  sellers integer[] not null,
  primary key (token_id, bucket_ms)
) with (fillfactor = 70);

-- The same by the hour, so that a day is read as a day.
create table trader_hour (like trader_minute, primary key (token_id, bucket_ms)) with (fillfactor = 70);

-- 1 day and 30 days a chunk, in milliseconds.
select create_hypertable(
  'trader_minute', by_range('bucket_ms', 86400000), create_default_indexes => false
);
select create_hypertable(
  'trader_hour', by_range('bucket_ms', 2592000000), create_default_indexes => false
);

-- The time of a token's first indexed swap.
create table token_start (
  token_id integer primary key,
  first_ms bigint not null
);

-- The ranking may lack what it never heard (the feed was lost or trimmed under it): tokens are counted
-- anew from the `swap` table, from `next_token_id` on.
create table ranking_recount (
  is_only boolean primary key default true check (is_only),
  next_token_id integer not null default 0
);

-- What a recount has taken in of tokens from `from_token_id` to before `to_token_id`: swaps of a pool
-- lane's commits up to this one, whenever the feed brings them.
create table ranking_cover (
  from_token_id integer not null,
  to_token_id integer not null,
  pool_lane smallint not null,
  commit_number bigint not null,
  primary key (from_token_id, pool_lane)
);

-- How many traders there are where `found` were found below a bound; exact without one.
create function estimated_traders(found bigint, below integer) returns bigint
  language sql immutable parallel safe
begin atomic
  select case
    when below is null then found
    else round(found * (4294967296::double precision / (below::bigint + 2147483648)))::bigint
  end;
end;

-- Trades and distinct traders of tokens in windows of whole minutes that end with the newest swap's
-- (semantics, section 5). $1 token ids, $2 widths in minutes. One row for each token and width with a
-- trade. Whole hours of a window are read as hours, its edges by the minute. Indexes: the primary keys.
create function token_traders(ids integer[], windows integer[])
  returns table (
    token_id integer, window_minutes integer, buy_count bigint, sell_count bigint,
    buyer_count bigint, seller_count bigint
  )
  language plpgsql stable
  set plan_cache_mode = force_custom_plan
as $$
#variable_conflict use_column
declare
  end_ms bigint := newest_swap_ms() / 60000 * 60000 + 60000;
  width integer;
  from_ms bigint;
  hour_from_ms bigint;
  hour_to_ms bigint;
begin
  foreach width in array windows loop
    from_ms := end_ms - width * 60000::bigint;
    hour_from_ms := (from_ms + 3599999) / 3600000 * 3600000;
    hour_to_ms := greatest(hour_from_ms, end_ms / 3600000 * 3600000);
    return query
    with part as materialized (
      select * from trader_minute
      where token_id = any (ids) and bucket_ms >= from_ms and bucket_ms < least(hour_from_ms, end_ms)
      union all
      select * from trader_hour
      where token_id = any (ids) and bucket_ms >= hour_from_ms and bucket_ms < hour_to_ms
      union all
      select * from trader_minute
      where token_id = any (ids) and bucket_ms >= hour_to_ms and bucket_ms < end_ms
    ),
    bound as (
      select token_id, sum(buy_count) as buy_count, sum(sell_count) as sell_count,
        min(buyers_below) as buyers_below, min(sellers_below) as sellers_below
      from part
      group by token_id
    ),
    buying as (
      select part.token_id, count(distinct wallet) as found
      from part
      join bound on bound.token_id = part.token_id
      cross join unnest(part.buyers) as wallet
      where bound.buyers_below is null or wallet < bound.buyers_below
      group by part.token_id
    ),
    selling as (
      select part.token_id, count(distinct wallet) as found
      from part
      join bound on bound.token_id = part.token_id
      cross join unnest(part.sellers) as wallet
      where bound.sellers_below is null or wallet < bound.sellers_below
      group by part.token_id
    )
    select bound.token_id, width, bound.buy_count::bigint, bound.sell_count::bigint,
      estimated_traders(coalesce(buying.found, 0), bound.buyers_below),
      estimated_traders(coalesce(selling.found, 0), bound.sellers_below)
    from bound
    left join buying on buying.token_id = bound.token_id
    left join selling on selling.token_id = bound.token_id;
  end loop;
end
$$;
