-- Messages that a stream no longer holds although nobody trimmed them: what each lane found, for `status`. A row is
-- written once for a place, and deleted by nobody: it is the record of a damaged disk.
create table lost_message (
  actor text not null,
  lane smallint not null,
  stream text not null,
  stream_epoch text not null,
  -- The message, or for what the server only counts the newest message that was read.
  sequence bigint not null,
  message_count bigint not null,
  found_at timestamptz not null default now(),
  primary key (actor, lane, stream_epoch, sequence)
);
