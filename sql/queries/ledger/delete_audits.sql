-- No lane has anything left to look for.
delete from ledger_audit
