-- name: import/find_newest_slot
-- The highest slot that any swap or any knowledge of a token has; 0 before the first.
-- Reads the whole of pool and token: once an import.
select greatest(
  (select max(last_slot) from pool),
  (
    select max(greatest(
      creator_slot, decimals_slot, symbol_slot, name_slot, supply_slot, sector_slot, uri_slot
    ))
    from token
  ),
  0
) as slot
