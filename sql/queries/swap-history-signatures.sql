-- name: swap-history/find_signature
-- Positions that may hold swaps of this signature: a hash may be shared, so the caller compares the text.
-- $1 bigint: signatureHash of the text. Index: swap_signature_key, one probe.
select distinct slot, block_tx_index from swap_signature where signature_hash = $1

-- name: swap-history/find_signature_positions
-- Positions of signatures. $1 bigint[]: signature hashes. Index: swap_signature_key.
select signature_hash::text as signature_hash, slot, block_tx_index
from swap_signature
where signature_hash = any ($1::bigint[])

-- name: swap-history/find_signatures
-- Signatures among these that are stored already, with their pairs and positions.
-- $1 bigint[]: signature hashes. Result: one row a transaction and pool; several differ in `copy`.
-- Index: swap_signature_key, a probe for each hash. Joined at once, the planner would read the whole table until it is
-- analyzed: it assumes 200 distinct hashes.
select stored.*
from (select distinct hash from unnest((select $1::bigint[])) as given (hash)) as wanted
cross join lateral (
  select signature_hash, pair_hash, copy, slot, block_tx_index
  from swap_signature
  where signature_hash = wanted.hash
  offset 0
) as stored

-- name: swap-history/list_known_swaps
-- Stored swaps at known positions, to distinguish a second delivery from a new swap.
-- $1 bigint[]: slots, $2 bigint[]: block_tx_index (pairwise), $3 text[]: signatures, $4 $5 bigint:
-- least and greatest of the slots, which exclude all other chunks.
-- Index: swap_order.
select
  {+stored_swap_columns}
from unnest($1::bigint[], $2::bigint[]) as wanted (slot, block_tx_index)
join swap on swap.slot = wanted.slot and swap.block_tx_index = wanted.block_tx_index
join pool on pool.id = swap.pool_id
join token on token.id = pool.token_id
join wallet on wallet.id = swap.wallet_id
where swap.signature = any ($3::text[])
  and swap.slot between $4::bigint and $5::bigint

-- name: swap-history/list_transaction_swaps
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
