-- Begins to read swaps by the interface's names in canonical order: a cursor of the transaction, read by fetch_rows.
-- $1 $2 bigint: first and last slot, which hold all swaps of the times; $3 $4 bigint: first and last timestamp_ms.
-- The order is that of compareSwaps() in domain/events/swap.ts. Index: swap_order, a sort of the ties within it.
declare exported_swaps no scroll cursor for
select
  {+served_swap_columns},
  p.pair_address
from swap s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id
where s.slot between $1 and $2 and s.timestamp_ms between $3 and $4
order by
  s.slot, s.block_tx_index, s.ix_index, s.dex, s.is_buy desc, s.signature, p.pair_address, w.address,
  s.sol_amount, s.token_amount
