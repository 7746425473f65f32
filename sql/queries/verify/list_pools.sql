-- A page of pools in the order of their names, for folding them afresh.
-- Without pools that have nothing: interned for a batch that was not committed, or for events that were retracted.
-- $1 text, $2 text: pair address and mint to go on after, $3 integer: how many. The bound of the pair alone is the one
-- by which the index is entered. Index: the unique key of pool.
select
  pool.id, pool.pair_address, token.address as token_address, pool.dex, pool.swap_count,
  pool.last_slot, pool.last_block_tx_index, pool.last_ix_index, pool.last_timestamp_ms,
  pool.last_is_buy, pool.last_signature, pool.last_user, pool.last_sol_amount,
  pool.last_token_amount, pool.last_sol_reserves, pool.last_token_reserves, pool.last_price_after,
  pool.corrected_pool_price, pool.migrated_at_ms, pool.migrated_from,
  pool.newest_ms, pool.last_price, pool.last_price_ms, pool.first_slot, pool.last_quote_decimals,
  pool.last_virtual_quote_reserves
from pool
join token on token.id = pool.token_id
where pool.pair_address >= $1
  and (pool.pair_address, token.address) > ($1, $2)
  and {+known_pool}
order by pool.pair_address, token.address
limit $3
