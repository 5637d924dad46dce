import { monitorEventLoopDelay } from 'node:perf_hooks'

/*
 * Loaded into the service's process (`node --import`). Sends the longest delay of the event loop since the last message, in milliseconds,
 * each time that the parent process sends one.
 */
const delay = monitorEventLoopDelay({ resolution: 1 })
delay.enable()
process.on('message', () => {
  process.send?.(delay.max / 1e6)
  delay.reset()
})
