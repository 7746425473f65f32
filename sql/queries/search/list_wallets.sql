-- Wallets whose address begins with a text, with the name of a KOL. $1 text, $2 integer: rows.
-- Indexes: wallet_address_key, the primary key of kol, those of has_traded().
select wallet.address as wallet, kol.display_name
from wallet
left join kol on kol.wallet = wallet.address
where wallet.address >= $1 and wallet.address < $1 || chr(1114111)
  and has_traded(wallet.id)
order by wallet.address
limit $2
