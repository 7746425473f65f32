-- Sources of chain data by kind and endpoint, the one that was seen last as the last. Result: the columns of the table, and
-- age_ms since the heartbeat, moved_age_ms since the cursor moved, lag_ms: milliseconds from the newest block that was read to now, and state: running with a
-- heartbeat within 15 s, failed, or silent. Reads the whole table: a row a process.
select
  chain_source.*,
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
