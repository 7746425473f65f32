-- Renews what an owner still has of the ledger's lanes. $1 text: owner, $2 integer: milliseconds.
update checkpoint
set leased_until = clock_timestamp() + $2::integer * interval '1 millisecond'
where actor = 'ledger' and owner = $1
returning lane
