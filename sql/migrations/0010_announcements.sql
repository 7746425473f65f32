-- What a commit is to announce is not written a second time: its rows are known by its transaction, and
-- the slots say where to look for them. The newest commit of a lane is enough, because a commit begins
-- when the one before it stands in FEED.

alter table checkpoint
  add column transaction_id xid8,
  -- Runs of slots, pairwise, both ends included; empty where there is nothing to announce.
  add column first_slots bigint[] not null default '{}',
  add column last_slots bigint[] not null default '{}';

drop table outbox;
