-- Gives the ledger's lanes back. $1 text: owner.
update checkpoint
set owner = null, leased_until = '-infinity'
where actor = 'ledger' and owner = $1
