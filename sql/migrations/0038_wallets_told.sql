-- Word of one position alone: rankings read the wallet's again, not those of all holders of the token. Null: what is
-- told is of the token.
alter table token_change add column wallet_id integer;
