-- Removes a KOL. $1 text: wallet, $2 text: operator. Result: the wallet, if it was a KOL.
-- Index: kol_pkey.
with gone as (
  delete from kol where wallet = $1 returning wallet
), audited as (
  insert into operator_audit (action, target, actor)
  select 'kol_removed', wallet, $2 from gone
)
select wallet from gone
