-- Records messages that a stream has lost, once for each position.
-- $1 text[] actors, $2 smallint[] lanes, $3 text[] streams, $4 text[] epochs, $5 bigint[] sequences,
-- $6 bigint[] counts: a row each.
-- Index: lost_message_pkey.
insert into lost_message (actor, lane, stream, stream_epoch, sequence, message_count)
select * from unnest($1::text[], $2::smallint[], $3::text[], $4::text[], $5::bigint[], $6::bigint[])
on conflict (actor, lane, stream_epoch, sequence) do nothing
