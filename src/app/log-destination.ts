import { type DestinationStream, destination } from 'pino'

/** A place for log lines that never keeps the thread that serves requests waiting. */
export interface LogDestination extends DestinationStream {
  /** How many access lines were left out, because whoever reads the log was too slow. */
  droppedLines(): number
  /** Calls back when everything so far has been written. */
  flush(done: (error?: Error) => void): void
  /** Writes everything so far, waiting for the reader: for the end of the process. */
  flushSync(): void
}

/** What pino sets on a destination with `pino.metadata` before it writes a line. */
interface LineDetails {
  lastLevel: number
  lastMsg: string
}

const bytesOfChunk = 8_192
const flushEveryMs = 100
const infoLevel = 30

/**
 * Writes lines to a file descriptor. Access lines and others up to `info` are collected into chunks, and written when a
 * chunk is full or 100 ms have passed. Warnings, errors and lines of the security log are written at once, with what
 * was collected before them. If more than `maxWaitingBytes` wait for the reader, access lines are dropped and counted,
 * and nothing else is. At the end of the process everything is written.
 */
export function createLogDestination(fileDescriptor: number, maxWaitingBytes = 1_048_576): LogDestination {
  const file = destination({
    dest: fileDescriptor,
    sync: false,
    minLength: bytesOfChunk,
    periodicFlush: flushEveryMs,
  })
  let waitingBytes = 0
  let dropped = 0
  let isUrgent = false
  file.on('write', (bytes: number) => {
    waitingBytes -= bytes
  })
  // While something is being written, `flush` does nothing.
  file.on('drain', () => {
    if (isUrgent && waitingBytes > 0) file.flush()
    isUrgent = false
  })
  const write = function (this: LineDetails, line: string): void {
    const { lastLevel, lastMsg } = this
    const mayDrop = lastLevel <= infoLevel && lastMsg === 'request'
    if (mayDrop && waitingBytes > maxWaitingBytes) {
      dropped += 1
      return
    }
    waitingBytes += Buffer.byteLength(line)
    file.write(line)
    if (lastLevel > infoLevel || lastMsg === 'security') {
      isUrgent = true
      file.flush()
    }
  }
  // A pipe cannot be synchronised with a disk (EINVAL).
  const flush: LogDestination['flush'] = (done) =>
    file.flush((error?: NodeJS.ErrnoException) => {
      if (error && error.code !== 'EINVAL') done(error)
      else if (waitingBytes > 0) flush(done)
      else done()
    })
  return Object.assign(
    { write, flush, flushSync: file.flushSync.bind(file), droppedLines: () => dropped },
    { [Symbol.for('pino.metadata')]: true },
  )
}
