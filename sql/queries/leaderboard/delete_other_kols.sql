-- Removes the KOLs that are not among these, with an audit line. $1 text[]: wallets, $2 text: operator.
-- Reads the whole of kol: thousands. Result: a row for each removed one.
with gone as (
  delete from kol
  where not exists (select from unnest($1::text[]) as kept (wallet) where kept.wallet = kol.wallet)
  returning wallet
), audited as (
  insert into operator_audit (action, target, actor)
  select 'kol_removed', wallet, $2 from gone
)
select wallet from gone
