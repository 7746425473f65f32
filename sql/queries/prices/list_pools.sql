-- Ids of a mint's pools that ever had a priced trade. $1 text: mint. Index: token_address_key, pool_token.
select id from pool
where token_id = (select id from token where address = $1) and last_price is not null
order by id
