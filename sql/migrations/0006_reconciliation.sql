-- What wallets held on chain in their newest pass of the balance provider. A wallet is reconciled when it
-- has a row here; its held tokens are of that same pass.

create table reconciliation (
  wallet_id integer primary key,
  reconciled_ms bigint not null
);

-- Sum of the wallet's token accounts of a mint, in base units (up to 2^64 - 1 an account). Mints without
-- a swap have no token id, so they stand by address.
create table held_token (
  wallet_id integer not null,
  mint text collate "C" not null,
  quantity numeric not null,
  decimals smallint not null,
  primary key (wallet_id, mint)
);
