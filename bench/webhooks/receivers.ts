import { fork } from 'node:child_process'
import { once } from 'node:events'
import type { Arrival, ReceiversCommand, ReceiversReport } from './receivers-process.ts'

/** HTTPS receivers on loopback, all in one separate process. */
export interface Receivers {
  /** The URL of each receiver, by its index. */
  urls: readonly string[]
  processId: number | undefined
  /**
   * Starts a round: forgets earlier arrivals and makes the receivers in `hanging` stop responding. `complete` resolves after `expected`
   * messages.
   */
  begin(expected: number, hanging?: readonly number[]): { complete: Promise<void> }
  /** The messages that have arrived in the current round. */
  collect(): Promise<Arrival[]>
  stop(): Promise<void>
}

export async function startReceivers(count: number): Promise<Receivers> {
  const child = fork(new URL('receivers-process.ts', import.meta.url), [String(count)])
  const send = (command: ReceiversCommand) => child.send(command)
  const collecting = new Map<number, (arrivals: Arrival[]) => void>()
  let calls = 0
  let round = 0
  let complete: (() => void) | undefined
  let listening: ((ports: number[]) => void) | undefined
  const ports = new Promise<number[]>((resolve) => {
    listening = resolve
  })
  child.on('message', (report: ReceiversReport) => {
    if (report.kind === 'listening') listening?.(report.ports)
    else if (report.kind === 'complete') {
      // Ignore a late report from an earlier round.
      if (report.round === round) complete?.()
    } else collecting.get(report.call)?.(report.arrivals)
  })
  const urls = (await ports).map((port) => `https://127.0.0.1:${port}/hooks`)
  return {
    urls,
    processId: child.pid,
    begin(expected, hanging = []) {
      round += 1
      send({ kind: 'reset', round, hanging, expected })
      return {
        complete: new Promise((resolve) => {
          complete = resolve
        }),
      }
    },
    collect() {
      calls += 1
      const call = calls
      return new Promise((resolve) => {
        collecting.set(call, resolve)
        send({ kind: 'collect', call })
      })
    },
    async stop() {
      const ended = once(child, 'exit')
      child.disconnect()
      await ended
    },
  }
}
