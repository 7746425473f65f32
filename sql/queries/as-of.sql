-- name: as-of/find_changed
-- The positions of a wallet that swaps after a slot changed, and how many swaps they hold; whether it has others, whose rows are
-- those of the slot, and whether a position of the wallet waits for a recompute. No row without a position. $1 text: wallet,
-- $2 bigint: slot. Index: wallet_address_key, the primary keys of position and position_refold.
select
  position.wallet_id,
  coalesce(array_agg(position.token_id) filter (where position.last_slot > $2), '{}') as token_ids,
  coalesce(sum(position.swap_count) filter (where position.last_slot > $2), 0)::bigint as swap_count,
  bool_or(position.last_slot <= $2) as has_others,
  exists (select from position_refold where position_refold.wallet_id = position.wallet_id) as is_recomputed
from position
where position.wallet_id = (select id from wallet where address = $1)
group by position.wallet_id

-- name: as-of/find_folded
-- The positions of a wallet, in some mints, and how many swaps they hold; whether a position of the wallet waits for a
-- recompute. No row without a position. $1 text: wallet, $2 text[]: mints, null for any. Index: wallet_address_key,
-- token_address_key, the primary keys of position and position_refold. A row that begins with the wallet: written as
-- token_id = y, the planner may scan all holders of a mint.
select
  position.wallet_id, array_agg(position.token_id) as token_ids, sum(position.swap_count)::bigint as swap_count,
  exists (select from position_refold where position_refold.wallet_id = position.wallet_id) as is_recomputed
from position
where position.wallet_id = (select id from wallet where address = $1)
  and ($2::text[] is null or position.token_id = any (array(select id from token where address = any ($2))))
group by position.wallet_id

-- name: as-of/find_unapplied
-- Whether a pool lane has work left at or before a slot: a retraction that it has not applied, or a pool to repair. $1
-- bigint: slot. Indexes: retraction_pkey, all of pool_repair, which has few rows.
select
  exists (select from retraction where slot <= $1::bigint and not is_applied)
    or exists (select from pool_repair where next_slot <= $1::bigint) as is_left

-- name: as-of/list_applied
-- How far each lane of the ledger and the ranking has read of FEED, and the pool lanes' messages in it. `first_slot`: of a
-- commit that FEED may lack; null without one. `sequence`: up to which a lane has read, or that of the pool lane's newest
-- message. `published_commit`: the newest commit that publishes, in how many messages. Reads the whole of checkpoint.
select
  actor, lane, published_commit, published_parts,
  case when actor = 'pool' then feed_epoch else stream_epoch end as epoch,
  case when actor = 'pool' then feed_sequence else greatest(sequence, seen_sequence) end as sequence,
  (select min(slot) from unnest(first_slots) as slot) as first_slot
from checkpoint
where actor in ('pool', 'ledger', 'ranking')

-- name: as-of/read_newest_event_slot
-- The greatest slot of an indexed pool event; null before the first. Index: pool_event_order.
select max(slot) as newest_slot from pool_event
