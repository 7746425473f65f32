-- The state of the pools that a batch touched, pairwise by pool.
-- $1 integer[] id, $2 smallint[] dex, $3 bigint[] swap_count, $4 bigint[] last_slot,
-- $5 bigint[] last_block_tx_index, $6 integer[] last_ix_index, $7 bigint[] last_timestamp_ms,
-- $8 boolean[] last_is_buy, $9 text[] last_signature, $10 text[] last_user,
-- $11 bigint[] last_sol_amount, $12 bigint[] last_token_amount, $13 bigint[] last_sol_reserves,
-- $14 bigint[] last_token_reserves, $15 double precision[] last_price_after,
-- $16 double precision[] corrected_pool_price, $17 bigint[] migrated_at_ms, $18 text[] migrated_from,
-- $19 bigint[] newest_ms, $20 double precision[] last_price, $21 bigint[] last_price_ms, $22 bigint[] first_slot,
-- $23 smallint[] last_quote_decimals, $24 bigint[] last_virtual_quote_reserves.
update pool
set
  dex = coalesce(state.dex, pool.dex),
  swap_count = state.swap_count,
  last_slot = state.last_slot,
  last_block_tx_index = state.last_block_tx_index,
  last_ix_index = state.last_ix_index,
  last_timestamp_ms = state.last_timestamp_ms,
  last_is_buy = state.last_is_buy,
  last_signature = state.last_signature,
  last_user = state.last_user,
  last_sol_amount = state.last_sol_amount,
  last_token_amount = state.last_token_amount,
  last_sol_reserves = state.last_sol_reserves,
  last_token_reserves = state.last_token_reserves,
  last_price_after = state.last_price_after,
  corrected_pool_price = state.corrected_pool_price,
  migrated_at_ms = state.migrated_at_ms,
  migrated_from = state.migrated_from,
  newest_ms = state.newest_ms,
  last_price = state.last_price,
  last_price_ms = state.last_price_ms,
  first_slot = state.first_slot,
  last_quote_decimals = state.last_quote_decimals,
  last_virtual_quote_reserves = state.last_virtual_quote_reserves
from unnest(
  $1::integer[], $2::smallint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::integer[],
  $7::bigint[], $8::boolean[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::bigint[],
  $14::bigint[], $15::double precision[], $16::double precision[], $17::bigint[], $18::text[],
  $19::bigint[], $20::double precision[], $21::bigint[], $22::bigint[], $23::smallint[],
  $24::bigint[]
) as state (
  id, dex, swap_count, last_slot, last_block_tx_index, last_ix_index, last_timestamp_ms,
  last_is_buy, last_signature, last_user, last_sol_amount, last_token_amount, last_sol_reserves,
  last_token_reserves, last_price_after, corrected_pool_price, migrated_at_ms, migrated_from,
  newest_ms, last_price, last_price_ms, first_slot, last_quote_decimals,
  last_virtual_quote_reserves
)
where pool.id = state.id
