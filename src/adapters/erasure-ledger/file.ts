import { type FileHandle, open } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ErasureLedger } from '../../domain/privacy/erasure-ledger.ts'
import { DomainError } from '../../kernel/errors.ts'
import { makeFolder } from '../../kernel/make-folder.ts'
import { formatLines, tornMark } from './lines.ts'

/**
 * A ledger in a file, which several processes of a machine may share: each append is a single write at the end of the file. Only
 * the owner can read and write the file.
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

/** Throws the error of the file system if entries could not be appended. Creates the file, because its folder may be read-only later. */
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
