-- name: ranking/create_mover_stage
-- Where a session puts down movers before they are merged; empty after each transaction.
create temp table if not exists mover_token_stage (like mover_token including defaults) on commit delete rows

-- name: ranking/create_trending_stage
-- Where a session puts down trending tokens before they are merged; empty after each transaction.
create temp table if not exists trending_token_stage (like trending_token including defaults) on commit delete rows

-- name: ranking/delete_mover_tokens
-- Movers that are on no page. Pairwise: $1 integer[] token ids, $2 smallint[] dex. Index: the primary key.
delete from mover_token
using unnest($1::integer[], $2::smallint[]) as gone (token_id, dex)
where mover_token.token_id = gone.token_id and mover_token.dex = gone.dex

-- name: ranking/delete_ranked
-- Deletes all pages and their tokens: both are computed again.
with pages as (
  delete from trending_page
), sides as (
  delete from mover_page
), trends as (
  delete from trending_token
)
delete from mover_token

-- name: ranking/delete_refresh
-- Deletes the instant of the ranking snapshot: without one, readers find no snapshot.
delete from ranking_roll

-- name: ranking/delete_token_changes
-- Word that was taken. $1 bigint[]: ids. Index: token_change_pkey.
delete from token_change where id = any ($1::bigint[])

-- name: ranking/delete_trending_snapshots
-- Pages that are no more: all but those of these keys. Pairwise: $1 integer[] window_minutes,
-- $2 boolean[] has_rugged, $3 text[] sector.
delete from trending_page
where (window_minutes, has_rugged, sector) not in (
  select * from unnest($1::integer[], $2::boolean[], $3::text[])
)

-- name: ranking/delete_trending_tokens
-- Tokens that are on no page. $1 integer[]: token ids. Index: the primary key.
delete from trending_token where token_id = any ($1::integer[])

-- name: ranking/find_refresh
-- The ranking snapshot of a version of the formulas. $1 integer: version. No row before the first refresh, after a crash
-- of the server, which empties unlogged tables, and where the snapshot is of another version. Reads one row.
select newest_ms from ranking_roll where formula_version = $1

-- name: ranking/merge_mover_snapshots
-- Replaces stored pages of movers. Pairwise: $1 integer[] window_minutes, $2 smallint[] dex, $3 boolean[] is_gainer, $4
-- integer[] where their tokens end in $5 integer[]: token ids of all of them, page after page. Index: the primary key.
insert into mover_page (window_minutes, dex, is_gainer, token_ids)
select
  page.window_minutes, page.dex, page.is_gainer,
  ($5::integer[])[lag(page.last, 1, 0) over (order by page.number) + 1:page.last]
from unnest($1::integer[], $2::smallint[], $3::boolean[], $4::integer[])
  with ordinality as page (window_minutes, dex, is_gainer, last, number)
on conflict (window_minutes, dex, is_gainer) do update set token_ids = excluded.token_ids

-- name: ranking/merge_mover_tokens
-- Replaces the figures of stored movers. Index: the primary key.
insert into mover_token
select * from mover_token_stage
on conflict (token_id, dex) do update set
  window_minutes = excluded.window_minutes, figures = excluded.figures

-- name: ranking/merge_refresh
-- Stores the instant of the ranking snapshot. $1 bigint: the newest swap's time, $2 bigint: sequence of the feed,
-- $3 integer: version of the formulas.
insert into ranking_roll (newest_ms, feed_sequence, rolled_ms, formula_version)
values ($1, $2, (extract(epoch from clock_timestamp()) * 1000)::bigint, $3)
on conflict (is_only) do update set
  newest_ms = excluded.newest_ms, feed_sequence = excluded.feed_sequence,
  rolled_ms = excluded.rolled_ms, formula_version = excluded.formula_version

-- name: ranking/merge_trending_snapshots
-- Replaces stored pages of trending tokens. Pairwise: $1 integer[] window_minutes, $2 boolean[] has_rugged, $3 text[]
-- sector, $4 integer[] total, $5 integer[] where their tokens end in $6 integer[]: token ids of all of them, page after
-- page. Index: the primary key.
insert into trending_page (window_minutes, has_rugged, sector, total, token_ids)
select
  page.window_minutes, page.has_rugged, page.sector, page.total,
  ($6::integer[])[lag(page.last, 1, 0) over (order by page.number) + 1:page.last]
from unnest($1::integer[], $2::boolean[], $3::text[], $4::integer[], $5::integer[])
  with ordinality as page (window_minutes, has_rugged, sector, total, last, number)
on conflict (window_minutes, has_rugged, sector) do update set
  total = excluded.total, token_ids = excluded.token_ids

-- name: ranking/merge_trending_tokens
-- Replaces the figures of stored trending tokens. Index: the primary key.
insert into trending_token
select * from trending_token_stage
on conflict (token_id) do update set
  window_minutes = excluded.window_minutes, changes = excluded.changes, figures = excluded.figures

-- name: ranking/note_read
-- Notes up to where FEED is in the ranking snapshot, after a refresh that changed nothing. $1 bigint: sequence of the
-- feed, $2 integer: version of the formulas. Writes one row, none without a snapshot of this version.
update ranking_roll set feed_sequence = $1 where formula_version = $2
