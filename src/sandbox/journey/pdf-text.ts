import { inflateSync } from 'node:zlib'

/**
 * The text of a PDF, one line for each drawn piece, in drawing order. Reads only files like the service's: plain
 * objects, compressed streams, and embedded fonts with a table that maps glyphs to characters. That is enough to check
 * the service's documents, but it does not read every PDF. Throws for any other file.
 */
export function readPdfText(bytes: Buffer): string {
  const objects = [...readObjects(bytes)]
  const tables = new Map(objects.map(({ id, stream }) => [id, stream?.includes('beginbfrange') ? stream : undefined]))
  const fonts = new Map<string, ReadonlyMap<number, string>>()
  for (const { dictionary } of objects) {
    for (const [, name = '', fontId = ''] of dictionary.matchAll(/\/(F\d+) (\d+) 0 R/g)) {
      const font = objects.find(({ id }) => id === fontId)
      const tableId = /\/ToUnicode (\d+) 0 R/.exec(font?.dictionary ?? '')?.[1]
      const table = tableId === undefined ? undefined : tables.get(tableId)
      if (table !== undefined && !fonts.has(name)) fonts.set(name, readCharacters(table))
    }
  }
  const pages = objects.map(({ stream }) => stream ?? '').filter((stream) => / Tf\b/.test(stream))
  return pages.map((page) => readDrawnText(page, fonts)).join('\n')
}

interface PdfObject {
  id: string
  /** Everything in the object before its stream, as text. */
  dictionary: string
  /** The decompressed stream, with one character per byte. */
  stream?: string
}

function* readObjects(bytes: Buffer): Generator<PdfObject> {
  const text = bytes.toString('latin1')
  if (!text.startsWith('%PDF-')) throw new Error('the bytes are not a PDF')
  const opening = /(\d+) 0 obj\s/g
  for (let found = opening.exec(text); found !== null; found = opening.exec(text)) {
    const [, id = ''] = found
    const from = opening.lastIndex
    const end = text.indexOf('endobj', from)
    if (end === -1) throw new Error('the PDF ends in the middle of an object')
    const streamAt = text.slice(from, end).search(/>>\s*stream\r?\n/)
    if (streamAt === -1) {
      yield { id, dictionary: text.slice(from, end) }
      opening.lastIndex = end
      continue
    }
    const dictionary = text.slice(from, from + streamAt)
    const start = text.indexOf('\n', text.indexOf('stream', from + streamAt)) + 1
    const length = Number(/\/Length (\d+)/.exec(dictionary)?.[1])
    const data = bytes.subarray(start, start + length)
    const stream = dictionary.includes('/FlateDecode') ? inflateSync(data) : data
    yield { id, dictionary, stream: stream.toString('latin1') }
    opening.lastIndex = start + length
  }
}

/** Maps a font's glyphs to characters, as its ToUnicode table does. */
function readCharacters(table: string): ReadonlyMap<number, string> {
  const characters = new Map<number, string>()
  for (const [, block = ''] of table.matchAll(/beginbfrange([\s\S]*?)endbfrange/g)) {
    for (const [, first = '', targets = ''] of block.matchAll(/<([0-9a-f]+)>\s*<[0-9a-f]+>\s*(\[[^\]]*\]|<[^>]*>)/gi)) {
      for (const [index, [, target = '']] of [...targets.matchAll(/<([^>]*)>/g)].entries()) {
        const utf16 = Buffer.from(target.replaceAll(' ', ''), 'hex').swap16()
        characters.set(Number.parseInt(first, 16) + index, utf16.toString('utf16le'))
      }
    }
  }
  return characters
}

function readDrawnText(page: string, fonts: ReadonlyMap<string, ReadonlyMap<number, string>>): string {
  const pieces: string[] = []
  let characters: ReadonlyMap<number, string> = new Map()
  for (const [, font, drawn = ''] of page.matchAll(/\/(F\d+) [\d.]+ Tf|\[([^\]]*)\]\s*TJ/g)) {
    if (font === undefined) {
      const glyphs = (drawn.match(/<[0-9a-f]+>/gi) ?? []).join('').match(/[0-9a-f]{4}/gi) ?? []
      pieces.push(glyphs.map((glyph) => characters.get(Number.parseInt(glyph, 16)) ?? '').join(''))
    } else characters = fonts.get(font) ?? new Map()
  }
  return pieces.join('\n')
}
