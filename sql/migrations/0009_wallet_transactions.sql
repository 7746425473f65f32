-- How many transactions of an hour a wallet made, and how many of them bought and sold one mint, where the
-- hours of its positions do not say it: a transaction that touches two mints stands in both. Counted once
-- by whoever makes leaderboards, for wallets whose kind hangs on it.
--
-- Swaps are only ever added, and one that changes these numbers changes a position's: as long as the sums
-- over positions are what they were, so is the count.
create table wallet_transactions (
  wallet_id integer not null,
  hour_ms bigint not null,
  transaction_sum bigint not null,
  arbitrage_sum bigint not null,
  transaction_count bigint not null,
  arbitrage_count bigint not null,
  primary key (wallet_id, hour_ms)
);
