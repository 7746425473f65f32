-- Sources of chain data that run, each by its heartbeat.

-- One row a process that reads the chain: `source rpc`, `source geyser` or `backfill`. Written every 5 s by the process
-- (deploy/chain/heartbeat.ts), which deletes its row when it ends in order; one that failed leaves it with its error until
-- another source takes its place, or for an hour. Unlogged: after a crash of the server the running ones report again.
--   endpoint             host and port, without the path and the credentials of the URL
--   venues               the venues that are decoded: bit 1 << dex
--   from_slot, to_slot   range of a backfill; null of a source that follows the chain
--   cursor_slot          every event up to here is stored in SWAP; null before the first
--   newest_slot          highest slot at the commitment that the provider has reported
--   newest_block_ms      time of the newest block that was read, Unix ms
--   slots ... failed_requests
--                        counts since the process started: slots with the skipped ones, decoded events, swaps that
--                        yielded no event by reason, vault mismatches by venue, reopenings after an error, and requests
--                        of JSON-RPC with those that were throttled or repeated
--   slots_per_second, swaps_per_second
--                        over the last minute
--   moved_at             when the cursor moved last; a source that takes the place of one that failed begins with its time
--   seen_at              heartbeat; both by this server's clock
--   ended_at             when the process ended with `last_error`
create unlogged table chain_source (
  id uuid primary key,
  kind text collate "C" not null,
  endpoint text collate "C" not null,
  commitment text collate "C" not null,
  venues integer not null,
  decoder_version smallint not null,
  from_slot bigint,
  to_slot bigint,
  cursor_slot bigint,
  newest_slot bigint,
  newest_block_ms bigint,
  slots bigint not null,
  skipped_slots bigint not null,
  swaps bigint not null,
  pool_events bigint not null,
  tokens bigint not null,
  rejects jsonb not null,
  mismatches jsonb not null,
  retries bigint not null,
  requests bigint not null,
  throttled_requests bigint not null,
  failed_requests bigint not null,
  slots_per_second double precision not null,
  swaps_per_second double precision not null,
  last_error text,
  last_error_at timestamptz,
  started_at timestamptz not null,
  moved_at timestamptz not null,
  seen_at timestamptz not null,
  ended_at timestamptz
) with (fillfactor = 50);
