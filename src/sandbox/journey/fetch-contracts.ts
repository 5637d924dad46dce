import { createHash } from 'node:crypto'
import { access, constants, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { inflateSync } from 'node:zlib'
import { CommandError } from '../../platform/kernel/command-error.ts'
import { makeFolder } from '../../platform/kernel/make-folder.ts'
import type { HttpResponse } from './exchange.ts'
import { pounds } from './money-checks.ts'
import { ContractUrlResponse } from './replies.ts'
import type { StepRunner } from './step-runner.ts'

/**
 * The text of a PDF, one line for each drawn piece, in drawing order. Reads only files like the service's: plain
 * objects, compressed streams, and embedded fonts with a table that maps glyphs to characters. That is enough to check
 * the service's documents, but it does not read every PDF. Throws for any other file.
 */
function readPdfText(bytes: Buffer): string {
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

/** Where a tenant's contract documents are saved. */
export interface ContractFiles {
  html: string
  pdf: string
}

interface ContractOptions {
  customerId: string
  /** The total that the documents must state. */
  totalCost: number
  saveAs: (format: 'html' | 'pdf') => string
}

/** Gets both contract URLs, opens and checks the documents, and saves them. */
export async function fetchContracts(runner: StepRunner, options: ContractOptions): Promise<ContractFiles> {
  for (const format of ['html', 'pdf'] as const) {
    const step = runner.step({
      name: `Contract URL (${format.toUpperCase()})`,
      reply: ContractUrlResponse,
      brief: ({ contractUrl: url, expiresAt }) => `${url.split('?', 1)[0]}, until ${expiresAt}`,
    })
    const { contractUrl } = await (format === 'html'
      ? step.getPciContractUrlHtml(options.customerId)
      : step.getPciContractUrlPdf(options.customerId))
    const file = options.saveAs(format)
    await runner.open({
      name: `Open the contract (${format.toUpperCase()})`,
      url: contractUrl,
      check: (response) =>
        format === 'html' ? htmlMismatches(response, options.totalCost) : pdfMismatches(response, options.totalCost),
      keep: ({ bytes }) => save(file, bytes),
      brief: ({ bytes }) => `${Math.ceil(bytes.length / 1024)} KiB, saved as ${file}`,
    })
  }
  return { html: options.saveAs('html'), pdf: options.saveAs('pdf') }
}

/**
 * Creates the folder. Throws CommandError if it cannot be written to, before anything is requested from the deployment.
 */
export async function prepareFolder(folder: string): Promise<void> {
  await orReject(folder, async () => {
    await makeFolder(folder)
    await access(folder, constants.W_OK)
  })
}

function save(file: string, bytes: Buffer): Promise<void> {
  return orReject(file, async () => {
    await makeFolder(dirname(file))
    await writeFile(file, bytes)
  })
}

async function orReject(path: string, write: () => Promise<void>): Promise<void> {
  try {
    await write()
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'unknown error'
    throw new CommandError('unusable_folder', `${path} cannot be written (${code}). Choose another folder with --out.`)
  }
}

/**
 * Checks a contract page: its content type, its doctype, the total that it states and its digest. Returns every
 * problem.
 */
function htmlMismatches(response: HttpResponse, totalCost: number): string[] {
  const text = response.bytes.toString('utf8')
  return [
    ...wrongType(response, 'text/html'),
    ...(/^\s*<!doctype html/i.test(text) ? [] : ['it does not start like an HTML document']),
    ...totalMissing(text, totalCost),
    ...wrongDigest(response),
  ]
}

/** Checks a contract PDF: its content type, the total in its extracted text and its digest. Returns every problem. */
function pdfMismatches(response: HttpResponse, totalCost: number): string[] {
  return [
    ...wrongType(response, 'application/pdf'),
    ...pdfTextMismatches(response, totalCost),
    ...wrongDigest(response),
  ]
}

function pdfTextMismatches({ bytes }: HttpResponse, totalCost: number): string[] {
  try {
    return totalMissing(readPdfText(bytes), totalCost)
  } catch (error) {
    return [`it cannot be read as a PDF: ${error instanceof Error ? error.message : 'unknown'}`]
  }
}

function wrongType({ contentType }: HttpResponse, expected: string): string[] {
  return contentType === expected ? [] : [`its Content-Type is ${contentType || 'missing'}, not ${expected}`]
}

function totalMissing(text: string, totalCost: number): string[] {
  const total = pounds(totalCost)
  return text.includes(total) ? [] : [`it does not contain the total, ${total}`]
}

/** Checks the digest (RFC 9530), which shows whether the document arrived unchanged. */
function wrongDigest({ headers, bytes }: HttpResponse): string[] {
  const sent = /sha-256=:([^:]+):/.exec(headers.get('repr-digest') ?? '')?.[1]
  if (sent === undefined) return []
  return createHash('sha256').update(bytes).digest('base64') === sent ? [] : ['it does not match its Repr-Digest']
}
