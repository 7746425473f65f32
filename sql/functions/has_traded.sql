-- Wallets that traded.

-- Whether a swap of the wallet is indexed. A wallet is also interned for a batch that is not committed in the end, and
-- remains when its swaps are retracted. The position nearly always decides; the ledger may lag, or not run at all. In
-- plpgsql, because the second statement plans every chunk of `swap`: it is planned only where it is reached.
-- Indexes: the primary key of position, swap_wallet.
create or replace function has_traded(of_wallet integer) returns boolean
  language plpgsql stable
as $$
begin
  if exists (select from position where wallet_id = of_wallet) then
    return true;
  end if;
  return exists (select from swap where wallet_id = of_wallet);
end
$$;
