-- Renews what a worker still owns. $1 text: worker id, $2 integer: lease in milliseconds.
-- Result: the lanes that are its own, with their epochs.
update checkpoint
set leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where owner = $1
returning actor, lane, epoch
