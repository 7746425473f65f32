-- The SOL/USD rate.
-- Decision: docs/decisions/0020-one-source-for-each-fact.md

-- US dollars per SOL: the median of the newest 15 minutes in which priced trades of USDC and USDT moved at least 1 SOL
-- together (the lower of two middles), so that no single trade sets it. While fewer than 3 such minutes exist, the
-- median of the newest 15 of any size. Before any, the connection's setting swaptide.sol_usd_fallback, else null. A
-- minute's rate is its sum of tokens by its sum of SOL; minutes that the wall clock has not reached do not count.
-- `minute_ms`: the newest minute that counted; `source`: swaps, or fallback for the setting; null with the rate.
--
-- Index: dollar_minute_pkey, backwards from the newest; stops at the fifteenth minute that counts, and at the minute of
-- the 20,000th row where hardly any minute has 1 SOL.
create or replace function sol_usd_quote()
  returns table (rate double precision, minute_ms bigint, source text)
  language plpgsql stable rows 1
as $$
declare
  newest_ms bigint := newest_swap_ms();
  counted integer;
  middle numeric;
begin
  select count(*), percentile_disc(0.5) within group (order by minute.rate), max(minute.bucket_ms)
  into counted, middle, minute_ms
  from (
    select
      bucket_ms, sum(volume_units / 10::numeric ^ decimals) / (sum(volume_lamports) / 1000000000) as rate
    from (
      select bucket_ms, decimals, volume_lamports, volume_units
      from dollar_minute
      where bucket_ms <= newest_ms
      order by bucket_ms desc
      fetch first 20000 rows with ties
    ) as recent
    group by bucket_ms
    having sum(volume_lamports) >= 1000000000
    order by bucket_ms desc
    limit 15
  ) as minute;
  if counted < 3 then
    select percentile_disc(0.5) within group (order by minute.rate), max(minute.bucket_ms)
    into middle, minute_ms
    from (
      select
        bucket_ms, sum(volume_units / 10::numeric ^ decimals) / (sum(volume_lamports) / 1000000000) as rate
      from dollar_minute
      where bucket_ms <= newest_ms
      group by bucket_ms
      order by bucket_ms desc
      limit 15
    ) as minute;
  end if;
  rate := coalesce(
    middle::double precision,
    nullif(current_setting('swaptide.sol_usd_fallback', true), '')::double precision
  );
  source := case when middle is not null then 'swaps' when rate is not null then 'fallback' end;
  return next;
end
$$;

-- The rate only.
create or replace function sol_usd() returns double precision language plpgsql stable
as $$
begin
  return (select quote.rate from sol_usd_quote() as quote);
end
$$;
