-- name: sources/beat_source
-- Heartbeat of a source of chain data. $1 jsonb: its row without seen_at and moved_at, by column. Deletes sources of the same kind, endpoint,
-- commitment and venues whose place it takes: those that ended, or are silent for 15 s; and any that is silent for an hour. A
-- source that has no cursor yet begins with the moved_at of the one before it, so that one that is started again and again shows
-- since when there is no progress.
with beat as (
  select * from jsonb_populate_record(null::chain_source, $1::jsonb)
), forgotten as (
  delete from chain_source as old
  using beat
  where old.id <> beat.id
    and (
      old.seen_at < clock_timestamp() - interval '1 hour'
      or (
        (old.ended_at is not null or old.seen_at < clock_timestamp() - interval '15 seconds')
        and old.kind = beat.kind and old.endpoint = beat.endpoint
        and old.commitment = beat.commitment and old.venues = beat.venues
      )
    )
)
insert into chain_source (
  id, kind, endpoint, commitment, venues, decoder_version, from_slot, to_slot, cursor_slot, newest_slot, newest_block_ms,
  slots, skipped_slots, swaps, pool_events, tokens, rejects, mismatches, retries, requests, throttled_requests,
  failed_requests, slots_per_second, swaps_per_second, last_error, last_error_at, started_at, moved_at, seen_at,
  ended_at
)
select
  id, kind, endpoint, commitment, venues, decoder_version, from_slot, to_slot, cursor_slot, newest_slot, newest_block_ms,
  slots, skipped_slots, swaps, pool_events, tokens, rejects, mismatches, retries, requests, throttled_requests,
  failed_requests, slots_per_second, swaps_per_second, last_error, last_error_at, started_at,
  coalesce(
    (
      select max(old.moved_at) from chain_source as old
      where beat.cursor_slot is null and old.id <> beat.id
        and old.kind = beat.kind and old.endpoint = beat.endpoint
        and old.commitment = beat.commitment and old.venues = beat.venues
    ),
    clock_timestamp()
  ),
  clock_timestamp(), ended_at
from beat
on conflict (id) do update set
  from_slot = excluded.from_slot,
  to_slot = excluded.to_slot,
  cursor_slot = excluded.cursor_slot,
  newest_slot = excluded.newest_slot,
  newest_block_ms = excluded.newest_block_ms,
  slots = excluded.slots,
  skipped_slots = excluded.skipped_slots,
  swaps = excluded.swaps,
  pool_events = excluded.pool_events,
  tokens = excluded.tokens,
  rejects = excluded.rejects,
  mismatches = excluded.mismatches,
  retries = excluded.retries,
  requests = excluded.requests,
  throttled_requests = excluded.throttled_requests,
  failed_requests = excluded.failed_requests,
  slots_per_second = excluded.slots_per_second,
  swaps_per_second = excluded.swaps_per_second,
  last_error = excluded.last_error,
  last_error_at = excluded.last_error_at,
  moved_at = case
    when excluded.cursor_slot is distinct from chain_source.cursor_slot then excluded.seen_at
    else chain_source.moved_at
  end,
  seen_at = excluded.seen_at,
  ended_at = excluded.ended_at

-- name: sources/forget_source
-- Deletes a source of chain data that ended in order. $1 uuid.
delete from chain_source where id = $1

-- name: sources/list_sources
-- Sources of chain data by kind and endpoint, the one that was seen last as the last. Result: the columns named here, and
-- age_ms since the heartbeat, moved_age_ms since the cursor moved, lag_ms: milliseconds from the newest block that was read to now, and state: running with a
-- heartbeat within 15 s, failed, or silent. Reads the whole table: a row a process.
select
  id, kind, endpoint, commitment, venues, decoder_version, from_slot, to_slot, cursor_slot,
  newest_slot, newest_block_ms, slots, skipped_slots, swaps, pool_events, tokens, rejects,
  mismatches, retries, requests, throttled_requests, failed_requests, slots_per_second,
  swaps_per_second, last_error, last_error_at, started_at, moved_at, seen_at, ended_at,
  greatest(0, extract(epoch from clock_timestamp() - seen_at) * 1000)::bigint as age_ms,
  greatest(0, extract(epoch from clock_timestamp() - moved_at) * 1000)::bigint as moved_age_ms,
  case
    when newest_block_ms is not null
      then greatest(0, extract(epoch from clock_timestamp()) * 1000 - newest_block_ms)::bigint
  end as lag_ms,
  case
    when ended_at is not null then 'failed'
    when seen_at > clock_timestamp() - interval '15 seconds' then 'running'
    else 'silent'
  end as state
from chain_source
order by kind, endpoint, seen_at
