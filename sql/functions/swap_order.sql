-- Places of swaps in canonical order.

-- Place of the last of a pool's swaps of one slot and one minute; null where there is none. In plpgsql, so that a
-- statement that never calls it does not open the chunks of `swap`. Index: swap_pool.
create or replace function last_place(of_pool integer, of_slot bigint, minute_ms bigint) returns swap_place
  language plpgsql stable
as $$
declare
  newest swap_place;
begin
  select swap.block_tx_index, swap.ix_index, swap.dex, not swap.is_buy, swap.signature
  into newest
  from swap
  where swap.pool_id = of_pool and swap.slot = of_slot
    and swap.timestamp_ms >= minute_ms and swap.timestamp_ms < minute_ms + 60000
  order by
    swap.block_tx_index desc, swap.ix_index desc, swap.dex desc, swap.is_buy, swap.signature desc
  limit 1;
  return newest;
end
$$;
