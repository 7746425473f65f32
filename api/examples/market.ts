/** Subjects of the example requests of the documents: a wallet with its token, pool and trades, of one market. */
export type ExampleMarket = {
  /** Bought, sold, and holds some of the mint. */
  wallet: string
  mint: string
  /** Another mint that is traded. */
  otherMint: string
  creator: string
  symbol: string
  name: string
  sector: string
  /** Begins the symbol or the mint. */
  searchText: string
  /** Pool of the newest buy of the mint by the wallet, and its venue. */
  pair: string
  dex: number
  protocol: string
  /** The signature of that buy; below, that of the newest sale. */
  signature: string
  slot: number
  buyMs: number
  saleSignature: string
  saleSlot: number
  /** The newest event of the pool, or of any pool. */
  event: ExampleEvent
  /** A mint with a buy that makes a whale. */
  whaleMint: string
  /** Less than the largest buy, and than the newest, in SOL. */
  whaleSol: number
  minSol: number
  /** Bounds of the screener, `min_<figure>` and `max_<figure>`, that the mint is within. */
  screened: Readonly<Record<string, number>>
  /** Days of UTC: today, the one before, and the first of a range. */
  lastDay: string
  dayBefore: string
  firstDay: string
  /** By path of a list: continues after the first row of its example. */
  cursors: Readonly<Record<string, string>>
}

export type ExampleEvent = {
  kind: string
  signature: string
  slot: number
  timestamp: number
  pair: string
  mint: string
  dex: number
}
