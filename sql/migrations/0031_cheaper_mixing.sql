-- A wallet as a place on a circle of 2^32, as before, in a hundredth of the time: a query in a function is planned and
-- begun anew with every call, what is merely computed is not.
create or replace function mixed_wallet(id integer) returns integer
  language plpgsql immutable parallel safe
as $$
declare
  mixed bigint := id::bigint & 4294967295;
begin
  mixed := ((mixed # (mixed >> 16)) * 73244475) & 4294967295;
  mixed := ((mixed # (mixed >> 16)) * 73244475) & 4294967295;
  mixed := mixed # (mixed >> 16);
  return (mixed # 2147483648) - 2147483648;
end
$$;
