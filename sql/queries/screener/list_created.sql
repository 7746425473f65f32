-- Ids of tokens of a creator. $1 text: creator. Index: those of created_tokens().
select created_tokens as id from created_tokens($1)
