-- Takes every lane of an actor from whoever has it, raising the epochs: commits of the owners before fail.
-- $1 text: owner, $2 integer: lease in milliseconds, $3 text: actor.
update checkpoint
set
  owner = $1,
  epoch = epoch + 1,
  leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where actor = $3
returning lane, epoch
