-- What a mint costs now, in SOL a whole token, and US dollars a SOL; price and its time null where no pool
-- ever had a priced trade. $1 integer: token id. Index: those of token_prices() and sol_usd().
select priced.price, priced.price_ms, sol_usd() as sol_usd, newest_swap_ms() as newest_ms
from (select) as one
left join token_prices(array[$1::integer]) as priced on true
