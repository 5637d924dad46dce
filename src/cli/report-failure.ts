import { CommanderError } from 'commander'
import { coloured } from './coloured.ts'
import { printJson } from './json-option.ts'

const failed = 1
const wrongUsage = 2

/** How long a command that failed may take to end by itself. */
const endsWithinMs = 2_000

/**
 * Prints the failure on standard error and, with `asJson`, as an object on standard output. Sets the exit code, and ends the process even if
 * something stays open, such as a connection that the other side does not close: only a process that ends is started again.
 */
export async function reportFailure(error: unknown, asJson: boolean): Promise<void> {
  if (error instanceof CommanderError) {
    reportUsage(error, asJson)
    return
  }
  process.exitCode = failed
  setTimeout(() => process.exit(), endsWithinMs).unref()
  const { describeFailure } = await import('./describe-failure.ts')
  const { code, message, text = message, problems, details, result, stack } = describeFailure(error)
  const lines = problems.map(({ pointer, detail }) => `  - ${pointer === undefined ? '' : `${pointer}: `}${detail}`)
  const heading = lines.length > 0 && !text.endsWith('.') ? `${text}:` : text
  console.error(
    [coloured('bad', heading, process.stderr), ...lines, ...(stack === undefined ? [] : [stack])].join('\n'),
  )
  if (!asJson) return
  const listed = problems.length > 0 ? { problems } : {}
  printJson({ ...result, error: { code, message, ...listed, ...details } })
}

/**
 * Reports wrong usage: sets the exit code and, with `asJson`, prints the error as an object. The library commander has already printed
 * the error and a hint for people, or the requested help.
 */
function reportUsage(error: CommanderError, asJson: boolean): void {
  if (error.exitCode === 0) return
  process.exitCode = wrongUsage
  if (!asJson) return
  const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '')
  console.log(JSON.stringify({ error: { code: 'wrong_usage', message } }))
}
