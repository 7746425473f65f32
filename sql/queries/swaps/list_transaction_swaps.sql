-- The swaps of one transaction at a known position. Unordered: the caller sorts.
-- $1 bigint: slot, $2 bigint: block_tx_index, $3 text: signature.
-- Index: swap_order of the one chunk that holds the slot.
select
  {+served_swap_columns},
  p.pair_address
from swap s
join pool p on p.id = s.pool_id
join token t on t.id = p.token_id
join wallet w on w.id = s.wallet_id
where s.slot = $1 and s.block_tx_index = $2 and s.signature = $3
