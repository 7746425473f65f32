-- How a mint is spread over those who hold some, by the ledger: their number, what they hold in all, the
-- largest and the ten largest of them, and the sum of squared shares (0..1; null without a holder).
-- $1 integer: token id. Index: position_token.
select
  count(*)::integer as holder_count,
  coalesce(sum(balance), 0) as held,
  coalesce(max(balance), 0) as top1,
  coalesce(
    (
      select sum(balance)
      from (
        select balance
        from position
        where token_id = $1 and balance > 0
        order by balance desc
        limit 10
      ) as largest
    ),
    0
  ) as top10,
  sum(balance::double precision * balance::double precision)
    / sum(balance)::double precision ^ 2 as hhi
from position
where token_id = $1 and balance > 0
