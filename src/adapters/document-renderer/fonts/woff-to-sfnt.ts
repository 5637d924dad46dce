import { inflateSync } from 'node:zlib'

const woffHeaderSize = 44
const woffEntrySize = 20
const sfntHeaderSize = 12
const sfntEntrySize = 16

/**
 * Unpacks a WOFF 1 file into the TrueType or OpenType font inside it. Each file is unpacked once, because fontkit would decompress
 * the WOFF tables again for every document. WOFF2 files are not an alternative, because fontkit fails to subset them. Throws
 * RangeError if the bytes are not a WOFF file.
 */
export function woffToSfnt(woff: Buffer): Buffer {
  if (woff.toString('latin1', 0, 4) !== 'wOFF') throw new RangeError('not a WOFF font')
  const count = woff.readUInt16BE(12)
  const directory = Buffer.alloc(sfntHeaderSize + sfntEntrySize * count)
  const entrySelector = Math.floor(Math.log2(count))
  const searchRange = sfntEntrySize * 2 ** entrySelector
  directory.writeUInt32BE(woff.readUInt32BE(4), 0)
  directory.writeUInt16BE(count, 4)
  directory.writeUInt16BE(searchRange, 6)
  directory.writeUInt16BE(entrySelector, 8)
  directory.writeUInt16BE(sfntEntrySize * count - searchRange, 10)

  const parts: Buffer[] = [directory]
  let offset = directory.length
  for (let index = 0; index < count; index += 1) {
    const { tag, checksum, bytes } = readTable(woff, woffHeaderSize + woffEntrySize * index)
    const entry = sfntHeaderSize + sfntEntrySize * index
    tag.copy(directory, entry)
    directory.writeUInt32BE(checksum, entry + 4)
    directory.writeUInt32BE(offset, entry + 8)
    directory.writeUInt32BE(bytes.length, entry + 12)
    const padding = Buffer.alloc(-bytes.length & 3)
    parts.push(bytes, padding)
    offset += bytes.length + padding.length
  }
  return Buffer.concat(parts)
}

function readTable(woff: Buffer, entry: number): { tag: Buffer; checksum: number; bytes: Buffer } {
  const offset = woff.readUInt32BE(entry + 4)
  const packedLength = woff.readUInt32BE(entry + 8)
  const packed = woff.subarray(offset, offset + packedLength)
  // Tables that compression would not shrink are stored uncompressed.
  const bytes = packedLength < woff.readUInt32BE(entry + 12) ? inflateSync(packed) : packed
  return { tag: woff.subarray(entry, entry + 4), checksum: woff.readUInt32BE(entry + 16), bytes }
}
