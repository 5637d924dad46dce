import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Run } from '../scenario.ts'
import type { Arrival, ReceiversCommand, ReceiversReport } from './receivers-process.ts'

/** HTTPS receivers on loopback, all in one separate process. */
export interface Receivers {
  /** The URL of each receiver, by its index. */
  urls: readonly string[]
  processId: number
  /**
   * Starts a round: forgets earlier arrivals and makes the receivers in `hanging` stop responding. `complete` resolves
   * after `expected` messages.
   */
  begin(expected: number, hanging?: readonly number[]): { complete: Promise<void> }
  /** The messages that have arrived in the current round. */
  collect(): Promise<Arrival[]>
}

export async function startReceivers(run: Run, count: number): Promise<Receivers> {
  const child = fork(new URL('receivers-process.ts', import.meta.url), [String(count)])
  run.atEnd(async () => {
    const ended = once(child, 'exit')
    child.disconnect()
    await ended
  })
  const send = (command: ReceiversCommand) => child.send(command)
  const listening = Promise.withResolvers<readonly number[]>()
  let collected = Promise.withResolvers<Arrival[]>()
  let round = 0
  let complete = Promise.withResolvers<void>()
  child.on('message', (report: ReceiversReport) => {
    if (report.kind === 'listening') listening.resolve(report.ports)
    else if (report.kind === 'collected') collected.resolve(report.arrivals)
    // A late report from an earlier round is ignored.
    else if (report.round === round) complete.resolve()
  })
  const urls = (await listening.promise).map((port) => `https://127.0.0.1:${port}/hooks`)
  return {
    urls,
    processId: child.pid ?? 0,
    begin(expected, hanging = []) {
      round += 1
      complete = Promise.withResolvers<void>()
      send({ kind: 'reset', round, hanging, expected })
      return { complete: complete.promise }
    },
    collect() {
      collected = Promise.withResolvers<Arrival[]>()
      send({ kind: 'collect' })
      return collected.promise
    },
  }
}
