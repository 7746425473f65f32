-- Times of a run of slots. $1 smallint: lane, $2 integer: width, $3 bigint: bucket, $4 $5 bigint: first and last time.
insert into slot_span (lane, width, bucket, first_ms, last_ms) values ($1, $2, $3, $4, $5)
