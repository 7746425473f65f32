-- Deletes mints that a wallet no longer holds.
-- $1 integer: wallet id, $2 text[]: mints that it holds. Index: held_token_pkey.
delete from held_token where wallet_id = $1 and mint <> all ($2::text[])
