-- Which wallets are smart money, whatever the mint they are tagged in. Few, and written by a job alone.
create index wallet_tag_smart on wallet_tag (wallet_id, score) where tag = 'smart_money';
