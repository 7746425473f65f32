-- Names the blocks of stored swaps that name none. Pairwise: $1 bigint[] slot, $2 bigint[] block_tx_index, $3 integer[]
-- ix_index, $4 smallint[] dex, $5 text[] signature, $6 text[] pair, $7 text[] user, $8 boolean[] is_buy, $9 bigint[]
-- sol_amount, $10 bigint[] token_amount, $11 text[] blockhash; $12 $13 bigint: least and greatest of the slots, which
-- exclude all other chunks. Index: swap_order.
update swap
set blockhash = named.blockhash
from unnest(
  $1::bigint[], $2::bigint[], $3::integer[], $4::smallint[], $5::text[], $6::text[], $7::text[],
  $8::boolean[], $9::bigint[], $10::bigint[], $11::text[]
) as named (
  slot, block_tx_index, ix_index, dex, signature, pair_address, user_address, is_buy, sol_amount,
  token_amount, blockhash
)
join wallet on wallet.address = named.user_address
join pool on pool.pair_address = named.pair_address
where swap.slot = named.slot
  and swap.block_tx_index = named.block_tx_index
  and swap.ix_index = named.ix_index
  and swap.dex = named.dex
  and swap.signature = named.signature
  and swap.pool_id = pool.id
  and swap.wallet_id = wallet.id
  and swap.is_buy = named.is_buy
  and swap.sol_amount = named.sol_amount
  and swap.token_amount = named.token_amount
  and swap.blockhash is null
  and swap.slot between $12::bigint and $13::bigint
