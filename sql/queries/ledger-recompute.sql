-- name: ledger/advance_audit
-- A page of an audit is done. $1 smallint: lane, $2 integer: wallet id to go on from.
update ledger_audit set next_wallet_id = $2 where lane = $1

-- name: ledger/claim_recomputes
-- Orders to fold positions again that were given to another lane, before the streams had as many lanes as
-- they have. $1 smallint: the lane of these wallets, $2 integer[] wallet_id.
-- Index: the primary key of position_refold.
update position_refold set lane = $1 where wallet_id = any ($2::integer[]) and lane <> $1

-- name: ledger/delete_audit
-- An audit is done. $1 smallint: lane.
delete from ledger_audit where lane = $1

-- name: ledger/delete_audits
-- No lane has anything left to look for.
delete from ledger_audit

-- name: ledger/delete_chunks_between
-- Deletes ledger rows of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of lot_chunk.
delete from lot_chunk where wallet_id > $1 and wallet_id <= $2

-- name: ledger/delete_hours_between
-- Deletes ledger rows of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of position_hour.
delete from position_hour where wallet_id > $1 and wallet_id <= $2

-- name: ledger/delete_lost_audits
-- Audits of lanes that the streams no longer have: others look at their wallets. $1 integer: lane count.
delete from ledger_audit where lane >= $1

-- name: ledger/delete_old_snapshots
-- Deletes snapshots between segments up to a count of swaps. Pairwise: $1 integer[] wallet_id, $2 integer[] token_id,
-- $3 bigint[] swap_count. Index: the primary key of position_snapshot.
delete from position_snapshot
using unnest($1::integer[], $2::integer[], $3::bigint[]) as retained (wallet_id, token_id, swap_count)
where position_snapshot.wallet_id = retained.wallet_id
  and position_snapshot.token_id = retained.token_id
  and position_snapshot.swap_count <= retained.swap_count
  and position_snapshot.hours is null

-- name: ledger/delete_positions_between
-- Deletes ledger rows of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of position.
delete from position where wallet_id > $1 and wallet_id <= $2

-- name: ledger/delete_recomputes
-- Deletes completed recomputes, with a notification of each, since rankings cache positions. Where swaps were retracted,
-- what was derived from them goes, too: the wallet's tags, counts of its transactions, and stored days of its chart, from
-- the first of these swaps on (see functions/append_only.sql). A profile of time 0 is computed again when it is read.
-- $1 integer[] wallet_id, $2 integer[] token_id (pairwise). Index: the primary key of position_refold.
with done as (
  delete from position_refold
  using unnest($1::integer[], $2::integer[]) as done (wallet_id, token_id)
  where position_refold.wallet_id = done.wallet_id and position_refold.token_id = done.token_id
  returning position_refold.token_id, position_refold.wallet_id, position_refold.retracted_ms
), uncounted as (
  delete from wallet_transactions
  using done
  where wallet_transactions.wallet_id = done.wallet_id
    and wallet_transactions.hour_ms >= done.retracted_ms / 3600000 * 3600000
), reopened as (
  delete from chart_day
  using done
  where chart_day.wallet_id = done.wallet_id
    and chart_day.day_ms >= done.retracted_ms / 86400000 * 86400000
    and chart_day.day_ms >= first_reopened_day_ms()
), untagged as (
  delete from wallet_tag
  using done
  where wallet_tag.wallet_id = done.wallet_id and done.retracted_ms is not null
), unprofiled as (
  update wallet_profile
  set computed_ms = 0, tags = 0, changed_by = pg_current_xact_id()
  from done
  where wallet_profile.wallet_id = done.wallet_id and done.retracted_ms is not null
)
insert into token_change (token_id, wallet_id)
select token_id, wallet_id from done

-- name: ledger/delete_recomputes_between
-- Deletes ledger rows of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of position_refold.
delete from position_refold where wallet_id > $1 and wallet_id <= $2

-- name: ledger/delete_snapshots_between
-- Deletes ledger rows of the wallets after one and up to another. $1 $2 integer: wallet ids.
-- Index: the primary key of position_snapshot.
delete from position_snapshot where wallet_id > $1 and wallet_id <= $2

