-- Conflicts that were seen so long ago. $1 integer: days.
delete from event_conflict where seen_at < now() - $1::integer * interval '1 day'
