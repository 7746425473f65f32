-- How many stored swaps the ranking has not read yet; null where no ranking has ever run.
select case
  when exists (select from checkpoint where actor = 'ranking' and stream_epoch is not null)
    or exists (select from ranking_cover)
    then (select coalesce(sum(swap_count), 0) from pool)
      - (select coalesce(sum(buy_count + sell_count), 0) from trader_hour)
end::bigint as unread
