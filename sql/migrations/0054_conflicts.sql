-- Events that contradict what is stored and were kept out of every other table: both versions, as lines of
-- the ingest format, for an operator to judge. A version is listed once, however often it is delivered.
create table event_conflict (
  id bigint generated always as identity primary key,
  kind text collate "C" not null check (kind in ('redelivery_differs', 'fork_suspected')),
  event text collate "C" not null check (event in ('swap', 'pool_event')),
  signature text collate "C" not null,
  pair_address text collate "C" not null,
  wallet text collate "C",
  stored_slot bigint not null,
  kept_out_slot bigint not null,
  stored text not null,
  kept_out text not null,
  seen_at timestamptz not null default now()
);

create unique index event_conflict_version on event_conflict (signature, md5(kept_out));
