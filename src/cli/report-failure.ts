import { CommanderError } from 'commander'
import { coloured } from './coloured.ts'
import { invocation } from './invocation.ts'
import { printJson } from './json-option.ts'
import { print, printError } from './print.ts'

const failed = 1
const wrongUsage = 2

/**
 * Prints the failure on standard error and, with `asJson`, as an object on standard output. Returns the exit code.
 */
export async function reportFailure(error: unknown, asJson: boolean): Promise<number> {
  if (error instanceof CommanderError) return reportUsage(error, asJson)
  const { describeFailure } = await import('./describe-failure.ts')
  const { code, message, text = message, problems, details, result, stack } = describeFailure(error)
  const lines = problems.map(({ pointer, detail }) => `  - ${pointer === undefined ? '' : `${pointer}: `}${detail}`)
  const heading = lines.length > 0 && !text.endsWith('.') ? `${text}:` : text
  printError(
    [coloured('bad', heading, invocation().stderr), ...lines, ...(stack === undefined ? [] : [stack])].join('\n'),
  )
  if (!asJson) return failed
  const listed = problems.length > 0 ? { problems } : {}
  printJson({ ...result, error: { code, message, ...listed, ...details } })
  return failed
}

/**
 * Reports wrong usage: with `asJson`, prints the error as an object. The library commander has already printed the
 * error and a hint for people, or the requested help. Returns the exit code.
 */
function reportUsage(error: CommanderError, asJson: boolean): number {
  if (error.exitCode === 0) return 0
  if (!asJson) return wrongUsage
  const message = error.code === 'commander.help' ? 'a command is missing' : error.message.replace(/^error: /, '')
  print(JSON.stringify({ error: { code: 'wrong_usage', message } }))
  return wrongUsage
}
