-- Poison, with its reason. $1 text: actor, $2 integer: lane, $3 text: stream epoch; pairwise:
-- $4 bigint[] sequence, $5 integer[] part, $6 text[] subject, $7 text[] reason, $8 bytea[] payload.
insert into dead_letter (actor, lane, stream_epoch, sequence, part, subject, reason, payload)
select $1, $2, $3, letter.sequence, letter.part, letter.subject, letter.reason, letter.payload
from unnest($4::bigint[], $5::integer[], $6::text[], $7::text[], $8::bytea[])
  as letter (sequence, part, subject, reason, payload)
on conflict (actor, lane, stream_epoch, sequence, part) do nothing
