-- SOL that an owned position is worth at its price. The quantity becomes a double in one rounding.
case
  when owned.balance <= 9007199254740991
    then owned.balance::bigint::double precision / 10::double precision ^ priced.decimals
  else (owned.balance::text || 'e-' || priced.decimals)::double precision
end * priced.price as value_sol
