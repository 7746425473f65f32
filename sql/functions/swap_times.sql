-- Where trailing windows end. Windows never end later than the wall clock: swaps whose producer's clock is fast are
-- stored at their times, in buckets that no window counts before the wall clock has reached them. A pool that has such
-- swaps is "ahead".
--
-- In plpgsql, because a connection caches the plans of its statements; a function in SQL is planned again by each
-- statement that calls it.

-- Greatest time of an indexed swap, which may be later than the wall clock, Unix ms; null before the first.
-- Index: slot_span_pkey, a row a lane.
create or replace function latest_swap_ms() returns bigint language plpgsql stable
as $$
begin
  return (select max(last_ms) from slot_span where width = 1000000000);
end
$$;

-- The newest indexed swap's time or the time at which the transaction began, whichever is earlier; null before the
-- first swap. Index: that of latest_swap_ms().
create or replace function newest_swap_ms() returns bigint language plpgsql stable
as $$
declare
  latest_ms bigint := latest_swap_ms();
begin
  if latest_ms is null then
    return null;
  end if;
  return least(latest_ms, floor(extract(epoch from now()) * 1000)::bigint);
end
$$;
