-- How a mint is spread over those who hold some, by the ledger: their number, what they hold in all, the
-- largest and the ten largest of them, and the sum of squared shares (0..1; null without a holder).
-- $1 integer: token id. Index: position_token.
with held as materialized (
  select balance from position where token_id = $1 and balance > 0
),
total as materialized (
  select count(*)::integer as holder_count, coalesce(sum(balance), 0) as held from held
)
select
  total.holder_count,
  total.held,
  coalesce((select max(balance) from held), 0) as top1,
  coalesce(
    (select sum(balance) from (select balance from held order by balance desc limit 10) as ten), 0
  ) as top10,
  (
    select sum((balance::double precision / total.held::double precision) ^ 2) from held
  ) as hhi
from total
