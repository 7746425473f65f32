-- When the message at `sequence` was stored, Unix ms; null where that is not known. A stream that lost its end gives
-- its numbers again: by their times one tells the messages that a lane has read from those that took their places.
alter table checkpoint add column message_ms bigint;
