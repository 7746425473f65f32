-- name: ranking/advance_recount
-- Tokens before this one are counted. $1 integer: token.
update ranking_recount set next_token_id = $1

-- name: ranking/begin_recount
-- Starts a recount of all tokens, from the first on.
insert into ranking_recount (next_token_id) values (0)
on conflict (is_only) do update set next_token_id = 0

-- name: ranking/delete_covers_between
-- Deletes the watermarks of pages that begin from $1 to before $2, integers. Index: the primary key.
delete from ranking_cover where from_token_id >= $1 and from_token_id < $2

-- name: ranking/delete_hours_between
-- Tokens from $1 to before $2, integers; buckets from $3 on, bigint, Unix ms. Index: the primary key.
delete from trader_hour where token_id >= $1 and token_id < $2 and bucket_ms >= $3

-- name: ranking/delete_minutes_between
-- Tokens from $1 to before $2, integers; buckets from $3 on, bigint, Unix ms. Index: the primary key.
delete from trader_minute where token_id >= $1 and token_id < $2 and bucket_ms >= $3

-- name: ranking/delete_recount
-- All tokens are counted.
delete from ranking_recount

-- name: ranking/find_recount
-- The first token that is still to be recounted; no row when none is.
select next_token_id from ranking_recount

-- name: ranking/find_recount_page
-- Where a page of tokens ends: before this one. $1 integer: from this token on, $2 bigint: about so many
-- swaps, at least one token. Nothing when there are no more. Index: pool_token.
select token_id + 1 as to_token_id
from (
  select token_id, sum(sum(swap_count)) over (order by token_id) as swaps
  from (
    select token_id, swap_count from pool where token_id >= $1 order by token_id limit 20000
  ) as pool
  group by token_id
) as counted
order by swaps > $2 desc, case when swaps > $2 then token_id else -token_id end
limit 1

-- name: ranking/hold_chunks
-- Until the transaction ends no other creates a chunk of `swap`: creating one takes this lock, which conflicts with
-- itself only, so that swaps of existing chunks are stored meanwhile. A statement lists the chunks that it reads
-- before it takes its snapshot: without the lock it would see a commit and not the chunk that this created.
lock table swap in share update exclusive mode

-- name: ranking/list_covers
-- Watermarks of the recounts of tokens. Reads the whole of a small table.
select from_token_id, to_token_id, pool_lane, commit_number from ranking_cover
