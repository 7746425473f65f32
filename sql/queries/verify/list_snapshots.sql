-- Snapshots of positions of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of position_snapshot.
select wallet_id, token_id, swap_count, slot, first_chunk, state
from position_snapshot
where wallet_id > $1 and wallet_id <= $2
