import { erasureReasons, type LedgerEntry } from '../../domain/privacy/erasure-ledger.ts'
import { isId } from '../../kernel/ids.ts'

/** Ends a line that a crash cut off. The next writer adds it, because a file that is only appended to cannot be repaired. */
export const tornMark = '#torn'

/** A line without an entry. A `torn` one was cut off while it was written, so its erasure was never confirmed. */
export interface UnreadableLine {
  line: number
  kind: 'torn' | 'unreadable'
}

/** One line of the ledger for each entry, in one text, to be written at once. */
export function formatLines(entries: readonly LedgerEntry[]): string {
  return entries
    .map(({ customerId, partnerId, erasedAt, reason }) => {
      return `${JSON.stringify({ customerId, partnerId, erasedAt: erasedAt.toISOString(), reason })}\n`
    })
    .join('')
}

/** Reads a ledger's text. Lines are counted from 1; empty ones count but mean nothing. */
export function parseLines(text: string): {
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
