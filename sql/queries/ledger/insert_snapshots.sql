-- Stores snapshots of positions. Pairwise: $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] swap_count,
-- $4 bigint[] slot, $5 integer[] first_chunk, $6 bytea[] state.
insert into position_snapshot (wallet_id, token_id, swap_count, slot, first_chunk, state)
select *
from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[], $5::integer[], $6::bytea[])
on conflict (wallet_id, token_id, swap_count) do update set
  slot = excluded.slot, first_chunk = excluded.first_chunk, state = excluded.state
