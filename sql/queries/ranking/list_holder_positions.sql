-- Every position of tokens, as far as rankings have to do with it: by token, then wallet. $1 integer[]: token ids.
-- Index: position_token.
select token_id, wallet_id, balance, held_changes
from position
where token_id = any ($1::integer[])
order by token_id, wallet_id
