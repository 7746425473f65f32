-- Renews what an owner still has of an actor's lanes. $1 text: owner, $2 integer: milliseconds, $3 text:
-- actor.
update checkpoint
set leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where actor = $3 and owner = $1
returning lane
