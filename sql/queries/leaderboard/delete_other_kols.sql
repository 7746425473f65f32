-- Removes the KOLs that are not among these. $1 text[]: wallets. Reads the whole of kol: thousands.
-- Result: a row for each that is gone.
delete from kol
where not exists (select from unnest($1::text[]) as kept (wallet) where kept.wallet = kol.wallet)
returning wallet
