-- Up to which sequence the stream of `stream_epoch` is known to have nothing that the lane has not read: its own newest
-- message may lie far before what other lanes got since. What the stream lets go of up to there is no loss.
alter table checkpoint add column seen_sequence bigint not null default 0;
