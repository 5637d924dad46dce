import { type FileHandle, open, readFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DomainError } from '../../platform/kernel/errors.ts'
import { isId } from '../../platform/kernel/ids.ts'
import { makeFolder } from '../../platform/kernel/make-folder.ts'
import { type ErasureLedger, erasureReasons, type LedgerEntry } from '../erasure-ledger.ts'

/**
 * A ledger in a file, which several processes of a machine may share: each append is a single write at the end of the
 * file. Only the owner can read and write the file.
 */
export function createFileLedger(path: string): ErasureLedger {
  return {
    async append(entries) {
      if (entries.length === 0) return
      await withLedgerFile(path, async (file, size) => {
        const lines = formatLines(entries)
        const text = (await endsWithinLine(file, size)) ? `${tornMark}\n${lines}` : lines
        const bytes = Buffer.from(text)
        const { bytesWritten } = await file.write(bytes)
        if (bytesWritten < bytes.length) throw new Error('the disk is full')
        await file.sync()
      }).catch((cause: unknown) => {
        throw new DomainError(
          'service_unavailable',
          'The erasure cannot be recorded at the moment, so nothing was erased. Retry later. If this continues, tell the operator of this service to check ERASURE_LEDGER.',
          { retryAfterSeconds: 30, cause },
        )
      })
    },
  }
}

/**
 * Throws the error of the file system if entries could not be appended. Creates the file, because its folder may be
 * read-only later.
 */
export async function checkFileLedger(path: string): Promise<void> {
  await withLedgerFile(path, async () => undefined)
}

async function withLedgerFile(path: string, work: (file: FileHandle, size: number) => Promise<void>): Promise<void> {
  await makeFolder(dirname(path))
  const file = await open(path, 'a+', 0o600)
  try {
    const found = await file.stat()
    if (!found.isFile()) throw new Error('it is not a regular file')
    if (found.size === 0) await syncFolder(dirname(path))
    await work(file, found.size)
  } finally {
    await file.close()
  }
}

async function endsWithinLine(file: FileHandle, size: number): Promise<boolean> {
  if (size === 0) return false
  const { buffer } = await file.read({ buffer: Buffer.alloc(1), position: size - 1 })
  return buffer.toString() !== '\n'
}

/** Without this, a power cut could lose a new file although its contents are on the disk. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  await folder.sync().finally(() => folder.close())
}

/**
 * Ends a line that a crash cut off. The next writer adds it, because a file that is only appended to cannot be
 * repaired.
 */
const tornMark = '#torn'

/** A line without an entry. A `torn` one was cut off while it was written, so its erasure was never confirmed. */
interface UnreadableLine {
  line: number
  kind: 'torn' | 'unreadable'
}

/** One line of the ledger for each entry, in one text, to be written at once. */
function formatLines(entries: readonly LedgerEntry[]): string {
  return entries
    .map(({ customerId, partnerId, erasedAt, reason }) => {
      return `${JSON.stringify({ customerId, partnerId, erasedAt: erasedAt.toISOString(), reason })}\n`
    })
    .join('')
}

/** Reads a ledger's text. Lines are counted from 1; empty ones count but mean nothing. */
function parseLines(text: string): {
  entries: (LedgerEntry & { line: number })[]
  unreadable: UnreadableLine[]
} {
  const entries: (LedgerEntry & { line: number })[] = []
  const unreadable: UnreadableLine[] = []
  const lines = text.split('\n')
  for (const [index, written] of lines.entries()) {
    const isMarked = written.endsWith(tornMark)
    const content = (isMarked ? written.slice(0, -tornMark.length) : written).trim()
    if (content === '') continue
    const line = index + 1
    const entry = parseEntry(content)
    if (entry !== undefined) entries.push({ ...entry, line })
    else unreadable.push({ line, kind: isMarked || line === lines.length ? 'torn' : 'unreadable' })
  }
  return { entries, unreadable }
}

function parseEntry(content: string): LedgerEntry | undefined {
  let value: unknown
  try {
    value = JSON.parse(content)
  } catch {
    return undefined
  }
  const read = (value ?? {}) as Partial<Record<keyof LedgerEntry, unknown>>
  const reason = erasureReasons.find((known) => known === read.reason)
  const customerId = textOf(read.customerId)
  const partnerId = textOf(read.partnerId)
  const erasedAt = new Date(textOf(read.erasedAt))
  if (!isId('tenant', customerId) || !isId('partner', partnerId)) return undefined
  if (reason === undefined || Number.isNaN(erasedAt.getTime())) return undefined
  return { customerId, partnerId, erasedAt, reason }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

export type LedgerContents = ReturnType<typeof parseLines>

/** Reads the whole ledger. Throws the error of the file system if it cannot be read. */
export async function readFileLedger(path: string): Promise<LedgerContents> {
  return parseLines(await readFile(path, 'utf8'))
}

const tailBytes = 32_768

/** The latest entries, some 200 of them. None if there is no file yet. Throws any other error of the file system. */
export async function readLatestEntries(path: string): Promise<LedgerContents['entries']> {
  const file = await open(path, 'r').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (file === undefined) return []
  try {
    const { size } = await file.stat()
    const length = Math.min(size, tailBytes)
    const { buffer, bytesRead } = await file.read({ buffer: Buffer.alloc(length), position: size - length })
    return parseLines(buffer.toString('utf8', 0, bytesRead)).entries
  } finally {
    await file.close()
  }
}
