-- How many mints a wallet created. $1 text: wallet. Index: those of created_tokens().
select count(*)::integer as mint_count from created_tokens($1)
