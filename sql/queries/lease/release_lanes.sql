-- Gives an actor's lanes back. $1 text: owner, $2 text: actor.
update checkpoint
set owner = null, leased_until = '-infinity'
where actor = $2 and owner = $1
