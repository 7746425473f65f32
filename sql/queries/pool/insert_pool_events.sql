-- New pool events, pairwise.
-- $1 integer[] pool_id, $2 bigint[] slot, $3 bigint[] block_tx_index, $4 integer[] ix_index,
-- $5 bigint[] timestamp_ms, $6 smallint[] dex, $7 text[] event, $8 text[] signature,
-- $9 text[] creator, $10 text[] from_pair, $11 bigint[] sol_amount, $12 bigint[] token_amount, $13 text[] blockhash.
insert into pool_event (
  pool_id, slot, block_tx_index, ix_index, timestamp_ms, dex, event, signature, creator, from_pair,
  sol_amount, token_amount, blockhash
)
select *
from unnest(
  $1::integer[], $2::bigint[], $3::bigint[], $4::integer[], $5::bigint[], $6::smallint[],
  $7::text[], $8::text[], $9::text[], $10::text[], $11::bigint[], $12::bigint[], $13::text[]
)
