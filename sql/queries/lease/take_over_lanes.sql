-- Takes over every lane of an actor from its owner, raising the epochs: commits of former owners fail.
-- $1 text: owner, $2 integer: lease in milliseconds, $3 text: actor.
update checkpoint
set
  owner = $1,
  epoch = epoch + 1,
  leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where actor = $3
returning lane, epoch
