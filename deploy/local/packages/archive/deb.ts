/** Unpacks a Debian package: an ar archive whose member `data.tar` holds the files. No script of a package ever runs. */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { createGunzip, createZstdDecompress } from 'node:zlib'
import { extract } from 'tar'
import xz from 'xz-decompress'

const MAGIC = '!<arch>\n'
const HEADER_BYTES = 60
/** Fields of a member's header: the name, and the size in decimal digits. */
const NAME_BYTES = 16
const SIZE = { from: 48, to: 58 }

/** The folder must exist. Throws an Error where the package is damaged, or has a file outside of the folder. */
export async function unpackDeb(bytes: Buffer, folder: string): Promise<void> {
  const { name, content } = filesOf(bytes)
  const tar = await buffer(decompressed(name, content))
  let outside: string | undefined
  const unpacked = extract({
    ...{ cwd: folder, strict: true, chmod: true, processUmask: 0 },
    // Targets of links stay as they are, absolute ones too, as dpkg has them.
    preservePaths: true,
    filter(path) {
      const isInside = !path.startsWith('/') && !path.split('/').includes('..')
      if (!isInside) outside ??= path
      return isInside
    },
  })
  await new Promise<void>((resolve, reject) => {
    unpacked.once('error', reject)
    unpacked.once('close', resolve)
    unpacked.end(tar)
  })
  if (outside !== undefined) throw new Error(`it has the file "${outside}", outside of its folder`)
}

/** Bytes of a stream of xz. */
export function decompressXz(content: Buffer): Readable {
  // The bytes are a view of the archive's; a stream of the web takes them as they are.
  const input = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(content)
      controller.close()
    },
  })
  return Readable.fromWeb(new xz.XzReadableStream(input) as Parameters<typeof Readable.fromWeb>[0])
}

function decompressed(name: string, content: Buffer): Readable {
  switch (name) {
    case 'data.tar':
      return Readable.from([content])
    case 'data.tar.gz':
      return Readable.from([content]).pipe(createGunzip())
    case 'data.tar.xz':
      return decompressXz(content)
    case 'data.tar.zst':
      return Readable.from([content]).pipe(createZstdDecompress())
    default:
      throw new Error(`it has "${name}", which is compressed in an unknown way`)
  }
}

function filesOf(bytes: Buffer): { name: string; content: Buffer } {
  if (bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) throw new Error('it is no package')
  let at = MAGIC.length
  while (at + HEADER_BYTES <= bytes.length) {
    const header = bytes.toString('latin1', at, at + HEADER_BYTES)
    const name = header.slice(0, NAME_BYTES).trim().replace(/\/$/, '')
    const digits = header.slice(SIZE.from, SIZE.to).trim()
    const from = at + HEADER_BYTES
    if (!/^\d+$/.test(digits) || from + Number(digits) > bytes.length) break
    if (name.startsWith('data.tar'))
      return { name, content: bytes.subarray(from, from + Number(digits)) }
    // Members begin at even offsets.
    at = from + Number(digits) + (Number(digits) % 2)
  }
  throw new Error('it is cut, or has no member data.tar')
}
