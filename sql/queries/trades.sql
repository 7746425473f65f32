-- name: trades/list_sold
-- Positions of a wallet in some mints, by their ids; no row for a mint without a position.
-- $1 text: wallet; $2 text[]: mints. Index: wallet_address_key, token_address_key, position_pkey. A row that begins with
-- the wallet: written as token_id = y, the planner may scan all holders of a mint.
with requested as materialized (
  select id from wallet where address = $1
)
select position.wallet_id, position.token_id, token.address as mint
from token
join position
  on (position.wallet_id, position.token_id) >= ((select id from requested), token.id)
    and (position.wallet_id, position.token_id) <= ((select id from requested), token.id)
where token.address = any ($2)
