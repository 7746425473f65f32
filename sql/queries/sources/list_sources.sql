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
