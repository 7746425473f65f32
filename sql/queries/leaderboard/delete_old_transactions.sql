-- Forgets counts of hours that no arbitrageur is told by any more. $1 bigint: the first hour that counts.
-- Reads the whole of wallet_transactions: the hours of those that were in doubt.
delete from wallet_transactions where hour_ms < $1
