/** Sandwiches of one pool in the tables, one a slot from 1 on, each with a bot's front and back leg and a victim. */

/** Expressions over `slot`: the number of the victim, from 1 to `victims`, and of the bot, from 0 to `bots` - 1. */
type Stored = {
  readonly sandwiches: number
  readonly bots: number
  readonly victims: number
  readonly victimOf: string
  readonly botOf: string
}

export const storedSandwiches = ({
  sandwiches,
  bots,
  victims,
  victimOf,
  botOf,
}: Stored): readonly string[] => [
  `insert into token (address) values ('mint')`,
  `insert into pool (pair_address, token_id, dex) select 'pair', id, 1 from token`,
  `insert into wallet (address) select 'bot ' || n from generate_series(0, ${bots - 1}) as n`,
  `insert into wallet (address) select 'victim ' || n from generate_series(1, ${victims}) as n`,
  `insert into sandwich (pool_id, slot, block_tx_index, ix_index, signature, timestamp_ms, last_slot, ruling, link,
     width, victim_count, gain_of_others_lamports)
   select pool.id, n, 0, 0, 's' || n, n * 400, n, 'sandwich', 'wallet', 'slot', 1, 0
   from pool, generate_series(1, ${sandwiches}) as n order by n`,
  `insert into sandwich_leg (sandwich_id, ordinal, role, wallet_id, slot, block_tx_index, ix_index, timestamp_ms,
     signature, is_buy, sol_amount, token_amount)
   select sandwich.id, ordinal, role, wallet.id, slot, ordinal, 0, slot * 400, 'l' || slot, true, 1, 1
   from sandwich
   cross join (values (1, 'front'), (2, 'victim'), (3, 'back')) as leg (ordinal, role)
   join wallet on wallet.address = case
     when role = 'victim' then 'victim ' || ${victimOf} else 'bot ' || ${botOf}
   end`,
  'analyze',
]
