-- Rejected versions that a lane is to accept, in the order in which they came. $1 smallint: lane, $2 integer: how many.
-- Index: event_conflict_readmit.
select id, kept_out from event_conflict where readmit_lane = $1 order by id limit $2
