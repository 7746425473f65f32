-- US dollars a SOL; null before any is known.
select sol_usd() as sol_usd