-- name: ledger/delete_snapshots_from
-- Deletes snapshots of recomputed positions, after the one that the recompute begins with.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] swap_count (pairwise).
-- Index: the primary key of position_snapshot.
delete from position_snapshot
using unnest($1::integer[], $2::integer[], $3::bigint[]) as again (wallet_id, token_id, swap_count)
where position_snapshot.wallet_id = again.wallet_id
  and position_snapshot.token_id = again.token_id
  and position_snapshot.swap_count > again.swap_count

-- name: ledger/delete_snapshots_since
-- Deletes snapshots that a late swap made wrong: those at or after its slot.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] slot (pairwise).
-- Index: the primary key of position_snapshot.
delete from position_snapshot
using unnest($1::integer[], $2::integer[], $3::bigint[]) as late (wallet_id, token_id, slot)
where position_snapshot.wallet_id = late.wallet_id
  and position_snapshot.token_id = late.token_id
  and position_snapshot.slot >= late.slot

-- name: ledger/find_audit
-- The wallet at which the audit of a lane continues. $1 smallint: lane.
select next_wallet_id from ledger_audit where lane = $1

-- name: ledger/find_pending
-- Positions among these that wait for a recompute. $1 integer[] wallet_id, $2 integer[] token_id (pairwise).
-- Index: the primary key of position_refold.
select position_refold.wallet_id, position_refold.token_id
from unnest($1::integer[], $2::integer[]) as wanted (wallet_id, token_id)
join position_refold on position_refold.wallet_id = wanted.wallet_id
  and position_refold.token_id = wanted.token_id

-- name: ledger/insert_recomputes
-- Queues recomputes of positions, from a slot on. Pairwise: $1 integer[] wallet_id, $2 integer[] token_id,
-- $3 bigint[] from_slot, $5 bigint[] retracted_ms or null; $4 smallint: lane. A position may be given twice.
insert into position_refold (wallet_id, token_id, lane, from_slot, retracted_ms)
select again.wallet_id, again.token_id, $4, min(again.from_slot), min(again.retracted_ms)
from unnest($1::integer[], $2::integer[], $3::bigint[], $5::bigint[])
  as again (wallet_id, token_id, from_slot, retracted_ms)
group by again.wallet_id, again.token_id
on conflict (wallet_id, token_id) do update set
  lane = excluded.lane,
  from_slot = least(position_refold.from_slot, excluded.from_slot),
  retracted_ms = least(position_refold.retracted_ms, excluded.retracted_ms)

-- name: ledger/insert_snapshots
-- Stores snapshots of positions. Pairwise: $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] swap_count,
-- $4 bigint[] slot, $5 integer[] first_chunk, $6 bytea[] state.
insert into position_snapshot (wallet_id, token_id, swap_count, slot, first_chunk, state)
select *
from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[], $5::integer[], $6::bytea[])
on conflict (wallet_id, token_id, swap_count) do update set
  slot = excluded.slot, first_chunk = excluded.first_chunk, state = excluded.state, next_slot = null

-- name: ledger/insert_day_snapshots
-- Stores snapshots of positions as they are stored, with the hours of their segments, and of those that exist the next slot. Pairwise:
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] swap_count, $4 bigint[] slot, $5 integer[] first_chunk, $6 bytea[] state,
-- $7 bigint[] next_slot. Indexes: the primary keys of position_snapshot and position_hour.
insert into position_snapshot (wallet_id, token_id, swap_count, slot, first_chunk, state, next_slot, hours)
select given.*, case when given.swap_count % 1000 > 0 then coalesce(hours.list, '[]') end
from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[], $5::integer[], $6::bytea[], $7::bigint[])
  as given (wallet_id, token_id, swap_count, slot, first_chunk, state, next_slot)
