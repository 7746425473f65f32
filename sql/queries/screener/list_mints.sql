-- Ids of mints. $1 text[]. Index: token_address_key.
select id
from token
where address = any ($1)
  and {+known_token}
