-- Takes every lane of the ledger from whoever has it, raising the epochs: commits of the owners before
-- fail. $1 text: owner, $2 integer: lease in milliseconds.
update checkpoint
set
  owner = $1,
  epoch = epoch + 1,
  leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where actor = 'ledger'
returning lane, epoch
