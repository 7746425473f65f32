-- A lane's run of slots without a swap. $1 smallint: lane, $2 integer: width, $3 bigint: bucket. Index: the primary key.
delete from slot_span where lane = $1 and width = $2 and bucket = $3
