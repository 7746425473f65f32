-- Swaps that the caller hands over: an array a column, in the order of table `swap`.
-- $1 bigint[] slot, $2 bigint[] block_tx_index, $3 bigint[] timestamp_ms, and so on, as in the list of columns.
select
  slot, block_tx_index, timestamp_ms, sol_amount, token_amount, fee, creator_fee, virtual_sol_reserves,
  virtual_token_reserves, real_sol_reserves, real_token_reserves, transfer_fee_in, transfer_fee_out, cashback,
  price_impact_bps, pool_price, price_before, price_after, pool_id, wallet_id, ix_index, fee_bps, creator_fee_bps,
  cashback_bps, time_source, agent_trade, dex, quote_decimals, is_buy, signature collate "C" as signature, wallet_tags,
  virtual_quote_reserves, blockhash collate "C" as blockhash, outside_protocol_bps, outside_creator_bps
from unnest(
  $1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[], $7::bigint[], $8::bigint[],
  $9::bigint[], $10::bigint[], $11::bigint[], $12::bigint[], $13::bigint[], $14::bigint[], $15::bigint[],
  $16::double precision[], $17::double precision[], $18::double precision[], $19::integer[], $20::integer[],
  $21::integer[], $22::integer[], $23::integer[], $24::integer[], $25::integer[], $26::integer[], $27::smallint[],
  $28::smallint[], $29::boolean[], $30::text[], $31::smallint[], $32::bigint[], $33::text[],
  $34::smallint[], $35::smallint[]
) as handed (
  slot, block_tx_index, timestamp_ms, sol_amount, token_amount, fee, creator_fee, virtual_sol_reserves,
  virtual_token_reserves, real_sol_reserves, real_token_reserves, transfer_fee_in, transfer_fee_out, cashback,
  price_impact_bps, pool_price, price_before, price_after, pool_id, wallet_id, ix_index, fee_bps, creator_fee_bps,
  cashback_bps, time_source, agent_trade, dex, quote_decimals, is_buy, signature, wallet_tags, virtual_quote_reserves,
  blockhash, outside_protocol_bps, outside_creator_bps
)
