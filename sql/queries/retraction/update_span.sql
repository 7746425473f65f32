-- Times of a lane's run of slots. $1 smallint: lane, $2 integer: width, $3 bigint: bucket, $4 $5 bigint: first and last
-- time. Index: the primary key.
update slot_span set first_ms = $4, last_ms = $5 where lane = $1 and width = $2 and bucket = $3
