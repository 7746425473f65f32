/** Options of the commands that read CAR files, of a folder or a server that is arranged as the public archive. */
import { type BlockClient, RpcUnavailable } from '../../../chain/sources/blocks/block-client.ts'
import type { CarSlotsOptions } from '../../../chain/sources/car/car-slots.ts'
import { httpArchive } from '../../../chain/sources/car/http-archive.ts'
import { localArchive } from '../../../chain/sources/car/local-archive.ts'
import { SourceError } from '../../../streams/sources/source.ts'
import { UsageError } from '../../cli/arguments.ts'
import type { CommandContext } from '../../cli/command.ts'
import { carProvider, type RangeProvider } from '../block-provider.ts'
import { openRpc } from '../rpc-options.ts'

export const CAR_OPTION = {
  type: 'string',
  value: 'DIR|URL',
  about:
    'read CAR files of epochs (Old Faithful) from a folder or a server; with --rpc, a node names the parent of the first block',
} as const

type CarValues = Parameters<typeof openRpc>[0]

/** Throws UsageError. */
export function openCar(
  location: string,
  values: CarValues,
  context: CommandContext,
): RangeProvider {
  const client = values.rpc === undefined ? undefined : openRpc(values, context)
  return carProvider({
    archive: archiveOf(location),
    node: client,
    ...linkOptions(client, context),
  })
}

function archiveOf(location: string): ReturnType<typeof localArchive> {
  if (!location.includes('://')) return localArchive(location)
  if (!URL.canParse(location) || !/^https?:$/.test(new URL(location).protocol)) {
    throw new UsageError('--car: expected a folder, or a URL that begins with http:// or https://')
  }
  return httpArchive({ url: location })
}

/** `client`: a node that has the first block that is read; absent: it is linked only by its parent's slot. */
function linkOptions(
  client: BlockClient | undefined,
  { progress }: CommandContext,
): CarSlotsOptions {
  const onWarning = (text: string): void => progress.say(text)
  if (client === undefined) return { onWarning }
  return {
    onWarning,
    async parentHashOf({ slot, blockhash }, signal) {
      const link = await client.getLink(slot, signal).catch((error: unknown) => {
        if (!(error instanceof RpcUnavailable)) throw error
        throw new SourceError(error.message, { isRetryable: error.isRetryable, cause: error })
      })
      if (link.blockhash === blockhash) return link.parentBlockhash
      const text = `slot ${slot}: ${client.host} has block "${link.blockhash}", the file "${blockhash}"`
      throw new SourceError(text, { isRetryable: false })
    },
  }
}
