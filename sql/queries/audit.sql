-- name: audit/find_token
-- Whether anything is indexed of a mint. $1 text: address. Index: token_address_key.
select id
from token
where address = $1
  and {+known_token}
