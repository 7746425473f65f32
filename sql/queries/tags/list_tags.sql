-- Tags of a wallet, the strongest first.
-- $1 integer: wallet id. Index: wallet_tag_pkey.
select tag, score, token.address as mint, computed_ms
from wallet_tag
join token on token.id = token_id
where wallet_id = $1
  and {+known_token}
order by score desc, tag, mint
