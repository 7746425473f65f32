-- A run of slots, as all lanes have it. $1 integer: width, $2 bigint: bucket. Index: the primary key.
delete from slot_span where width = $1 and bucket = $2
