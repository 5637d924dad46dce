import type { DestinationStream } from 'pino'

/** Formats log entries for a terminal: time, level and message on one line, then the other fields, then the stack. */
export function createTerminalLog(print: (text: string) => void): DestinationStream {
  return {
    write(line) {
      const { level, time, msg, err, ...fields } = JSON.parse(line) as {
        level: string
        time: string
        msg: string
        err?: { message?: string; stack?: string }
      }
      const { stack, ...error } = err ?? {}
      const facts = { ...fields, ...error }
      const more = Object.keys(facts).length > 0 ? ` ${JSON.stringify(facts)}` : ''
      print(`${time.slice(11, 19)} ${level} ${msg}${more}\n${stack === undefined ? '' : `${stack}\n`}`)
    },
  }
}
