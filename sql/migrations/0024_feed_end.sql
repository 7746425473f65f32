-- The newest message of FEED that a lane had announced when it committed, and of which epoch: where that no longer
-- stands, FEED lost its end, and whoever follows it is told. null and 0: the lane has announced nothing yet.
alter table checkpoint
  add column feed_epoch text collate "C",
  add column feed_sequence bigint not null default 0;
