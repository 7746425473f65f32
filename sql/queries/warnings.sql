-- name: warnings/add_reads
-- Adds swaps of venues to the steps of slots that they were read in. Pairwise: $1 smallint[]: venue, $2 bigint[]: step, $3 bigint[]:
-- swaps, $4 bigint[]: unreadable ones, $5 bigint[]: those of pools without SOL. Index: decoder_read_pkey.
insert into decoder_read (dex, step, swaps, unreadable, no_sol)
select * from unnest($1::smallint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[])
on conflict (dex, step) do update
set swaps = decoder_read.swaps + excluded.swaps,
  unreadable = decoder_read.unreadable + excluded.unreadable,
  no_sol = decoder_read.no_sol + excluded.no_sol,
  updated_at = now()

-- name: warnings/add_warnings
-- Adds warnings, or what was read of known ones. Pairwise: $1 smallint[]: venue, $2 text[]: kind, $3 text[]: subject, $4 bigint[],
-- $5 bigint[]: first and last slot, $6 bigint[]: reads. Result: those that were not known. Index: decoder_warning_pkey.
with added as (
  insert into decoder_warning as known (dex, kind, subject, first_slot, last_slot, reads)
  select * from unnest(
    $1::smallint[], $2::text[], $3::text[], $4::bigint[], $5::bigint[], $6::bigint[]
  )
  on conflict (dex, kind, subject) do update
  set first_slot = least(known.first_slot, excluded.first_slot),
    last_slot = greatest(known.last_slot, excluded.last_slot),
    reads = known.reads + excluded.reads,
    last_seen_at = now()
  returning dex, kind, subject, first_slot, xmax = 0 as is_new
)
select dex, kind, subject, first_slot from added
where is_new
order by dex, kind, subject

-- name: warnings/delete_old_reads
-- Deletes steps that were not written for an hour. Index: decoder_read_updated.
delete from decoder_read where updated_at < now() - interval '1 hour'

-- name: warnings/list_rates
-- Warnings of rates of rejects of these venues. $1 smallint[]. Index: decoder_warning_pkey.
select dex, subject, first_slot, last_slot, reads, ended_slot
from decoder_warning
where dex = any ($1::smallint[]) and kind = 'reject_rate'

-- name: warnings/list_warnings
-- All warnings by venue, upgrades and reject rates first, then by first slot. Result: age_ms: since a process saw it first. Reads the
-- whole table: a row for each upgrade and each unknown discriminator.
select
  dex, kind, subject, first_slot, last_slot, reads, share, ended_slot, first_seen_at,
  greatest(0, extract(epoch from clock_timestamp() - first_seen_at) * 1000)::bigint as age_ms
from decoder_warning
order by dex, kind not in ('upgrade', 'reject_rate'), kind, first_slot, subject

-- name: warnings/sum_windows
-- Swaps of venues in the steps up to one. Pairwise: $1 smallint[], $2 bigint[]: venue and newest step; $3 integer: steps of a
-- window. Index: decoder_read_pkey.
select newest.dex, newest.step, summed.swaps, summed.unreadable, summed.no_sol
from unnest($1::smallint[], $2::bigint[]) as newest (dex, step)
cross join lateral (
  select
    coalesce(sum(swaps), 0)::bigint as swaps,
    coalesce(sum(unreadable), 0)::bigint as unreadable,
    coalesce(sum(no_sol), 0)::bigint as no_sol
  from decoder_read
  where decoder_read.dex = newest.dex
    and decoder_read.step > newest.step - $3::integer and decoder_read.step <= newest.step
) as summed

-- name: warnings/write_rate
-- Writes the warning of a rate of rejects. $1 smallint: venue, $2 text: subject, $3 bigint, $4 bigint: first and last slot, $5 bigint:
-- windows outside the band, $6 double precision: share, $7 bigint: slot at which it ended, null while it lasts, $8 boolean: whether
-- it begins with this window. Index: decoder_warning_pkey.
insert into decoder_warning as known (dex, kind, subject, first_slot, last_slot, reads, share, ended_slot)
values ($1, 'reject_rate', $2, $3, $4, $5, $6, $7)
on conflict (dex, kind, subject) do update
set first_slot = excluded.first_slot,
  last_slot = excluded.last_slot,
  reads = excluded.reads,
  share = excluded.share,
  ended_slot = excluded.ended_slot,
  first_seen_at = case when $8::boolean then now() else known.first_seen_at end,
  last_seen_at = now()