cross join lateral (
  select jsonb_agg(to_jsonb(position_hour)) as list
  from position_hour
  where position_hour.wallet_id = given.wallet_id
    and position_hour.token_id = given.token_id
    and position_hour.segment = given.swap_count / 1000
) as hours
on conflict (wallet_id, token_id, swap_count) do update set
  next_slot = least(position_snapshot.next_slot, excluded.next_slot)

-- name: ledger/delete_old_day_snapshots
-- Deletes all but the newest snapshots within segments of positions. $1 integer[] wallet_id, $2 integer[] token_id (pairwise), $3
-- integer: how many stay. Index: the primary key of position_snapshot.
delete from position_snapshot
using unnest($1::integer[], $2::integer[]) as given (wallet_id, token_id)
where position_snapshot.wallet_id = given.wallet_id
  and position_snapshot.token_id = given.token_id
  and position_snapshot.hours is not null
  and position_snapshot.swap_count < (
    select newer.swap_count
    from position_snapshot as newer
    where newer.wallet_id = given.wallet_id and newer.token_id = given.token_id and newer.hours is not null
    order by newer.swap_count desc
    offset $3::integer - 1
    limit 1
  )

-- name: ledger/restore_hours
-- Hours of segments as they were at the snapshots that positions are recomputed from, and the slot from which on they are. Pairwise: $1
-- integer[] wallet_id, $2 integer[] token_id, $3 bigint[] swap_count, $4 bigint[] slot. Result: snapshots within segments that were
-- found. Index: the primary key of position_snapshot.
with snapshot as (
  update position_snapshot
  set next_slot = case when position_snapshot.next_slot > given.slot then given.slot else position_snapshot.next_slot end
  from unnest($1::integer[], $2::integer[], $3::bigint[], $4::bigint[]) as given (wallet_id, token_id, swap_count, slot)
  where position_snapshot.wallet_id = given.wallet_id
    and position_snapshot.token_id = given.token_id
    and position_snapshot.swap_count = given.swap_count
  returning position_snapshot.hours
), restored as (
  insert into position_hour
  select hour.*
  from snapshot
  cross join lateral jsonb_populate_recordset(null::position_hour, snapshot.hours) as hour
)
select count(hours)::integer as found from snapshot

-- name: ledger/list_begun_before
-- Positions among these that hold a swap from before a time. $1 integer[] wallet_id, $2 integer[] token_id (pairwise), $3 bigint: Unix ms.
-- Index: the primary key of position.
select position.wallet_id, position.token_id
from unnest($1::integer[], $2::integer[]) as wanted (wallet_id, token_id)
join position on position.wallet_id = wanted.wallet_id and position.token_id = wanted.token_id
where position.first_trade_ms < $3

-- name: ledger/list_recomputes
-- Positions of a lane that wait for a recompute, by wallet and token. $1 smallint: lane, $2 integer: how many;
-- $3 $4 integer: wallet and token after which the list continues, 0 at its beginning.
-- Index: position_refold_lane.
select position_refold.wallet_id, position_refold.token_id, position_refold.from_slot, wallet.address
from position_refold
join wallet on wallet.id = position_refold.wallet_id
where position_refold.lane = $1
  and (position_refold.wallet_id, position_refold.token_id) > ($3::integer, $4::integer)
order by position_refold.wallet_id, position_refold.token_id
limit $2

-- name: ledger/find_history_days
-- Days after which swaps are dropped; no row: never. Index: none, one row.
select days from history_bound

-- name: ledger/load_snapshots
-- The newest snapshot of each position that lies before a slot.
-- $1 integer[] wallet_id, $2 integer[] token_id, $3 bigint[] slot (pairwise).
-- Index: the primary key of position_snapshot.
select snapshot.wallet_id, snapshot.token_id, snapshot.swap_count, snapshot.state, snapshot.next_slot
from unnest($1::integer[], $2::integer[], $3::bigint[]) as wanted (wallet_id, token_id, slot)
cross join lateral (
  select wallet_id, token_id, swap_count, state, next_slot
  from position_snapshot
  where wallet_id = wanted.wallet_id and token_id = wanted.token_id and slot < wanted.slot
  order by swap_count desc
  limit 1
) as snapshot
