-- The last in canonical order of swaps `tied` at one position, which are joined with their wallets.
order by
  tied.is_buy, tied.signature desc, wallet.address desc, tied.sol_amount desc,
  tied.token_amount desc
limit 1
