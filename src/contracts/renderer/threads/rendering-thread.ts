import { Worker } from 'node:worker_threads'
import type { ContractDocument } from '../../document.ts'
import type { DocumentFormat, DocumentIdentity } from '../../document-renderer.ts'

/** What a rendering thread receives. Both parts are plain data, so they can be copied between threads. */
export interface RenderingJob {
  document: ContractDocument
  identity: DocumentIdentity
  formats: readonly DocumentFormat[]
}

/** What a rendering thread sends back: a file for each format, or the error that the renderer threw. */
export type RenderingResult = { files: Uint8Array<ArrayBuffer>[] } | { error: unknown }

/** A rendering thread ended or took too long. The document itself may be fine: another thread can try again. */
export class RenderingThreadEnded extends Error {
  override name = 'RenderingThreadEnded'
}

/** The thread took too long, as on a machine with too much to do. */
export class RenderingTimeout extends RenderingThreadEnded {
  override name = 'RenderingTimeout'
}

/**
 * How much memory a thread may use. If the old generation needs more, the thread ends and the service continues. The
 * young generation has 96 MB by default; with less, garbage is only collected more often (contributing/decisions/0015).
 */
const limits = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 24 }

/** A thread that renders one document at a time. While it renders nothing, it does not keep the process running. */
export class RenderingThread {
  readonly #worker: Worker
  readonly #timeLimitMs: number

  /** `program` is what the thread runs. It gets no environment, so it has none of the service's secrets. */
  constructor(program: URL, timeLimitMs: number) {
    this.#timeLimitMs = timeLimitMs
    this.#worker = new Worker(program, { env: {}, resourceLimits: limits })
    this.#worker.unref()
    // A thread can also end between two documents. Without a listener, its error would end the process.
    this.#worker.on('error', () => undefined)
  }

  get hasEnded(): boolean {
    return this.#worker.threadId === -1
  }

  /**
   * The file of each format. Throws `RenderingThreadEnded` if the thread ends or exceeds the time limit; it cannot be
   * used afterwards.
   */
  async render(job: RenderingJob): Promise<Buffer[]> {
    const result = await this.#run(job)
    if ('error' in result) throw result.error
    return result.files.map(({ buffer, byteOffset, byteLength }) => Buffer.from(buffer, byteOffset, byteLength))
  }

  async stop(): Promise<void> {
    await this.#worker.terminate()
  }

  #run(job: RenderingJob): Promise<RenderingResult> {
    const worker = this.#worker
    const { promise, resolve, reject } = Promise.withResolvers<RenderingResult>()
    const onError = (cause: unknown) => reject(new RenderingThreadEnded('a rendering thread failed', { cause }))
    const onExit = () => reject(new RenderingThreadEnded('a rendering thread ended'))
    const timer = setTimeout(
      () => reject(new RenderingTimeout(`rendering took longer than ${this.#timeLimitMs} ms`)),
      this.#timeLimitMs,
    )
    worker.once('message', resolve).once('error', onError).once('exit', onExit)
    worker.ref()
    // After the end of a thread there is no other event: a job given to an ended thread would wait for its time limit.
    if (this.hasEnded) onExit()
    else worker.postMessage(job)
    return promise.finally(() => {
      clearTimeout(timer)
      worker.off('message', resolve).off('error', onError).off('exit', onExit)
      worker.unref()
    })
  }
}
