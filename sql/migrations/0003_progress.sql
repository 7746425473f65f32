-- Progress of the actors: lanes with their leases and checkpoints, and what became of the messages that they read.
-- Written by the runtime of the workers (workers/runtime), whichever actor it runs.

-- One row a lane of an actor: its owner and how far it has read. This row is the truth about progress; it moves by
-- compare-and-set in the transaction that holds the effects. Leases go by this server's clock.
--   epoch                        of the lease: a replaced owner's commit changes no row
--   stream_epoch, sequence       last message applied, and of which history of the stream
--   message_ms                   time at which that message was stored, Unix ms; null where unknown.
--                                Distinguishes messages that were read from those that took their sequences after a
--                                stream lost its end
--   seen_sequence                nothing up to here is unread by this lane, though its own newest message may be older:
--                                what the stream trims up to here is no loss
--   commit_number, committed_at, transaction_id
--                                the newest commit; its rows are found by its transaction
--   first_slots, last_slots      runs of slots of that commit, pairwise and inclusive; empty: nothing to publish
--   published_commit, published_parts
--                                newest commit that publishes, and how many messages of FEED it makes: after that many
--                                no more will come
--   feed_epoch, feed_sequence    newest message of FEED that the lane had published; if it is gone, FEED lost its end
create table checkpoint (
  actor text collate "C" not null,
  lane smallint not null,
  epoch bigint not null default 0,
  owner text collate "C",
  leased_until timestamptz not null default '-infinity',
  stream_epoch text collate "C",
  sequence bigint not null default 0,
  commit_number bigint not null default 0,
  committed_at timestamptz,
  transaction_id xid8,
  first_slots bigint[] not null default '{}',
  last_slots bigint[] not null default '{}',
  published_commit bigint not null default 0,
  published_parts integer not null default 0,
  feed_epoch text collate "C",
  feed_sequence bigint not null default 0,
  message_ms bigint,
  seen_sequence bigint not null default 0,
  primary key (actor, lane)
) with (fillfactor = 50);

-- Worker processes that are alive, each by its heartbeat, so that lanes are shared out evenly.
create table worker (
  id text collate "C" primary key,
  actors text[] not null,
  seen_at timestamptz not null
) with (fillfactor = 50);

-- Events that an actor could not apply, with the reason, in the commit that moved the checkpoint past them. `part` is
-- the event's index in its message. `dead retry` marks what an operator published again.
create table dead_letter (
  id bigint generated always as identity primary key,
  actor text collate "C" not null,
  lane smallint not null,
  stream_epoch text collate "C" not null,
  sequence bigint not null,
  part integer not null,
  subject text collate "C" not null,
  reason text not null,
  payload bytea not null,
  created_at timestamptz not null default now(),
  retried_at timestamptz,
  unique (actor, lane, stream_epoch, sequence, part)
);

-- Outcomes of the events of one run of `ingest`, counted by the pool actor in the commits that decided it.
create table ingest_run (
  id text collate "C" not null,
  lane smallint not null,
  accepted bigint not null default 0,
  duplicate bigint not null default 0,
  conflict bigint not null default 0,
  other bigint not null default 0,
  dead bigint not null default 0,
  updated_at timestamptz not null default now(),
  primary key (id, lane)
) with (fillfactor = 50);

-- Messages that a stream no longer holds although they were not trimmed, as each lane found them; `status` reports
-- them. Written once for a sequence and never deleted: the record of a damaged disk. Where the server only counts what
-- is missing, `sequence` is the newest message that was read.
create table lost_message (
  actor text not null,
  lane smallint not null,
  stream text not null,
  stream_epoch text not null,
  sequence bigint not null,
  message_count bigint not null,
  found_at timestamptz not null default now(),
  primary key (actor, lane, stream_epoch, sequence)
);
