-- The id of a wallet that ever traded.
-- $1 text: address. Index: wallet_address_key.
select id from wallet where address = $1
