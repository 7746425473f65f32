-- Stores a block, in the place of another one of its slot, which becomes a former one. $1 bigint slot, $2 text blockhash,
-- $3 bigint parent_slot, $4 text parent_blockhash. Index: chain_link_pkey.
insert into chain_link as stored (slot, blockhash, parent_slot, parent_blockhash)
values ($1, $2, $3, $4)
on conflict (slot) do update
set blockhash = excluded.blockhash, parent_slot = excluded.parent_slot,
  parent_blockhash = excluded.parent_blockhash,
  former_blockhashes = array_remove(
    array_append(array_remove(stored.former_blockhashes, stored.blockhash), stored.blockhash),
    excluded.blockhash
  )
