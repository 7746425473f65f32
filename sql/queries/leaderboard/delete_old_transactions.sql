-- Deletes counts of hours that no longer determine arbitrageurs. $1 bigint: the first hour that counts.
-- Reads the whole of wallet_transactions: the hours of undecided wallets.
delete from wallet_transactions where hour_ms < $1
