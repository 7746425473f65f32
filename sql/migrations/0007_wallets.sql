-- Facts of wallets beyond their positions, from jobs and operators: tags, leaderboards, chart days, balances on chain.

-- When a wallet was profiled last (Unix ms), and its tags as bits (domain/wallet/wallet-tag.ts). `changed_by`: the
-- transaction that last changed them; the pool actor caches all that are not 0 and queries those that changed since.
-- Written by the job that computes tags.
create table wallet_profile (
  wallet_id integer primary key,
  computed_ms bigint not null,
  tags smallint not null default 0,
  changed_by xid8
);

create index wallet_profile_changed on wallet_profile (changed_by) where changed_by is not null;

-- The tags of a wallet by mint, all of its newest profile. Written with wallet_profile.
create table wallet_tag (
  wallet_id integer not null,
  token_id integer not null,
  tag text collate "C" not null,
  score double precision not null,
  computed_ms bigint not null,
  primary key (wallet_id, token_id, tag)
);

-- Smart money, whatever the mint in which a wallet is tagged.
create index wallet_tag_smart on wallet_tag (wallet_id, score) where tag = 'smart_money';

-- Wallets of known people, imported by operators. By address: one may be known before it trades.
create table kol (
  wallet text collate "C" primary key,
  display_name text not null,
  twitter_handle text not null
);

-- Transactions of a wallet in an hour, and how many of them bought and sold one mint, where the hours of its positions
-- do not determine them (a transaction that touches two mints counts in both). Counted by the leaderboard job for the
-- wallets whose kind depends on it. The sums over positions are stored with the count: it is valid as long as they are
-- equal.
create table wallet_transactions (
  wallet_id integer not null,
  hour_ms bigint not null,
  transaction_sum bigint not null,
  arbitrage_sum bigint not null,
  transaction_count bigint not null,
  arbitrage_count bigint not null,
  primary key (wallet_id, hour_ms)
);

-- One row a period: when its leaderboard was computed (Unix ms of this server, before it read) and of which hours.
-- Replaced as a whole by a job. Unlogged: computed again after a crash.
create unlogged table leaderboard (
  period text collate "C" primary key,
  computed_ms bigint not null,
  from_ms bigint not null,
  to_ms bigint not null,
  wallet_count bigint not null
);

-- 1,000 ranks a row, in order; `realized` in lamports. Arbitrageurs are included; `honest_before` and `honest_count`
-- count the others before the page and on it, so that ranks without arbitrageurs are found as fast. Replaced as a whole
-- every few minutes, hence the eager vacuum.
create unlogged table leaderboard_page (
  period text collate "C" not null,
  pnl_mode text collate "C" not null,
  page integer not null,
  honest_before bigint not null,
  honest_count integer not null,
  wallet_ids integer[] not null,
  arbitrageurs boolean[] not null,
  realized numeric[] not null,
  trade_counts bigint[] not null,
  covered_sell_counts bigint[] not null,
  win_counts bigint[] not null,
  primary key (period, pnl_mode, page)
) with (
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 500,
  toast.autovacuum_vacuum_scale_factor = 0, toast.autovacuum_vacuum_threshold = 5000
);

create index leaderboard_page_honest on leaderboard_page (period, pnl_mode, honest_before)
  where honest_count > 0;

-- Value in SOL of a wallet's holdings at the end of each closed day (`day_ms`: its beginning). A day is written once,
-- by the API or the backfill job, and never changes, whatever swaps arrive later: the one exception to "every table is
-- the fold of its swaps". Changes are refused by a trigger (functions/append_only.sql).
create table chart_day (
  wallet_id integer not null,
  day_ms bigint not null check (day_ms % 86400000 = 0),
  value_sol double precision not null,
  primary key (wallet_id, day_ms)
);

-- When a wallet's balances on chain were read last (Unix ms), by the reconciliation job. A wallet is reconciled when it
-- has a row here.
create table reconciliation (
  wallet_id integer primary key,
  reconciled_ms bigint not null
);

-- Balances of that same read: the sum of the wallet's token accounts of a mint, in base units (up to 2^64 - 1 an
-- account). By address, because mints without a swap have no token id.
create table held_token (
  wallet_id integer not null,
  mint text collate "C" not null,
  quantity numeric not null,
  decimals smallint not null,
  primary key (wallet_id, mint)
);
