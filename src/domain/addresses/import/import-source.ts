import { createHash, type Hash } from 'node:crypto'
import { createReadStream, promises } from 'node:fs'
import { DomainError } from '../../../kernel/errors.ts'

const lineFeed = 10
/** Small enough that the database has something to do while the next piece is read. */
const pieceBytes = 256 * 1_024

/** A piece of a file's text. */
export interface FilePiece {
  text: string
  /** Whether the piece ends with a line feed, so that reading can continue behind it. */
  endsLine: boolean
}

/** The file of an import, read once from its beginning. Every function throws `validation_failed` if it cannot be read. */
export class ImportSource {
  readonly path: string
  /** How many bytes come before the next piece. */
  bytesRead = 0
  #hash: Hash = createHash('sha256')

  constructor(path: string) {
    this.path = path
  }

  /** The size of the file in bytes; undefined if it is not a regular file, such as a pipe. */
  async size(): Promise<number | undefined> {
    const found = await readable(this.path, () => promises.stat(this.path))
    return found.isFile() ? found.size : undefined
  }

  /** The hash of everything before the next piece. */
  get sha256(): string {
    return this.#hash.copy().digest('hex')
  }

  /**
   * Reads the first `bytes` without returning them. Whether their hash is the given one, and reading can continue behind them; otherwise,
   * it starts again at the beginning.
   */
  async skip(bytes: number, sha256: string): Promise<boolean> {
    let last = lineFeed
    for await (const block of this.#blocks(0, bytes)) last = this.#consume(block).at(-1) ?? last
    const isAtEnd = this.bytesRead === (await this.size())
    if (this.bytesRead === bytes && this.sha256 === sha256 && (last === lineFeed || isAtEnd)) return true
    this.bytesRead = 0
    this.#hash = createHash('sha256')
    return false
  }

  async *pieces(): AsyncGenerator<FilePiece> {
    const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
    const decode = (block: Buffer) => decoder.decode(this.#consume(block), { stream: true })
    for await (const block of this.#blocks(this.bytesRead)) {
      const end = block.lastIndexOf(lineFeed) + 1
      if (end > 0) yield { text: decode(block.subarray(0, end)), endsLine: true }
      if (end < block.length) yield { text: decode(block.subarray(end)), endsLine: false }
    }
    yield { text: decoder.decode(), endsLine: false }
  }

  #consume(block: Buffer): Buffer {
    this.bytesRead += block.length
    this.#hash.update(block)
    return block
  }

  async *#blocks(start: number, length = Number.POSITIVE_INFINITY): AsyncGenerator<Buffer> {
    if (length === 0) return
    // A pipe cannot be read from a position, not even from 0.
    const range = length === Number.POSITIVE_INFINITY && start === 0 ? {} : { start, end: start + length - 1 }
    const blocks = createReadStream(this.path, { ...range, highWaterMark: pieceBytes })
    try {
      yield* blocks as AsyncIterable<Buffer>
    } catch (error) {
      throw unreadable(this.path, error)
    }
  }
}

async function readable<Result>(path: string, read: () => Promise<Result>): Promise<Result> {
  try {
    return await read()
  } catch (error) {
    throw unreadable(path, error)
  }
}

function unreadable(path: string, error: unknown): DomainError {
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
  const detail = `The file ${path} cannot be read (${code}). Check its name and its permissions.`
  return new DomainError('validation_failed', detail, { cause: error })
}
