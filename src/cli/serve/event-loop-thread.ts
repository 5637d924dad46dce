import { writeSync } from 'node:fs'
import { workerData } from 'node:worker_threads'

/*
 * Ends the process, as `kill -9` does, once the event loop has not counted `heartbeats` up for `limitMs`. It waits in
 * slices: a process that was stopped as a whole, such as with its machine, gets time to be heard again. Linux ignores
 * that signal if the process is the first of its container, so a container needs an init process.
 */
const slices = 6
const { heartbeats, limitMs } = workerData as { heartbeats: Int32Array; limitMs: number }

let heard = Atomics.load(heartbeats, 0)
for (let silent = 0; silent < slices; ) {
  const isSilent = Atomics.wait(heartbeats, 0, heard, limitMs / slices) === 'timed-out'
  silent = isSilent ? silent + 1 : 0
  heard = Atomics.load(heartbeats, 0)
}
const line = {
  level: 'fatal',
  time: new Date(),
  msg: `the event loop has hung for ${limitMs / 1_000} s; ending the process`,
}
writeSync(2, `${JSON.stringify(line)}\n`)
process.kill(process.pid, 'SIGKILL')
