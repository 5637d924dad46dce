import { createReadStream, promises } from 'node:fs'
import { DomainError } from '../../platform/kernel/errors.ts'

/** Small enough that the database has something to do while the next piece is read. */
const pieceBytes = 256 * 1_024

/**
 * The file of an import, read once from its beginning. Every function throws `validation_failed` if it cannot be read.
 */
export class ImportSource {
  readonly path: string
  /** How many bytes come before the next piece. */
  bytesRead = 0

  constructor(path: string) {
    this.path = path
  }

  /** The size of the file in bytes; undefined if it is not a regular file, such as a pipe. */
  async size(): Promise<number | undefined> {
    try {
      const found = await promises.stat(this.path)
      return found.isFile() ? found.size : undefined
    } catch (error) {
      throw this.#unreadable(error)
    }
  }

  /** The text of the file in pieces. */
  async *pieces(): AsyncGenerator<string> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    try {
      for await (const block of createReadStream(this.path, { highWaterMark: pieceBytes }) as AsyncIterable<Buffer>) {
        this.bytesRead += block.length
        yield decoder.decode(block, { stream: true })
      }
    } catch (error) {
      throw this.#unreadable(error)
    }
    yield decoder.decode()
  }

  #unreadable(error: unknown): DomainError {
    const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
    const detail = `The file ${this.path} cannot be read (${code}). Check its name and its permissions.`
    return new DomainError('validation_failed', detail, { cause: error })
  }
}
