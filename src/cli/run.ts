import { CommanderError } from 'commander'
import { asInvocation, type Host, type Invocation, invocation, processHost } from './invocation.ts'
import { coloured, print, printError, printJson } from './print.ts'
import { createProgram } from './program.ts'

const failed = 1
const wrongUsage = 2

/**
 * Prints the failure on standard error and, with `asJson`, as an object on standard output. Returns the exit code.
 */
async function reportFailure(error: unknown, asJson: boolean): Promise<number> {
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

/**
 * The command line: `housebill <args>`. Returns the exit code and never throws: 0 success, 1 failure, 2 wrong usage.
 * With `--json`, a failure is also printed to standard output as one JSON object with an `error`.
 */
export async function runCommandLine(args: readonly string[], host: Host = processHost): Promise<number> {
  const call: Invocation = { ...host, asJson: args.includes('--json'), exitCode: 0 }
  return asInvocation(call, async () => {
    try {
      await createProgram().parseAsync([...args], { from: 'user' })
      return call.exitCode
    } catch (error) {
      return reportFailure(error, call.asJson)
    }
  })
}
