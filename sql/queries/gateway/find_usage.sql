-- Requests of a month. $1 uuid: lineage, $2 date: its first day. Index: api_usage_pkey.
select requests from api_usage where lineage = $1 and month = $2
