/** Statistics of a token: at the slot of the page where their route can, else the newest ones, continued by the feed. */
import { OF_A_SLOT } from '../../clients/typescript/generated.ts'
import { useLatest } from '../client/latest.ts'
import { type Answer, get } from '../client/request.ts'
import { type Figures, useFigures, useIsPinned } from '../client/slot/figures.ts'

type Stats = Answer<'getTokenStats'>['data']

export function useStats(mint: string): Figures<Stats> {
  const isRead = useIsPinned() || OF_A_SLOT.has('getTokenStats')
  const key = `stats ${mint}`
  const figures = useFigures(
    'getTokenStats',
    isRead ? key : '',
    async (read) => (await read('getTokenStats', { mint })).data,
  )
  const latest = useLatest<Stats>(isRead ? '' : key, {
    load: async (signal) => (await get('getTokenStats', { mint }, signal)).data,
    channel: 'token_stats',
    filter: { tokens: [mint] },
    inFrame: (frame) => ((frame as Stats).mint === mint ? (frame as Stats) : undefined),
  })
  return isRead ? figures : { ...latest, isOfNow: true }
}
