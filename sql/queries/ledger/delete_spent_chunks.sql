-- Deletes chunks that no snapshot of their position references, and so the position does not either. Pairwise: $1
-- integer[] wallet_id, $2 integer[] token_id. Indexes: the primary keys of both tables.
delete from lot_chunk
using (
  select wallet_id, token_id, min(first_chunk) as first_chunk
  from position_snapshot
  join unnest($1::integer[], $2::integer[]) as kept (wallet_id, token_id)
    using (wallet_id, token_id)
  group by wallet_id, token_id
) as kept
where lot_chunk.wallet_id = kept.wallet_id
  and lot_chunk.token_id = kept.token_id
  and lot_chunk.chunk < kept.first_chunk
