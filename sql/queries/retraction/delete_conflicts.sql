-- Conflicts that are none any more. $1 bigint[]: ids. Index: event_conflict_pkey.
delete from event_conflict where id = any ($1::bigint[])
