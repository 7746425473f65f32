-- Stores a webhook. $1 text: URL, $2 text: channel, $3 text: filter as JSON, $4 text: form of int64, $5 integer: events of a
-- delivery at most, $6 bytea: encrypted secret, $7 text, $8 bigint: epoch and sequence of FEED after which it begins, $9
-- integer: webhooks at most. Result: its id; no row where there are that many.
insert into webhook (url, channel, filter, int64, events_max, secret, epoch, sequence)
select $1, $2, $3, $4, $5, $6, $7, $8
where (select count(*) from webhook) < $9
returning id
