-- Retractions are applied by lanes, judged once for all of them, and published by sources, which may be killed meanwhile.

-- How many lanes there were when a lane stored its row of a retraction or applied it; null: stored before this was noted, and
-- taken for the present number. Streams that are made again may have another number, and then a lane has other pools.
alter table retraction add column lane_count smallint;

-- Whether a retraction is refused because the days of its block are closed. The lane that reads it first judges; it binds the
-- others, which may read it after the next midnight.
create table retraction_verdict (
  slot bigint not null,
  blockhash text collate "C" not null,
  is_refused boolean not null,
  primary key (slot, blockhash)
);

-- Other blocks of the slot that were published before and replaced by this one: their retractions may not be stored yet.
alter table chain_link add column former_blockhashes text[] not null default '{}';
