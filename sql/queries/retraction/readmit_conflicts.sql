-- Conflicts whose rejected version a lane is to accept. $1 bigint[]: ids, $2 smallint: lane. Index: event_conflict_pkey.
update event_conflict set readmit_lane = $2 where id = any ($1::bigint[])
