import { open, readFile } from 'node:fs/promises'
import { parseLines } from './lines.ts'

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
