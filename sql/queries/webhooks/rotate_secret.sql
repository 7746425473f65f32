-- Replaces the secret of a webhook; the old one signs as well for a while. $1 integer: id, $2 bytea: encrypted secret, $3
-- double precision: milliseconds of that while. Result: until when.
update webhook
set old_secret = secret, old_secret_until = now() + $3 * interval '1 millisecond', secret = $2
where id = $1
returning old_secret_until
